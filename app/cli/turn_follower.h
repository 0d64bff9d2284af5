// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/cli/console.h"
#include "app/client/box_session.h"

namespace cocoonbox::app::cli {

// Shows what one agent does as it happens: words on stdout as they are written, tool calls and remarks on stderr; with
// --json one object a line. Each entry is shown once, over reconnects.
class TurnFollower final : public QObject {
    Q_OBJECT
public:
    TurnFollower(client::BoxSession& box, Console& console, QString agentId);

    // Connects and reads the transcript so far; fails when the box is asleep, gone, or silent for 15 s.
    Task<void> attach();
    // Shows entries after `seq` from now on; of one turn only where it is named.
    void showAfter(qint64 seq, const QString& turnId);
    // Until the turn is over: kOk, kFailed when it ended in an error, kPending when it asks something; an error's own
    // code, said already, when the box fell asleep or is gone.
    QCoro::Task<int> untilTurnEnds();

private:
    void onState();
    void show();
    void showEntry(const client::Entry& entry);
    void showTool(const client::Entry& entry);
    void showDraft();
    void showReply(const client::Entry& entry);
    void endLine();
    void checkEnd();

    client::BoxSession& m_box;
    Console& m_console;
    QString m_agentId;
    Promise<Result<void>> m_attached;
    Promise<int> m_ended;
    bool m_showing = false;
    QString m_turnId;
    qint64 m_shownSeq = 0;
    QHash<qint64, client::Entry> m_openTools; // shown, and not ended when they were
    QString m_shownDraft;
    QString m_draftTurn;
    bool m_midLine = false; // stdout stands within a line
    bool m_sawRunning = false;
    bool m_failed = false;
};

} // namespace cocoonbox::app::cli
