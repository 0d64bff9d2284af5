// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/retry_pause.h"
#include "app/client/transcript.h"
#include "app/rfb/byte_stream.h"
#include "common/async/task_scope.h"

#include <deque>
#include <functional>
#include <memory>
#include <QHash>
#include <QIODevice>
#include <QObject>

namespace cocoonbox::app::client {

class ApiClient;
class Connection;
class ExecChannel;
struct ClientName;

enum class SessionState {
    Idle,
    Connecting, // trying, or trying again by itself
    Connected,  // events flow
    Asleep,     // the box is hibernated: nothing is tried until the api says otherwise or `retryNow`
    Ended,      // signed out, or there is no such box: `message` says which
};

// What happens in one box, kept up to date over restarts of the api, the box and the agent. Domain thread.
//
// Invariants: an event is applied once (the offset is remembered), entries of a transcript are unique by seq and in
// order, a draft is either the agent's whole text so far or empty. When the box's history went back (a restored
// disk), everything is read again. Only open transcripts are kept, each at most kTranscriptEntriesMax entries.
class BoxSession final : public QObject {
    Q_OBJECT
public:
    BoxSession(ApiClient& client, std::shared_ptr<Connection> connection, QString boxId, ClientName name);
    ~BoxSession() override;

    QString boxId() const { return m_boxId; }

    // Connects and follows the box's events from now on. The calls below work without it (the CLI's way).
    void start();
    void retryNow();

    SessionState state() const { return m_state; }
    QString message() const { return m_message; }          // a sentence for people; empty when connected
    const Error& lastError() const { return m_lastError; } // why it is not connected, for programs
    const Hello& hello() const { return m_hello; }
    const QList<Agent>& agents() const { return m_agents; } // newest change first
    const Agent* findAgent(const QString& agentId) const;
    const Baton& baton() const { return m_baton; }
    bool holdsScreen() const { return m_holding; }
    // What the box's clipboard can be read as now, the richest first; empty: nothing.
    const QList<ClipboardKind>& clipboardKinds() const { return m_clipboardKinds; }

    // Reads the agent's transcript and keeps it up to date from then on; `transcriptReset` says it is there.
    void openTranscript(const QString& agentId);
    void closeTranscript(const QString& agentId);
    const Transcript* transcript(const QString& agentId) const; // nullptr unless open

    Task<Hello> sayHello();
    Task<Agent> createAgent(QString title);
    Task<QList<Agent>> listAgents();
    // Sends once: repeated by itself with the same nonce while the box does not answer, for at most 10 s.
    Task<SendAccepted> send(QString agentId, QString prompt);
    Task<void> cancel(QString agentId);
    Task<void> respond(QString agentId, qint64 seq, QString answer);
    // Entries after `afterSeq`, at most `limit` (0: 200).
    struct Page {
        QList<Entry> entries;
        bool hasMore = false;
    };
    Task<Page> readTranscript(QString agentId, qint64 afterSeq, int limit = 0);

    // Holds the screen until `handBack`, or until it is lost (`screenLost`). BATON_HELD when another viewer holds it.
    Task<void> takeOver(QString label, bool steal = false);
    void handBack();

    // Inserts committed text where the box's keyboard focus is, exactly as given; while `holdsScreen` only. Calls that
    // overlap go one after another in their order, at most kTextsWaitingMax. FailedPrecondition: NOT_IN_CONTROL,
    // TEXT_NOT_TAKEN. ResourceExhausted: TEXT_BACKLOG. Others: session.proto.
    Task<void> inputText(QString text);
    // `type` empty: the richest there is. NotFound: CLIPBOARD_EMPTY, CLIPBOARD_TYPE_MISSING.
    Task<ClipboardContent> readClipboard(QString type = {});
    Task<void> writeClipboard(ClipboardContent content);

    // Bytes moved so far, and of all; -1 when that is not known.
    using Progress = std::function<void(qint64 moved, qint64 total)>;
    struct UploadSource {
        QString name;                    // of the file in the box
        QString folder;                  // empty: /workspace/Uploads
        std::shared_ptr<QIODevice> file; // open for reading
    };
    // Answers what the file is called in the box, once it is whole there. A cancelled one leaves nothing behind.
    // ResourceExhausted: DISK_FULL. Others: files.proto.
    Task<FileEntry> upload(UploadSource source, Progress progress = {}, std::stop_token stop = {});
    // Writes the file's bytes to `out`, which is open for writing; after an Error `out` holds a part of them.
    Task<FileEntry> download(QString path, std::shared_ptr<QIODevice> out, Progress progress = {},
                             std::stop_token stop = {});
    Task<FileList> listFiles(QString path = {}); // empty: /workspace

    std::unique_ptr<ExecChannel> exec(const ExecStart& start);
    // A new RFB byte stream; dials at once and reports a failure to its reader.
    std::shared_ptr<rfb::ByteStream> openScreen();

signals:
    void stateChanged();
    void agentsReset(); // read anew; agents() holds all
    void agentChanged(const cocoonbox::app::client::Agent& agent);
    void transcriptReset(const QString& agentId); // read anew; transcript() holds all
    void entryAdded(const QString& agentId, qsizetype index);
    void entryChanged(const QString& agentId, qsizetype index);
    void draftChanged(const QString& agentId);
    void transcriptFailed(const QString& agentId, const cocoonbox::Error& error);
    void batonChanged(const cocoonbox::app::client::Baton& baton);
    void screenLost(const QString& why); // it was held and is no longer, not by `handBack`
    void clipboardChanged();

private:
    static constexpr qsizetype kAgentsMax = 256; // a box has 64; more is a box that lies
    static constexpr size_t kTextsWaitingMax = 256;
    struct Incoming;
    struct Takeover;
    Task<void> sendText(QString text);
    Task<void> follow(std::stop_token stop);
    Task<void> followOnce(std::stop_token stop);
    Task<void> readSnapshot(std::stop_token stop);
    Task<void> loadTranscript(QString agentId, std::stop_token stop);
    Task<void> hold(std::shared_ptr<Takeover> takeover, QString label, bool steal);
    void loadOpenTranscripts();
    void apply(const Incoming& event);
    void applyAgent(const Agent& agent);
    void applyEntry(const Entry& entry, bool added);
    void applyDraft(const QString& agentId, const QString& turnId, qint64 position, const QString& text);
    void dropDrafts();
    void setState(SessionState state, const QString& message);
    void onBoxesChanged();

    ApiClient& m_client;
    std::shared_ptr<Connection> m_connection;
    QString m_boxId;
    QString m_clientName;
    QString m_clientVersion;

    SessionState m_state = SessionState::Idle;
    QString m_message;
    Error m_lastError;
    Hello m_hello;
    qint64 m_offset = -1; // of the last durable event applied; -1: nothing read yet
    QList<Agent> m_agents;
    struct Kept {
        Transcript transcript; // of a closed one only the draft, in case it is opened meanwhile
        bool open = false;
    };
    QHash<QString, Kept> m_transcripts;
    Baton m_baton;
    bool m_holding = false;
    std::shared_ptr<Takeover> m_takeover;
    QString m_takeoverId; // what the box knows our take-over by
    std::deque<Promise<bool>> m_textsWaiting;
    bool m_textOnItsWay = false;
    QList<ClipboardKind> m_clipboardKinds;
    QString m_boxSeen; // what the api last said of the box, to notice a change
    RetryPause m_pause;
    TaskScope m_scope;
};

} // namespace cocoonbox::app::client
