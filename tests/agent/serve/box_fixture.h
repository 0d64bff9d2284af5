// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/loop/turns.h"
#include "agent/serve/session/clipboard_board.h"
#include "agent/serve/tools/toolhost_client.h"
#include "agent/serve/wires/chat/chat_wire.h"
#include "common/base/ids.h"
#include "common/sql/database.h"
#include "tests/agent/serve/fake_model.h"
#include "tests/agent/serve/fake_toolhost.h"
#include "tests/agent/serve/waiting.h"

#include <QDir>
#include <QTemporaryDir>
#include <unistd.h>

namespace cocoonbox::test {

// The parts of serve over one database file, as System wires them; `restart` lets go of all but the file.
class BoxFixture {
public:
    using Turns = agent::serve::loop::Turns;
    using Entry = agent::serve::transcript::Entry;
    using EntryKind = agent::serve::transcript::EntryKind;
    using ToolState = agent::serve::transcript::ToolState;

    QTemporaryDir folder;
    FakeModel model;
    FakeToolhost toolhost;
    agent::serve::loop::LoopOptions options;
    SystemClock clock;
    std::unique_ptr<sql::Database> database;
    std::unique_ptr<agent::serve::transcript::Transcript> transcript;
    agent::serve::session::DraftBoard drafts;
    agent::serve::session::HandBacks handBacks;
    agent::serve::session::ClipboardBoard clipboard;
    std::unique_ptr<agent::serve::session::Baton> baton;
    std::unique_ptr<agent::serve::wires::chat::ChatWire> wire;
    std::unique_ptr<agent::serve::tools::ToolhostClient> tools;
    std::unique_ptr<Turns> turns;

    BoxFixture() : toolhost(folder.path())
    {
        options.retry.firstDelay = std::chrono::milliseconds(4);
        open();
    }
    ~BoxFixture() { close(); }

    void open()
    {
        using namespace agent::serve;
        database = take(sql::Database::open({.url = "sqlite:" + folder.path() + "/agent.db"}));
        transcript = std::make_unique<transcript::Transcript>(*database, clock);
        take(transcript->open());
        baton = std::make_unique<session::Baton>(clock);
        wires::chat::ChatWireOptions wireOptions;
        wireOptions.url = QUrl("http://models.cocoonbox.internal/v1/chat/completions");
        wireOptions.proxyAddress = "127.0.0.1";
        wireOptions.proxyPort = model.port();
        wire = std::make_unique<wires::chat::ChatWire>(wireOptions);
        tools::ToolhostOptions toolOptions;
        toolOptions.socketFolder = folder.path();
        toolOptions.uid = getuid();
        toolOptions.retryMin = std::chrono::milliseconds(20);
        toolOptions.patience = std::chrono::milliseconds(500);
        tools = std::make_unique<tools::ToolhostClient>(toolOptions);
        tools->start();
        turns = std::make_unique<Turns>(loop::LoopParts{*transcript, drafts, *baton, *tools, *wire, clock, handBacks},
                                        options);
    }
    void close()
    {
        turns->abandonAll(std::chrono::seconds(5));
        turns.reset();
        tools.reset();
        transcript.reset();
        database.reset();
    }

    QString newAgent() { return take(transcript->createAgent(randomHex128(), {})).agentId; }
    agent::serve::transcript::SentPrompt send(const QString& agentId, const QString& prompt)
    {
        return take(turns->send(agentId, prompt, randomHex128()));
    }
    bool isIdle(const QString& agentId)
    {
        return take(transcript->agent(agentId)).state == agent::serve::transcript::AgentState::Idle;
    }
    bool waitIdle(const QString& agentId, std::chrono::milliseconds limit = std::chrono::seconds(5))
    {
        QElapsedTimer timer;
        timer.start();
        while (!isIdle(agentId))
            if (timer.durationElapsed() > limit) return false;
        return true;
    }
    QList<Entry> entries(const QString& agentId) { return take(transcript->page(agentId, 0, 1000)).entries; }
    QList<EntryKind> kinds(const QString& agentId)
    {
        QList<EntryKind> kinds;
        for (const Entry& entry : entries(agentId))
            kinds.append(entry.kind);
        return kinds;
    }
    // The messages of the last request, without the system's.
    QJsonArray lastMessages() const
    {
        QJsonArray messages = model.requests.last().value("messages").toArray();
        messages.removeFirst();
        return messages;
    }
};

} // namespace cocoonbox::test
