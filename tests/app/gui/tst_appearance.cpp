// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/icon_item.h"
#include "app/gui/renderer_choice.h"
#include "app/gui/words.h"

#include <QDateTime>
#include <QTest>

using namespace cocoonbox::app::gui;

class TestAppearance : public QObject {
    Q_OBJECT
private slots:
    void everyIconIsDrawnInsideItsGrid()
    {
        QVERIFY(iconNames().size() > 20);
        for (const QString& name : iconNames()) {
            const IconDrawing icon = iconDrawing(name);
            QVERIFY2(icon.path.elementCount() > 2, qPrintable(name));
            QVERIFY2(QRectF(1, 1, 22, 22).contains(icon.path.boundingRect()), qPrintable(name));
        }
        QVERIFY(iconDrawing(QStringLiteral("no such icon")).path.isEmpty());
    }

    void softwareOpenGlIsRecognised_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("isSoftware");
        QTest::newRow("llvmpipe") << QStringLiteral("llvmpipe (LLVM 19.1.7, 256 bits)") << true;
        QTest::newRow("softpipe") << QStringLiteral("softpipe") << true;
        QTest::newRow("windows") << QStringLiteral("GDI Generic / Mesa llvmpipe") << true;
        QTest::newRow("intel") << QStringLiteral("Mesa Intel(R) UHD Graphics 620 (KBL GT2)") << false;
        QTest::newRow("nvidia") << QStringLiteral("NVIDIA GeForce RTX 4070/PCIe/SSE2") << false;
    }
    void softwareOpenGlIsRecognised()
    {
        QFETCH(QString, name);
        QFETCH(bool, isSoftware);
        QCOMPARE(isSoftwareGl(name), isSoftware);
    }

    void rendererIsAsSet()
    {
        QCOMPARE(chooseRenderer(QStringLiteral("software")), Renderer::Software);
        QCOMPARE(chooseRenderer(QStringLiteral("rhi")), Renderer::Rhi);
        QCOMPARE(chooseRenderer(QStringLiteral("auto")), Renderer::Software); // the tests have no screen
    }

    void durationsAreShort_data()
    {
        QTest::addColumn<qint64>("ms");
        QTest::addColumn<QString>("text");
        QTest::newRow("nothing to say") << qint64(99) << QString();
        QTest::newRow("parts of a second") << qint64(440) << QStringLiteral("0.4 s");
        QTest::newRow("seconds") << qint64(12'300) << QStringLiteral("12 s");
        QTest::newRow("rounds up to seconds") << qint64(9'980) << QStringLiteral("10 s");
        QTest::newRow("minutes") << qint64(185'000) << QStringLiteral("3 min 5 s");
    }
    void durationsAreShort()
    {
        QFETCH(qint64, ms);
        QFETCH(QString, text);
        QLocale::setDefault(QLocale::c());
        QCOMPARE(durationText(ms), text);
    }

    void sizesAreWords()
    {
        QLocale::setDefault(QLocale::c());
        QCOMPARE(sizeText(2, 4LL << 30), QStringLiteral("2 CPUs · 4 GB"));
        QCOMPARE(sizeText(1, 1536LL << 20), QStringLiteral("1 CPU · 1.5 GB"));
        QCOMPARE(sizeText(0, 0), QString());
    }

    void bytesAreWords()
    {
        QLocale::setDefault(QLocale::c());
        QCOMPARE(bytesText(820), QStringLiteral("820 bytes"));
        QCOMPARE(bytesText(14'200), QStringLiteral("14.2 kB"));
        QCOMPARE(bytesText(123'000'000), QStringLiteral("123 MB"));
    }

    void timesNameTheDayWhenItIsNotToday()
    {
        const QDateTime now = QDateTime::currentDateTime();
        const QDateTime noon(now.date(), QTime(12, 30));
        QCOMPARE(timeText(noon.toMSecsSinceEpoch()), QStringLiteral("12:30"));
        QVERIFY(timeText(noon.addDays(-2).toMSecsSinceEpoch()).endsWith(QStringLiteral(" 12:30")));
        QVERIFY(timeText(noon.addDays(-40).toMSecsSinceEpoch()).size() > 10);
        QCOMPARE(timeText(0), QString());
    }
};

QTEST_MAIN(TestAppearance)
#include "tst_appearance.moc"
