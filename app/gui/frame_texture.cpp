// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/frame_texture.h"

#include <QLoggingCategory>
#include <rhi/qrhi.h>

namespace cocoonbox::app::gui {

namespace {

Q_LOGGING_CATEGORY(lcTexture, "cocoonbox.app.gui")

constexpr qsizetype kRectsMax = 24; // each upload costs a call; beyond that one rectangle around all is cheaper
constexpr int kPixelBytes = 4;

QRhiTextureSubresourceUploadDescription fromMemory(const QImage& image, const QRect& rect, QPoint to)
{
    const uchar* first = image.constScanLine(rect.y()) + qsizetype(rect.x()) * kPixelBytes;
    const qsizetype size = (rect.height() - 1) * image.bytesPerLine() + qsizetype(rect.width()) * kPixelBytes;
    QRhiTextureSubresourceUploadDescription upload(QByteArray::fromRawData(reinterpret_cast<const char*>(first), size));
    upload.setDataStride(static_cast<quint32>(image.bytesPerLine()));
    upload.setSourceSize(rect.size());
    upload.setDestinationTopLeft(to);
    return upload;
}

QRhiTextureSubresourceUploadDescription fromSwapped(const QImage& image, const QRect& rect, QPoint to)
{
    QRhiTextureSubresourceUploadDescription upload(image.copy(rect).convertToFormat(QImage::Format_RGBX8888));
    upload.setDestinationTopLeft(to);
    return upload;
}

} // namespace

FrameTexture::~FrameTexture()
{
    if (m_texture) m_texture->deleteLater(); // the frame that is drawn now may still read it
}

bool FrameTexture::setFrame(const QImage& image, const QList<QRect>& damage)
{
    m_image = image;
    bool changed = false;
    for (const QRect& rect : damage) {
        const QRect part = rect & m_part;
        if (part.isEmpty()) continue;
        m_damage.append(part);
        changed = true;
    }
    if (m_damage.size() > kRectsMax) {
        QRect around;
        for (const QRect& rect : std::as_const(m_damage))
            around |= rect;
        m_damage = {around};
    }
    return changed;
}

bool FrameTexture::create(QRhi* rhi)
{
    if (m_texture || m_failed) return m_texture != nullptr;
    m_swapsChannels = !rhi->isTextureFormatSupported(QRhiTexture::BGRA8);
    m_texture = rhi->newTexture(m_swapsChannels ? QRhiTexture::RGBA8 : QRhiTexture::BGRA8, m_part.size());
    if (m_texture->create()) return true;
    qCWarning(lcTexture, "The graphics device has no memory for the live picture; COCOONBOX_RENDERER=software needs "
                         "none of it.");
    m_failed = true;
    delete std::exchange(m_texture, nullptr);
    return false;
}

void FrameTexture::commitTextureOperations(QRhi* rhi, QRhiResourceUpdateBatch* updates)
{
    if (m_damage.isEmpty() || !create(rhi)) return;
    QVarLengthArray<QRhiTextureUploadEntry, kRectsMax> entries;
    for (const QRect& rect : std::as_const(m_damage)) {
        const QPoint to = rect.topLeft() - m_part.topLeft();
        entries.append({0, 0, m_swapsChannels ? fromSwapped(m_image, rect, to) : fromMemory(m_image, rect, to)});
        m_uploadedPixels += qint64(rect.width()) * rect.height();
    }
    QRhiTextureUploadDescription upload;
    upload.setEntries(entries.begin(), entries.end());
    updates->uploadTexture(m_texture, upload);
    m_damage.clear();
}

} // namespace cocoonbox::app::gui
