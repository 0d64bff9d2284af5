// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/agent_types.h"
#include "common/async/task.h"

#include <memory>
#include <optional>

namespace cocoonbox::app::client {

class Connection;

// One program that runs in the box, started when the channel is made. It ends when this is destroyed. Domain thread.
// Back-pressure both ways: what is not read is not fetched, and `writeStdin` waits until the box has taken the bytes.
class ExecChannel {
public:
    ExecChannel(std::shared_ptr<Connection> connection, const QString& boxId, const ExecStart& start);
    ~ExecChannel();
    ExecChannel(const ExecChannel&) = delete;

    // The next output; Kind::Exited is the last. Nothing: the call broke first, and `finish` says why.
    QCoro::Task<std::optional<ExecOutput>> read();
    Task<void> finish();

    // At most 64 KiB. False when the program or the call has ended. One at a time.
    QCoro::Task<bool> writeStdin(QByteArray bytes);
    void closeStdin();
    void resize(int rows, int columns);
    void signal(int number);

private:
    struct Call;
    std::shared_ptr<Call> m_call;
};

} // namespace cocoonbox::app::client
