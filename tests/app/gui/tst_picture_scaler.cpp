// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/picture_scaler.h"

#include <QRandomGenerator>
#include <QTest>

using namespace cocoonbox::app::gui;

namespace {

QImage noise(QSize size, quint32 seed)
{
    QRandomGenerator random(seed);
    QImage image(size, QImage::Format_RGB32);
    for (int y = 0; y < size.height(); ++y)
        for (int x = 0; x < size.width(); ++x)
            image.setPixel(x, y, 0xff000000 | random.generate());
    return image;
}

QImage scaled(PictureScaler& scaler, const QImage& source)
{
    QImage target(scaler.target(), QImage::Format_RGB32);
    scaler.scale(source, target, target.rect());
    return target;
}

} // namespace

class TestPictureScaler : public QObject {
    Q_OBJECT
private slots:
    void sizes_data()
    {
        QTest::addColumn<QSize>("target");
        QTest::newRow("smaller") << QSize(61, 37);
        QTest::newRow("much smaller") << QSize(13, 9);
        QTest::newRow("larger") << QSize(171, 113);
        QTest::newRow("one pixel") << QSize(1, 1);
    }

    void oneColourStaysThatColour_data() { sizes_data(); }
    void oneColourStaysThatColour()
    {
        QFETCH(QSize, target);
        QImage source(97, 71, QImage::Format_RGB32);
        source.fill(QColor(13, 200, 255));
        PictureScaler scaler;
        scaler.setSizes(source.size(), target);

        QImage expected(target, QImage::Format_RGB32);
        expected.fill(QColor(13, 200, 255));
        QCOMPARE(scaled(scaler, source), expected);
    }

    void aPartComesOutAsInTheWhole_data() { sizes_data(); }
    void aPartComesOutAsInTheWhole()
    {
        QFETCH(QSize, target);
        const QImage before = noise({97, 71}, 1);
        PictureScaler scaler;
        scaler.setSizes(before.size(), target);
        QImage picture = scaled(scaler, before);

        QImage after = before;
        const QRect damage(31, 22, 19, 17);
        const QImage other = noise(damage.size(), 2);
        for (int y = 0; y < damage.height(); ++y)
            for (int x = 0; x < damage.width(); ++x)
                after.setPixel(damage.x() + x, damage.y() + y, other.pixel(x, y));
        scaler.scale(after, picture, scaler.targetOf(damage));

        QCOMPARE(picture, scaled(scaler, after));
    }

    void shrinkingAveragesInsteadOfDroppingPixels()
    {
        QImage stripes(64, 4, QImage::Format_RGB32);
        for (int x = 0; x < 64; ++x)
            for (int y = 0; y < 4; ++y)
                stripes.setPixel(x, y, x % 2 ? 0xffffffff : 0xff000000);
        PictureScaler scaler;
        scaler.setSizes(stripes.size(), {16, 1});
        const QImage grey = scaled(scaler, stripes);
        for (int x = 1; x < 15; ++x)
            QVERIFY2(std::abs(qRed(grey.pixel(x, 0)) - 127) < 12, qPrintable(QString::number(x)));
    }

    void wrongSizesAreLeftAlone()
    {
        PictureScaler scaler;
        scaler.setSizes({10, 10}, {5, 5});
        QImage target(5, 5, QImage::Format_RGB32);
        target.fill(Qt::red);
        scaler.scale(noise({11, 10}, 1), target, target.rect());
        QCOMPARE(target.pixelColor(2, 2), QColor(Qt::red));
    }

    void severalTimesTheSizeRepeatsPixels()
    {
        const QImage source = noise({19, 13}, 5);
        PictureScaler scaler;
        scaler.setSizes(source.size(), source.size() * 3);
        const QImage large = scaled(scaler, source);
        for (int y = 0; y < large.height(); ++y)
            for (int x = 0; x < large.width(); ++x)
                QCOMPARE(large.pixel(x, y), source.pixel(x / 3, y / 3));
    }

    void aWindowIntoTheTargetIsAPartOfTheWhole()
    {
        const QImage source = noise({97, 71}, 7);
        PictureScaler scaler;
        scaler.setSizes(source.size(), {171, 113});
        const QRect window(40, 30, 77, 50);
        QImage part(window.size(), QImage::Format_RGB32);
        scaler.scale(source, part, QRect(QPoint(), scaler.target()), window.topLeft());
        QCOMPARE(part, scaled(scaler, source).copy(window));
    }
};

QTEST_GUILESS_MAIN(TestPictureScaler)
#include "tst_picture_scaler.moc"
