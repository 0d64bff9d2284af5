// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/clipboard.h"

#include "app/rfb/protocol.h"

#include <QList>
#include <QtEndian>
#include <zlib.h>

namespace cocoonbox::app::rfb {

namespace {

constexpr quint32 kText = 1 << 0;
constexpr quint32 kCaps = 1 << 24;
constexpr quint32 kRequest = 1 << 25;
constexpr quint32 kPeek = 1 << 26;
constexpr quint32 kNotify = 1 << 27;
constexpr quint32 kProvide = 1 << 28;

QByteArray flagsOf(quint32 flags)
{
    const quint32 raw = qToBigEndian(flags);
    return QByteArray(reinterpret_cast<const char*>(&raw), sizeof raw);
}

// What we can do: text of up to 1 MiB, every action.
QByteArray ourCaps()
{
    const quint32 size = qToBigEndian(static_cast<quint32>(kClipboardBytesMax));
    return message::extendedCutText(flagsOf(kCaps | kRequest | kPeek | kNotify | kProvide | kText) +
                                    QByteArray(reinterpret_cast<const char*>(&size), sizeof size));
}

// Cuts at the limit without splitting a character.
QByteArray boundedUtf8(const QString& text)
{
    QByteArray utf8 = text.toUtf8();
    if (utf8.size() <= kClipboardBytesMax) return utf8;
    qsizetype end = kClipboardBytesMax;
    while (end > 0 && (static_cast<uchar>(utf8[end]) & 0xc0) == 0x80)
        --end;
    utf8.truncate(end);
    return utf8;
}

// One question mark for each character that Latin-1 lacks, not one for each half of it.
QByteArray toLatin1(const QString& text)
{
    QByteArray latin1;
    for (const char32_t c : text.toUcs4())
        latin1.append(c < 0x100 ? static_cast<char>(c) : '?');
    return latin1;
}

} // namespace

QByteArray packClipboardText(QByteArrayView text)
{
    QByteArray plain(4, Qt::Uninitialized);
    qToBigEndian(static_cast<quint32>(text.size() + 1), plain.data());
    plain.append(text).append('\0');
    QByteArray packed(static_cast<qsizetype>(compressBound(static_cast<uLong>(plain.size()))), Qt::Uninitialized);
    auto length = static_cast<uLongf>(packed.size());
    compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(plain.constData()),
             static_cast<uLong>(plain.size()));
    packed.truncate(static_cast<qsizetype>(length));
    return packed;
}

Result<QByteArray> unpackClipboardText(QByteArrayView packed)
{
    // CRLF can double the lines, and the zero comes on top; one byte more tells a text that is too long.
    constexpr qsizetype kPlainMax = 2 * kClipboardBytesMax;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) qFatal("out of memory");
    QByteArray plain(4, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    const auto inflateTo = [&](char* to, qsizetype size) {
        stream.next_out = reinterpret_cast<Bytef*>(to);
        stream.avail_out = static_cast<uInt>(size);
        const int outcome = inflate(&stream, Z_SYNC_FLUSH);
        return (outcome == Z_OK || outcome == Z_STREAM_END) && stream.avail_out == 0;
    };
    const bool headed = inflateTo(plain.data(), 4);
    const qsizetype size = qFromBigEndian<quint32>(plain.constData());
    const bool fits = size <= kPlainMax;
    if (fits) plain.resize(size);
    const bool whole = headed && fits && (size == 0 || inflateTo(plain.data(), size));
    inflateEnd(&stream);
    if (!fits) return limitFailure(QStringLiteral("a clipboard text of more than 2 MiB"));
    if (!whole) return protocolFailure(QStringLiteral("a clipboard text that cannot be decoded"));
    while (plain.endsWith('\0'))
        plain.chop(1);
    return plain;
}

QByteArray Clipboard::offer(const QString& text)
{
    const std::scoped_lock lock(m_mutex);
    if (!m_extended) {
        m_text = boundedUtf8(text);
        return message::cutText(toLatin1(QString::fromUtf8(m_text)));
    }
    QString lines = text;
    lines.replace(QStringLiteral("\r\n"), QStringLiteral("\n")).replace(u'\n', QStringLiteral("\r\n"));
    m_text = boundedUtf8(lines);
    return message::extendedCutText(flagsOf(kNotify | kText));
}

Result<Clipboard::Reaction> Clipboard::onExtended(QByteArrayView body)
{
    if (body.size() < 4) return protocolFailure(QStringLiteral("a clipboard message that is too short"));
    const auto flags = qFromBigEndian<quint32>(body.data());
    const std::scoped_lock lock(m_mutex);
    Reaction reaction;
    if (flags & kCaps) {
        m_extended = true;
        reaction.send = ourCaps();
    } else if (!(flags & kText)) {
        return reaction; // an image or a file: not for us
    } else if (flags & kNotify) {
        reaction.send = message::extendedCutText(flagsOf(kRequest | kText));
    } else if (flags & kPeek) {
        reaction.send = message::extendedCutText(flagsOf(kNotify | (m_text.isEmpty() ? 0 : kText)));
    } else if (flags & kRequest) {
        reaction.send = message::extendedCutText(flagsOf(kProvide | kText) + packClipboardText(m_text));
    } else if (flags & kProvide) {
        TRY_ASSIGN(const QByteArray text, unpackClipboardText(body.sliced(4)));
        QString received = QString::fromUtf8(text);
        received.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
        reaction.received = received;
    }
    return reaction;
}

QString Clipboard::fromLatin1(QByteArrayView text)
{
    return QString::fromLatin1(text);
}

} // namespace cocoonbox::app::rfb
