// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/frame_texture.h"

#include <memory>
#include <QTest>
#include <rhi/qrhi.h>

using namespace cocoonbox::app::gui;

// On a device that draws nothing, so that what is uploaded can be counted anywhere.
class TestFrameTexture : public QObject {
    Q_OBJECT

    std::unique_ptr<QRhi> m_rhi;

    void commit(FrameTexture& texture)
    {
        QRhiResourceUpdateBatch* updates = m_rhi->nextResourceUpdateBatch();
        texture.commitTextureOperations(m_rhi.get(), updates);
        updates->release();
    }

private slots:
    void initTestCase()
    {
        QRhiNullInitParams params;
        m_rhi.reset(QRhi::create(QRhi::Null, &params));
        QVERIFY(m_rhi);
    }

    void onlyDamageIsUploaded()
    {
        QImage image(640, 480, QImage::Format_RGB32);
        FrameTexture texture(image.rect());
        QVERIFY(texture.setFrame(image, {image.rect()}));
        commit(texture);
        QVERIFY(texture.rhiTexture());
        QCOMPARE(texture.uploadedPixels(), qint64(640 * 480));

        QVERIFY(texture.setFrame(image, {QRect(10, 10, 20, 5), QRect(600, 470, 100, 100)}));
        commit(texture);
        QCOMPARE(texture.uploadedPixels(), qint64(640 * 480 + 20 * 5 + 40 * 10));
        commit(texture);
        QCOMPARE(texture.uploadedPixels(), qint64(640 * 480 + 20 * 5 + 40 * 10));
    }

    void damageOfOtherPartsIsTheirs()
    {
        QImage image(640, 480, QImage::Format_RGB32);
        FrameTexture left(QRect(0, 0, 320, 480));
        QVERIFY(!left.setFrame(image, {QRect(400, 0, 10, 10)}));
        QVERIFY(left.setFrame(image, {QRect(310, 0, 20, 10)}));
        commit(left);
        QCOMPARE(left.uploadedPixels(), qint64(10 * 10));
    }

    void damageOfFramesThatWereNotDrawnAddsUp()
    {
        QImage image(640, 480, QImage::Format_RGB32);
        FrameTexture texture(image.rect());
        texture.setFrame(image, {QRect(0, 0, 10, 10)});
        texture.setFrame(image, {QRect(20, 0, 10, 10)});
        commit(texture);
        QCOMPARE(texture.uploadedPixels(), qint64(200));
    }

    void manyRectanglesBecomeOne()
    {
        QImage image(640, 480, QImage::Format_RGB32);
        FrameTexture texture(image.rect());
        QList<QRect> damage;
        for (int i = 0; i < 32; ++i)
            damage.append(QRect(i * 4, 0, 2, 2));
        texture.setFrame(image, damage);
        commit(texture);
        QCOMPARE(texture.uploadedPixels(), qint64(126 * 2));
    }
};

QTEST_MAIN(TestFrameTexture)
#include "tst_frame_texture.moc"
