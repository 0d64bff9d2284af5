// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// The words that serve and toolhost exchange over tools.sock. Private to one release of the one binary: both sides say
// their version first, and a side that meets another version, a broken frame or a word out of place hangs up.
//
//   serve                         toolhost
//   Hello{version}            ->
//                             <-  Hello{version}
//   CallStart                 ->                        at most kCallsMax at once
//                             <-  CallOutput*           text as it comes, at most kCallOutputBytesMax together; may be
//                             none
//   CallCancel                ->                        any time; the CallResult still comes
//                             <-  CallResult            exactly one, the last word of the call; holds the whole text
//   ExecStart                 ->                        at most kExecsMax at once
//                             <-  ExecCredit            so many more bytes of stdin may be sent
//   ExecStdin, ExecResize, ExecSignal, ExecCredit, ExecHangUp ->
//                             <-  ExecOutput*
//                             <-  ExecExit              exactly one, the last word of the program, after ExecHangUp too
//
// Each way of a program starts with kExecWindowBytes of credit; a side that sends beyond its credit breaks the
// protocol. Ids are chosen by serve, are above 0 and are never used again on a connection. A word about an id that has
// ended is dropped in silence (it crossed the end on its way).

#include "common/base/result.h"

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>
#include <variant>

namespace cocoonbox::agent::toolhost::port {

inline constexpr int kVersion = 2;
inline constexpr qsizetype kFrameBytesMax = 1024 * 1024; // the CBOR of one frame
inline constexpr qsizetype kArgumentBytesMax = 64 * 1024;
inline constexpr qsizetype kResultBytesMax = 64 * 1024;     // UTF-8, with the notice of a cut
inline constexpr qsizetype kCallOutputBytesMax = 64 * 1024; // of all CallOutput of one call
inline constexpr qsizetype kExecChunkBytesMax = 64 * 1024;
inline constexpr qsizetype kExecWindowBytes = 256 * 1024;
inline constexpr int kCallsMax = 64;
inline constexpr int kExecsMax = 32;
inline constexpr qint64 kTimeoutMsMax = 60 * 60 * 1000;

struct Hello {
    int version = kVersion;
    bool operator==(const Hello&) const = default;
};

struct CallStart {
    quint64 id = 0;
    QString tool;         // a name of `toolTable()`
    QByteArray arguments; // a JSON object, at most kArgumentBytesMax
    qint64 timeoutMs = 0; // 1 to kTimeoutMsMax; toolhost ends the call then and says so in its result
    QString scope;        // the agent that calls: each has its own shells
    bool operator==(const CallStart&) const = default;
};
struct CallOutput {
    quint64 id = 0;
    QString text;
    bool operator==(const CallOutput&) const = default;
};
struct CallResult {
    quint64 id = 0;
    QString text; // for the model; a failure says what happened and what to do
    bool isError = false;
    bool operator==(const CallResult&) const = default;
};
struct CallCancel {
    quint64 id = 0;
    bool operator==(const CallCancel&) const = default;
};

struct ExecStart {
    quint64 id = 0;
    QStringList argv; // empty: a login shell
    QString cwd;      // empty: the workspace
    QMap<QString, QString> env;
    bool tty = false;
    int rows = 0; // 0: 24 by 80
    int columns = 0;
    bool loginShell = false; // through `bash -lc`
    bool own = false;        // argv are words for toolhost's own program (own_program.h)
    bool operator==(const ExecStart&) const = default;
};
struct ExecStdin {
    quint64 id = 0;
    QByteArray bytes;    // at most kExecChunkBytesMax; may be empty
    bool closed = false; // no more after this
    bool operator==(const ExecStdin&) const = default;
};
struct ExecResize {
    quint64 id = 0;
    int rows = 0;
    int columns = 0;
    bool operator==(const ExecResize&) const = default;
};
struct ExecSignal {
    quint64 id = 0;
    int number = 0; // 1 to 31, to the program's group
    bool operator==(const ExecSignal&) const = default;
};
// The client is gone: SIGHUP to the program's group, SIGKILL after 2 s.
struct ExecHangUp {
    quint64 id = 0;
    bool operator==(const ExecHangUp&) const = default;
};
// The receiver of a program's bytes has handed on `bytes` of them.
struct ExecCredit {
    quint64 id = 0;
    qint64 bytes = 0;
    bool operator==(const ExecCredit&) const = default;
};
struct ExecOutput {
    quint64 id = 0;
    QByteArray bytes; // at most kExecChunkBytesMax
    bool isStderr = false;
    bool operator==(const ExecOutput&) const = default;
};
struct ExecExit {
    quint64 id = 0;
    int exitCode = 0; // 128 + signal when a signal ended it; 127 when it could not be started
    int signalNumber = 0;
    QString failure; // why it could not be started
    bool operator==(const ExecExit&) const = default;
};

using Message = std::variant<Hello, CallStart, CallOutput, CallResult, CallCancel, ExecStart, ExecStdin, ExecResize,
                             ExecSignal, ExecHangUp, ExecCredit, ExecOutput, ExecExit>;

// One whole frame: length (u32, little endian) and CBOR. ResourceExhausted: FRAME_TOO_LARGE.
Result<QByteArray> encodeFrame(const Message& message);
// The message in one frame's CBOR. InvalidArgument: FRAME_BROKEN for anything that `encodeFrame` would not have made
// within the bounds above.
Result<Message> decodeMessage(const QByteArray& cbor);

// Takes frames out of a byte stream. Holds at most one frame beyond what it was just given.
class FrameReader {
public:
    // The messages completed by `bytes`. After an error the stream is of no more use.
    Result<QList<Message>> feed(const QByteArray& bytes);

private:
    QByteArray m_pending;
};

// Cuts `text` to kResultBytesMax of UTF-8, between characters, and says so at the cut.
QString boundedResult(const QString& text);

} // namespace cocoonbox::agent::toolhost::port
