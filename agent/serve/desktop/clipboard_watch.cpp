// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/desktop/clipboard_watch.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPointer>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve::desktop {

namespace {

constexpr auto kPause = 2s; // the screen may be starting
constexpr qsizetype kKindsMax = 8;
constexpr qsizetype kTypeCharsMax = 64;

} // namespace

ClipboardWatch::ClipboardWatch(session::ClipboardBoard& board, tools::ToolhostClient& toolhost)
    : m_board(board), m_toolhost(toolhost)
{
    connect(&board, &session::ClipboardBoard::followedChanged, this, &ClipboardWatch::onFollowedChanged);
}

ClipboardWatch::~ClipboardWatch()
{
    m_stop.request_stop();
}

void ClipboardWatch::onFollowedChanged()
{
    m_stop.request_stop();
    if (!m_board.isFollowed()) return;
    m_stop = std::stop_source();
    m_scope.spawn(watch(m_stop.get_token()), u"watching the clipboard"_s);
}

Task<void> ClipboardWatch::watch(std::stop_token stop)
{
    const QPointer self{this};
    while (self && !stop.stop_requested()) {
        (void)co_await watchOnce(stop); // why it ended is no news to anybody: it is tried again
        CO_TRY_VOID(co_await sleepFor(kPause, stop));
    }
    co_return {};
}

Task<void> ClipboardWatch::watchOnce(std::stop_token stop)
{
    const QPointer self{this};
    CO_TRY_ASSIGN(std::unique_ptr<tools::OwnProgram> started,
                  co_await tools::OwnProgram::start(m_toolhost, {u"desktop"_s, u"watch"_s}, stop));
    const std::shared_ptr<tools::OwnProgram> program = std::move(started);
    const std::stop_callback onStop(stop, [program] { program->limit(0ms, u"STOPPED"_s); });
    QByteArray pending;
    while (self && !stop.stop_requested()) {
        CO_TRY_ASSIGN(const std::optional<QByteArray> bytes, co_await program->read());
        if (!bytes || !self) co_return {};
        pending += *bytes;
        for (;;) {
            CO_TRY_ASSIGN(const std::optional<QByteArray> line, tools::takeLine(pending));
            if (!line) break;
            take(*line);
            if (!self) co_return {};
        }
    }
    co_return {};
}

void ClipboardWatch::take(const QByteArray& line)
{
    session::ClipboardState state;
    for (const QJsonValue& kind : QJsonDocument::fromJson(line).object().value("kinds"_L1).toArray())
        if (state.kinds.size() < kKindsMax)
            state.kinds.append({kind.toObject().value("type"_L1).toString().left(kTypeCharsMax),
                                std::max<qint64>(0, kind.toObject().value("size"_L1).toInteger())});
    const bool isFirstAndEmpty = m_board.generation() == 0 && state.kinds.isEmpty();
    if (!isFirstAndEmpty) m_board.set(std::move(state));
}

} // namespace cocoonbox::agent::serve::desktop
