// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/session/clipboard_board.h"
#include "agent/serve/tools/own_program.h"
#include "common/async/task_scope.h"

namespace cocoonbox::agent::serve::desktop {

// Keeps the board up to date while somebody follows it, through one program of toolhost's that sleeps until the
// clipboard changes. One that ends is started again after a pause. Domain thread; outlived by board and toolhost.
class ClipboardWatch final : public QObject {
    Q_OBJECT
public:
    ClipboardWatch(session::ClipboardBoard& board, tools::ToolhostClient& toolhost);
    ~ClipboardWatch() override;

private:
    void onFollowedChanged();
    Task<void> watch(std::stop_token stop);
    Task<void> watchOnce(std::stop_token stop);
    void take(const QByteArray& line);

    session::ClipboardBoard& m_board;
    tools::ToolhostClient& m_toolhost;
    std::stop_source m_stop;
    TaskScope m_scope;
};

} // namespace cocoonbox::agent::serve::desktop
