// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/rpc/server.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <QMap>
#include <QString>
#include <QStringList>

namespace cocoonbox::testing {

// An agent that knows no messages: what a method does is in its name. `/any.Service/NAME`:
//   Echo    sends each message back; ends OK after the client's last, with trailers x-test and x-test-bin
//   Upper   one message back in upper case, then OK
//   Fail    ALREADY_EXISTS with a message in UTF-8 and the reason TEST_FAILED
//   Hold    never reads, answers or ends
//   Flood   sends 64 KiB messages for as long as they are taken
//   Big     sends one message of 5 MiB
class FakeAgent final {
public:
    explicit FakeAgent(QString socketPath);
    ~FakeAgent();

    void start();
    void stop(); // at once, live calls are cancelled

    struct Seen {
        QMap<QByteArray, QByteArray> metadata;
        std::chrono::system_clock::time_point deadline;
    };
    Seen lastCall() const;
    int cancelledCalls() const { return m_cancelled; }
    int openCalls() const { return m_open; }
    qint64 floodedBytes() const { return m_flooded; }

private:
    friend class FakeCall;
    // gRPC wants a new one for each server.
    class Service final : public grpc::CallbackGenericService {
    public:
        explicit Service(FakeAgent& agent) : m_agent(agent) {}

    private:
        grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

        FakeAgent& m_agent;
    };

    QString m_socketPath;
    std::unique_ptr<Service> m_service;
    std::unique_ptr<rpc::Server> m_server;
    mutable std::mutex m_mutex;
    Seen m_seen;
    std::atomic<int> m_cancelled = 0;
    std::atomic<int> m_open = 0;
    std::atomic<qint64> m_flooded = 0;
};

} // namespace cocoonbox::testing
