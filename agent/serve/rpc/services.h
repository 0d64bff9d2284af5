// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <chrono>
#include <memory>
#include <QString>

namespace grpc {
class Service;
}
namespace cocoonbox::agent::serve {

namespace loop {
class Turns;
}
namespace desktop {
class TextChannel;
}
namespace session {
class Baton;
class ClipboardBoard;
class DraftBoard;
class Gate;
} // namespace session
namespace tools {
class ToolhostClient;
}
namespace transcript {
class Transcript;
}

// The box's gRPC services. Each call is let in by the gate first. What is passed in outlives the services.
namespace rpc {

struct SessionParts {
    session::Gate& gate;
    transcript::Transcript& transcript;
    session::DraftBoard& drafts;
    session::Baton& baton;
    session::ClipboardBoard& clipboard;
    desktop::TextChannel& text;
    tools::ToolhostClient& toolhost;
    qint64 startedAtMs = 0;
    // A viewer that takes nothing for this long, with kEventsBehind durable events waiting, is sent away.
    std::chrono::milliseconds slowViewerLimit = std::chrono::seconds(30);
};
inline constexpr qint64 kEventsBehind = 1024;

std::unique_ptr<grpc::Service> makeAgentsService(session::Gate& gate, transcript::Transcript& transcript,
                                                 loop::Turns& turns);
std::unique_ptr<grpc::Service> makeSessionService(SessionParts parts);
std::unique_ptr<grpc::Service> makeExecService(session::Gate& gate, tools::ToolhostClient& toolhost);
std::unique_ptr<grpc::Service> makeFilesService(session::Gate& gate, tools::ToolhostClient& toolhost);

} // namespace rpc
} // namespace cocoonbox::agent::serve
