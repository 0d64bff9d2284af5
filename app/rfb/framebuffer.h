// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <cstdlib>
#include <memory>
#include <QImage>
#include <QSize>

namespace cocoonbox::app::rfb {

// The pixels of one desktop size, 32 bit BGRX without padding. The decoder writes while views read: a view may see half
// an update, never memory that is gone, for every image holds the buffer.
class Framebuffer {
public:
    // Null when there is no memory. The size has been checked.
    static std::shared_ptr<Framebuffer> create(QSize size)
    {
        auto buffer = std::make_shared<Framebuffer>();
        buffer->m_size = size;
        buffer->m_pixels.reset(static_cast<uchar*>(std::calloc(static_cast<size_t>(size.width()) * size.height(), 4)));
        return buffer->m_pixels ? buffer : nullptr;
    }

    QSize size() const { return m_size; }
    qsizetype stride() const { return qsizetype(m_size.width()) * 4; }
    uchar* row(int y) { return m_pixels.get() + y * stride(); }

    static QImage image(const std::shared_ptr<Framebuffer>& buffer)
    {
        if (!buffer) return {};
        const uchar* pixels = buffer->m_pixels.get();
        return QImage(
            pixels, buffer->m_size.width(), buffer->m_size.height(), buffer->stride(), QImage::Format_RGB32,
            [](void* held) { delete static_cast<std::shared_ptr<Framebuffer>*>(held); },
            new std::shared_ptr<Framebuffer>(buffer));
    }

private:
    struct Free {
        void operator()(uchar* pixels) const { std::free(pixels); }
    };
    QSize m_size;
    std::unique_ptr<uchar, Free> m_pixels;
};

} // namespace cocoonbox::app::rfb
