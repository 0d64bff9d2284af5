// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/text_channel.h"

#include <algorithm>

namespace cocoonbox::app::gui {

TextChannel::TextChannel(QObject* parent) : QObject(parent) {}

TextChannel::~TextChannel()
{
    m_scope.requestStop();
}

QString TextChannel::sendable(const QString& text)
{
    QString kept = text;
    kept.replace(QStringLiteral("\r\n"), QStringLiteral("\n")).replace(u'\r', u'\n');
    kept.removeIf([](QChar c) { return c.category() == QChar::Other_Control && c != u'\n' && c != u'\t'; });
    return kept;
}

QStringList TextChannel::piecesOf(const QString& text)
{
    QStringList pieces;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype end = std::min(at + kPieceMax, text.size());
        if (end < text.size() && text.at(end).isLowSurrogate()) --end;
        pieces.append(text.sliced(at, end - at));
        at = end;
    }
    return pieces;
}

void TextChannel::setLink(BoxLink* link)
{
    m_link = link;
    clear();
}

void TextChannel::clear()
{
    m_waiting.clear();
    ++m_round; // a call on its way ends alone
    m_running = false;
}

void TextChannel::dropKeys()
{
    std::erase_if(m_waiting, [](const auto& item) { return std::holds_alternative<Key>(item); });
}

void TextChannel::dropWhole(quint64 whole)
{
    std::erase_if(m_waiting, [whole](const auto& item) {
        const auto* piece = std::get_if<Piece>(&item);
        return piece && piece->whole == whole;
    });
}

bool TextChannel::queue(const Key& key)
{
    if (!m_running) return false;
    if (m_waiting.size() < kWaitingMax) m_waiting.push_back(key);
    return true;
}

void TextChannel::sendText(const QString& text)
{
    const QString kept = sendable(text);
    if (kept.isEmpty() || !m_link) return;
    const QStringList pieces = piecesOf(kept);
    if (kept.size() > kTextMax || m_waiting.size() + static_cast<size_t>(pieces.size()) > kWaitingMax) {
        emit failed(tr("The text is too long to be typed in the box. Drop it on the picture as a file instead."));
        return;
    }
    // What is committed faster than it is inserted goes together.
    if (auto* last = m_waiting.empty() ? nullptr : std::get_if<Piece>(&m_waiting.back());
        last && last->text.size() + kept.size() <= kPieceMax) {
        last->text += kept;
        return;
    }
    ++m_lastWhole;
    for (const QString& piece : pieces)
        m_waiting.push_back(Piece{piece, m_lastWhole});
    if (std::exchange(m_running, true)) return;
    m_scope.spawn(run(++m_round), QStringLiteral("sending text to a box"));
}

Task<void> TextChannel::run(quint64 round)
{
    const QPointer self(this);
    while (m_round == round && !m_waiting.empty()) {
        const auto item = m_waiting.front();
        m_waiting.pop_front();
        if (const auto* key = std::get_if<Key>(&item)) {
            emit keyDue(*key);
            continue;
        }
        const Piece piece = std::get<Piece>(item);
        const Result<void> inserted = co_await m_link->inputText(piece.text);
        if (!self || m_round != round) co_return {};
        if (inserted) {
            emit sent();
            continue;
        }
        dropWhole(piece.whole);
        emit failed(inserted.error().message);
    }
    if (m_round == round) m_running = false;
    co_return {};
}

} // namespace cocoonbox::app::gui
