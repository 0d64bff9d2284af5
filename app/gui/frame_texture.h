// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QImage>
#include <QList>
#include <QRect>
#include <QSGTexture>

class QRhi;
class QRhiTexture;
class QRhiResourceUpdateBatch;

namespace cocoonbox::app::gui {

// A part of a framebuffer as a texture. What changed is uploaded straight from the framebuffer's memory, and nothing
// else. Made and changed while the scene graph syncs, uploaded while it renders; the image is held until the next one.
class FrameTexture final : public QSGTexture {
public:
    explicit FrameTexture(const QRect& part) : m_part(part) {}
    ~FrameTexture() override;

    // `damage` in pixels of the image. True when something is to be uploaded.
    bool setFrame(const QImage& image, const QList<QRect>& damage);
    const QRect& part() const { return m_part; }
    qint64 uploadedPixels() const { return m_uploadedPixels; }

    qint64 comparisonKey() const override { return static_cast<qint64>(reinterpret_cast<quintptr>(this)); }
    QRhiTexture* rhiTexture() const override { return m_texture; }
    QSize textureSize() const override { return m_part.size(); }
    bool hasAlphaChannel() const override { return false; }
    bool hasMipmaps() const override { return false; }
    void commitTextureOperations(QRhi* rhi, QRhiResourceUpdateBatch* updates) override;

private:
    bool create(QRhi* rhi);

    QRect m_part;
    QImage m_image;
    QList<QRect> m_damage; // not uploaded yet
    QRhiTexture* m_texture = nullptr;
    bool m_failed = false;
    bool m_swapsChannels = false; // the device lacks the framebuffer's order of channels
    qint64 m_uploadedPixels = 0;
};

} // namespace cocoonbox::app::gui
