// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/desktop/screen_state.h"
#include "agent/serve/session/baton.h"
#include "agent/serve/session/hand_backs.h"
#include "agent/serve/tools/own_program.h"
#include "common/async/task_scope.h"

namespace cocoonbox::agent::serve::desktop {

// Looks at the screen when a person takes it and when it is free again, and records what is different. One that steals
// it from another goes on with the first look. Domain thread; outlived by what it is given.
class HandBackRecorder final : public QObject {
    Q_OBJECT
public:
    HandBackRecorder(session::Baton& baton, session::HandBacks& handBacks, tools::ToolhostClient& toolhost,
                     const Clock& clock);

private:
    void onBatonChanged();
    Task<void> lookBefore();
    Task<void> lookAfter(QString who, qint64 sinceMs);
    Task<ScreenState> look();

    session::Baton& m_baton;
    session::HandBacks& m_handBacks;
    tools::ToolhostClient& m_toolhost;
    const Clock& m_clock;
    bool m_isHeld = false;
    QString m_holder;
    qint64 m_sinceMs = 0;
    ScreenState m_before;
    TaskScope m_scope;
};

} // namespace cocoonbox::agent::serve::desktop
