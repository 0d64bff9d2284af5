// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/session/baton.h"
#include "agent/serve/tools/own_program.h"

namespace cocoonbox::agent::serve::desktop {

inline constexpr qsizetype kTextBytesMax = 64 * 1024;

// Committed text of the person that holds the screen, one after another into the box. Domain thread; outlived by what
// it is given.
class TextChannel final {
public:
    TextChannel(session::Baton& baton, tools::ToolhostClient& toolhost) : m_baton(baton), m_toolhost(toolhost) {}

    // Answers when the focused program has the text. InvalidArgument: TEXT_EMPTY, TEXT_TOO_LONG, TEXT_INVALID.
    // FailedPrecondition: NOT_IN_CONTROL, TEXT_NOT_TAKEN. ResourceExhausted: TEXT_BACKLOG. Others: session.proto.
    Task<void> insert(QString takeoverId, QString text, std::stop_token stop);

private:
    static constexpr qsizetype kWaitingMax = 256;
    // A turn of the channel; the next caller goes when it ends.
    class Turn {
    public:
        explicit Turn(TextChannel& channel) : m_channel(channel) {}
        ~Turn() { m_channel.passOn(); }
        Turn(const Turn&) = delete;

    private:
        TextChannel& m_channel;
    };
    using Ending = std::shared_ptr<Turn>;

    Task<Ending> takeTurn();
    void passOn();
    Task<void> send(QString text, Ending turn, std::stop_token stop);
    static QCoro::Task<void> awaitEnd(std::unique_ptr<tools::OwnProgram> program, Ending turn);

    session::Baton& m_baton;
    tools::ToolhostClient& m_toolhost;
    QList<Promise<bool>> m_waiting;
    bool m_isBusy = false;
};

} // namespace cocoonbox::agent::serve::desktop
