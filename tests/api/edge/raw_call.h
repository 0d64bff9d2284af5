// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <chrono>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <map>
#include <memory>
#include <optional>
#include <QByteArray>
#include <QString>
#include <set>
#include <string>

namespace cocoonbox::testing {

// One call in bytes, step by step and blocking, each step with a limit of its own. Made for tests: reads well, is slow.
class RawCall {
public:
    RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
            const std::multimap<std::string, std::string>& metadata,
            std::optional<std::chrono::milliseconds> timeout = std::nullopt);
    ~RawCall();

    bool write(const std::string& message);
    bool tryWrite(const std::string& message, std::chrono::milliseconds limit); // false: it is still not taken
    std::optional<std::string> read();
    bool readHeaders();
    void writesDone();
    grpc::Status finish();
    void cancel() { m_context.TryCancel(); }
    grpc::ClientContext& context() { return m_context; }
    QString reason() const; // of the trailers, after `finish`
    QByteArray trailer(const char* name) const;
    QByteArray header(const char* name) const;

private:
    enum Step : int { Start = 1, Read, Write, Done, Headers, Finish };
    void* tag(Step step) { return reinterpret_cast<void*>(static_cast<intptr_t>(step)); }
    std::optional<bool> wait(Step step, std::chrono::milliseconds limit);
    bool must(Step step);

    grpc::ClientContext m_context;
    grpc::CompletionQueue m_queue;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> m_call;
    std::map<int, bool> m_ready;
    grpc::ByteBuffer m_message;
    std::set<int> m_open; // steps that have begun and not ended
};

} // namespace cocoonbox::testing
