// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/api/edge/raw_call.h"

#include <grpcpp/support/byte_buffer.h>
#include <QDebug>

namespace cocoonbox::testing {

namespace {

constexpr std::chrono::seconds kStepLimit{20};

QByteArray valueOf(const std::multimap<grpc::string_ref, grpc::string_ref>& metadata, const char* name)
{
    const auto found = metadata.find(name);
    if (found == metadata.end()) return {};
    return {found->second.data(), static_cast<qsizetype>(found->second.size())};
}

} // namespace

RawCall::RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                 const std::multimap<std::string, std::string>& metadata,
                 std::optional<std::chrono::milliseconds> timeout)
{
    for (const auto& [key, value] : metadata)
        m_context.AddMetadata(key, value);
    if (timeout) m_context.set_deadline(std::chrono::system_clock::now() + *timeout);
    m_call = grpc::GenericStub(channel).PrepareCall(&m_context, method, &m_queue);
    m_open.insert(Start);
    m_call->StartCall(tag(Start));
    must(Start);
}

RawCall::~RawCall()
{
    m_context.TryCancel();
    m_queue.Shutdown();
    void* tagged = nullptr;
    bool ok = false;
    while (m_queue.Next(&tagged, &ok)) {
    }
}

std::optional<bool> RawCall::wait(Step step, std::chrono::milliseconds limit)
{
    const auto end = std::chrono::system_clock::now() + limit;
    while (true) {
        if (const auto ready = m_ready.find(step); ready != m_ready.end()) {
            const bool ok = ready->second;
            m_ready.erase(ready);
            m_open.erase(step);
            return ok;
        }
        void* tagged = nullptr;
        bool ok = false;
        if (m_queue.AsyncNext(&tagged, &ok, end) != grpc::CompletionQueue::GOT_EVENT) return std::nullopt;
        m_ready[static_cast<int>(reinterpret_cast<intptr_t>(tagged))] = ok;
    }
}

bool RawCall::must(Step step)
{
    const auto ok = wait(step, kStepLimit);
    if (!ok) qFatal("a step of the call (%d) did not end in time", step);
    return *ok;
}

bool RawCall::write(const std::string& message)
{
    if (!m_open.contains(Write)) {
        const grpc::Slice slice(message);
        m_open.insert(Write);
        m_call->Write(grpc::ByteBuffer(&slice, 1), tag(Write));
    }
    return must(Write);
}

bool RawCall::tryWrite(const std::string& message, std::chrono::milliseconds limit)
{
    const grpc::Slice slice(message);
    m_open.insert(Write);
    m_call->Write(grpc::ByteBuffer(&slice, 1), tag(Write));
    return wait(Write, limit).value_or(false);
}

std::optional<std::string> RawCall::read()
{
    m_message.Clear();
    m_open.insert(Read);
    m_call->Read(&m_message, tag(Read));
    if (!must(Read)) return std::nullopt;
    grpc::Slice slice;
    if (!m_message.DumpToSingleSlice(&slice).ok()) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(slice.begin()), slice.size());
}

bool RawCall::readHeaders()
{
    m_open.insert(Headers);
    m_call->ReadInitialMetadata(tag(Headers));
    return must(Headers);
}

void RawCall::writesDone()
{
    m_open.insert(Done);
    m_call->WritesDone(tag(Done));
    must(Done);
}

grpc::Status RawCall::finish()
{
    grpc::Status status;
    m_open.insert(Finish);
    m_call->Finish(&status, tag(Finish));
    must(Finish);
    return status;
}

QString RawCall::reason() const
{
    return QString::fromUtf8(trailer("x-cocoonbox-reason"));
}

QByteArray RawCall::trailer(const char* name) const
{
    return valueOf(m_context.GetServerTrailingMetadata(), name);
}

QByteArray RawCall::header(const char* name) const
{
    return valueOf(m_context.GetServerInitialMetadata(), name);
}

} // namespace cocoonbox::testing
