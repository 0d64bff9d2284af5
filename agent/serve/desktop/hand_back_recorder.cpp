// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/desktop/hand_back_recorder.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve::desktop {

namespace {

constexpr auto kLookMax = 1500ms;
constexpr qsizetype kStateBytesMax = 256 * 1024;

} // namespace

HandBackRecorder::HandBackRecorder(session::Baton& baton, session::HandBacks& handBacks,
                                   tools::ToolhostClient& toolhost, const Clock& clock)
    : m_baton(baton), m_handBacks(handBacks), m_toolhost(toolhost), m_clock(clock)
{
    connect(&baton, &session::Baton::changed, this, &HandBackRecorder::onBatonChanged);
}

void HandBackRecorder::onBatonChanged()
{
    if (m_baton.isHeld()) m_holder = m_baton.state().heldBy;
    if (m_baton.isHeld() == m_isHeld) return;
    m_isHeld = m_baton.isHeld();
    // Without a toolhost nothing can have been seen before, and nobody shall wait for what cannot be seen.
    if (m_isHeld) {
        m_sinceMs = m_clock.nowMs();
        m_before = {};
        if (m_toolhost.isReady()) m_scope.spawn(lookBefore(), u"looking at the screen"_s);
    } else if (m_toolhost.isReady()) {
        m_handBacks.beginLook();
        m_scope.spawn(lookAfter(m_holder, m_sinceMs), u"looking at what a person changed"_s);
    }
}

Task<ScreenState> HandBackRecorder::look()
{
    CO_TRY_ASSIGN(
        const QByteArray json,
        co_await tools::runOwn(
            m_toolhost,
            {.words = {u"desktop"_s, u"state"_s}, .content = {}, .bytesMax = kStateBytesMax, .limit = kLookMax},
            m_scope.stopToken()));
    co_return parseScreenState(json);
}

Task<void> HandBackRecorder::lookBefore()
{
    const QPointer self{this};
    const qint64 since = m_sinceMs;
    const Result<ScreenState> state = co_await look();
    if (self && state && m_sinceMs == since) m_before = *state;
    co_return {}; // a screen that cannot be seen now is left out of the comparison
}

Task<void> HandBackRecorder::lookAfter(QString who, qint64 sinceMs)
{
    const QPointer self{this};
    const ScreenState before = m_before;
    const Result<ScreenState> after = co_await look();
    if (!self) co_return {};
    const Result<QByteArray> files =
        co_await tools::runOwn(m_toolhost,
                               {.words = {u"files"_s, u"since"_s, QString::number(sinceMs)},
                                .content = {},
                                .bytesMax = kStateBytesMax,
                                .limit = kLookMax},
                               m_scope.stopToken());
    if (!self) co_return {};
    const qint64 now = m_clock.nowMs();
    m_handBacks.endLook(describeHandBack(who, (now - sinceMs) / 1000, before, after.value_or(ScreenState()),
                                         files ? parseFileChanges(*files) : FileChanges()),
                        now);
    co_return {};
}

} // namespace cocoonbox::agent::serve::desktop
