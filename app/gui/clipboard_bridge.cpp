// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/clipboard_bridge.h"

#include "common/async/wait.h"

#include <algorithm>
#include <QBuffer>
#include <QClipboard>
#include <QCryptographicHash>
#include <QImageReader>
#include <QMimeData>
#include <QThreadPool>

namespace cocoonbox::app::gui {

namespace {

constexpr int kImageMegabytesMax = 256; // of its pixels, before it is decoded: what comes from a box is hostile

QByteArray hashOf(const QByteArray& bytes)
{
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
}

QByteArray toPng(const QImage& image)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

QImage fromPng(QByteArray png)
{
    QBuffer buffer(&png);
    QImageReader reader(&buffer, "PNG");
    QImageReader::setAllocationLimit(kImageMegabytesMax);
    return reader.read();
}

} // namespace

ClipboardBridge::ClipboardBridge(QClipboard& clipboard, QObject* parent) : QObject(parent), m_clipboard(clipboard)
{
    connect(&m_clipboard, &QClipboard::dataChanged, this, &ClipboardBridge::onLocalChange);
}

ClipboardBridge::~ClipboardBridge()
{
    m_scope.requestStop();
}

QString ClipboardBridge::normalised(QString text)
{
    return text.replace(QStringLiteral("\r\n"), QStringLiteral("\n")).remove(QChar(u'\0'));
}

QString ClipboardBridge::localText() const
{
    return normalised(m_clipboard.text());
}

bool ClipboardBridge::isActive() const
{
    return m_shares && m_screen && m_screen->control() == ScreenModel::Control::Mine;
}

void ClipboardBridge::follow(ScreenModel* screen, bool shares)
{
    m_shares = shares;
    if (screen != m_screen) {
        if (m_screen) m_screen->disconnect(this);
        m_screen = screen;
        if (screen) {
            connect(screen, &ScreenModel::controlChanged, this, &ClipboardBridge::onControl);
            connect(screen, &ScreenModel::clipboardReceived, this, [this](const QString& text) {
                if (!m_agentSpoke) takeText(text);
            });
        }
    }
    onControl();
}

void ClipboardBridge::onControl()
{
    if (m_screen && m_screen->link() != m_link) {
        if (m_link) m_link->disconnect(this);
        m_link = m_screen->link();
        m_agentSpoke = m_link && !m_link->clipboardKinds().isEmpty();
        if (m_link) connect(m_link, &BoxLink::clipboardChanged, this, &ClipboardBridge::onBoxChange);
    }
    const bool active = isActive();
    if (active == std::exchange(m_wasActive, active)) return;
    ++m_round;
    m_lastText.clear();
    m_lastImage.clear();
    if (active) onLocalChange();
}

void ClipboardBridge::onLocalChange()
{
    if (!isActive()) return;
    const QMimeData* content = m_clipboard.mimeData();
    if (!content) return;
    if (content->hasText()) return offerText(normalised(content->text()));
    if (content->hasImage()) offerImage(m_clipboard.image());
}

void ClipboardBridge::offerText(const QString& text)
{
    if (text.isEmpty() || text == m_lastText) return;
    const QByteArray utf8 = text.toUtf8();
    if (utf8.size() > kTextBytesMax) {
        emit problem(tr("What you copied is longer than the 1 MiB of text that a box's clipboard takes; it was not "
                        "shared. Drop it on the picture as a file instead."));
        return;
    }
    m_lastText = text;
    m_scope.spawn(write({client::kPlainText, utf8}, ++m_round), QStringLiteral("sharing a copied text"));
}

// Encoding takes a while for a large picture, so it is not done here.
void ClipboardBridge::offerImage(const QImage& image)
{
    if (image.isNull() || image.cacheKey() == m_localKey) return;
    const quint64 round = ++m_round;
    QThreadPool::globalInstance()->start([self = QPointer(this), image, round] {
        const QByteArray png = toPng(image);
        postToDomain([self, png, round] {
            if (!self || self->m_round != round || !self->isActive() || png.isEmpty()) return;
            if (png.size() > kImageBytesMax) {
                emit self->problem(tr("The picture you copied is larger than the 32 MiB that a box's clipboard takes; "
                                      "it was not shared."));
                return;
            }
            const QByteArray hash = hashOf(png);
            if (hash == std::exchange(self->m_lastImage, hash)) return;
            self->m_scope.spawn(self->write({client::kPng, png}, round), QStringLiteral("sharing a copied picture"));
        });
    });
}

Task<void> ClipboardBridge::write(client::ClipboardContent content, quint64 round)
{
    const QPointer self(this);
    if (!m_link) co_return {};
    const Result<void> written = co_await m_link->writeClipboard(content);
    if (!self || m_round != round || written) co_return {};
    if (written.error().code != ErrorCode::Unimplemented) {
        emit problem(written.error().message);
    } else if (content.type == client::kPlainText && isActive()) {
        m_screen->offerClipboard(QString::fromUtf8(content.bytes));
    }
    co_return {};
}

void ClipboardBridge::onBoxChange()
{
    m_agentSpoke = true;
    if (!isActive() || !m_link) return;
    const QList<client::ClipboardKind> kinds = m_link->clipboardKinds();
    const auto has = [&kinds](const QString& type) {
        return std::ranges::contains(kinds, type, &client::ClipboardKind::type);
    };
    const QString type = has(client::kPlainText) ? client::kPlainText : has(client::kPng) ? client::kPng : QString();
    if (!type.isEmpty()) m_scope.spawn(read(type, ++m_round), QStringLiteral("reading a box's clipboard"));
}

Task<void> ClipboardBridge::read(QString type, quint64 round)
{
    const QPointer self(this);
    const Result<client::ClipboardContent> content = co_await m_link->readClipboard(type);
    if (!self || m_round != round || !isActive()) co_return {};
    if (!content) {
        // The program that owned it may have gone meanwhile; that is no news for the user.
        if (content.error().code != ErrorCode::NotFound) emit problem(content.error().message);
        co_return {};
    }
    if (type == client::kPlainText)
        takeText(QString::fromUtf8(content->bytes));
    else
        showImage(content->bytes, round);
    co_return {};
}

void ClipboardBridge::takeText(const QString& text)
{
    const QString kept = normalised(text);
    if (!isActive() || kept.isEmpty() || kept == m_lastText || kept.size() > kTextBytesMax) return;
    m_lastText = kept;
    m_clipboard.setText(kept);
}

void ClipboardBridge::showImage(const QByteArray& png, quint64 round)
{
    const QByteArray hash = hashOf(png);
    if (hash == std::exchange(m_lastImage, hash)) return;
    QThreadPool::globalInstance()->start([self = QPointer(this), png, round] {
        const QImage image = fromPng(png);
        postToDomain([self, image, round] {
            if (!self || self->m_round != round || !self->isActive() || image.isNull()) return;
            self->m_localKey = image.cacheKey();
            self->m_lastText.clear();
            self->m_clipboard.setImage(image);
        });
    });
}

} // namespace cocoonbox::app::gui
