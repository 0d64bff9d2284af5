// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/desktop_words.h"

#include "agent/toolhost/desktop/desktop_state.h"
#include "agent/toolhost/desktop/screen_fit.h"
#include "agent/toolhost/desktop/selection_owner.h"
#include "agent/toolhost/desktop/selection_reader.h"
#include "agent/toolhost/desktop/text_input.h"
#include "agent/toolhost/own/own_io.h"
#include "agent/toolhost/port/own_program.h"

#include <csignal>
#include <fcntl.h>
#include <QJsonArray>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

constexpr qsizetype kInputBytesMax = 64 * 1024;
constexpr auto kReadMax = 5s;
constexpr auto kIdleStep = 30s;

// Gives the clipboard's content out until another program owns it, as a child that outlives this program and all that
// started it. The parent goes on when the content can be had.
Result<void> ownInBackground(const Targets& content, int exitCode = 0)
{
    TRY_ASSIGN(const std::unique_ptr<XSession> session, XSession::open());
    SelectionOwner owner(*session, content);
    TRY_VOID(owner.take("CLIPBOARD"));
    (void)::signal(SIGHUP, SIG_IGN); // what is left of our group is hung up when we end
    const pid_t child = ::fork();
    if (child < 0)
        return fail(ErrorCode::ResourceExhausted, u"The box can start no more programs. End some first."_s,
                    u"PROGRAM_NOT_STARTED"_s);
    if (child > 0) ::_exit(exitCode); // without closing the connection that the child has now
    (void)::setsid();
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        (void)::dup2(nowhere, fd);
    while (owner.isOwner()) {
        const Result<Event> event = session->next(Clock::now() + kIdleStep);
        if (!event) break;
        if (*event)
            owner.handle(**event);
        else
            owner.dropStale();
    }
    ::_exit(0);
}

Result<void> type(const QString& words, TextInput::Lines lines)
{
    TRY_ASSIGN(const std::unique_ptr<XSession> session, XSession::open());
    TextInput::endOnHangUp();
    TextInput text(*session);
    text.onTaken = [] { own::writeLine(STDOUT_FILENO, {{u"taken"_s, true}}); };
    const Result<void> inserted = text.insert(words, lines);
    const std::optional<Targets> former = text.takeRestored();
    if (!former || former->isEmpty()) return inserted;
    if (!inserted) own::writeAll(STDERR_FILENO, port::failureLine(inserted.error()));
    return ownInBackground(*former, inserted ? 0 : 1);
}

Result<void> typeInput()
{
    own::FramedInput input(STDIN_FILENO);
    TRY_ASSIGN(const QByteArray utf8, input.whole(kInputBytesMax, u"TEXT_TOO_LONG"_s));
    return type(QString::fromUtf8(utf8), TextInput::Lines::AsText);
}

Targets targetsFor(const QByteArray& type, const QByteArray& content)
{
    if (!type.startsWith("text/plain")) return {{type, content}};
    Targets targets{{"UTF8_STRING", content}, {"text/plain;charset=utf-8", content}, {"text/plain", content}};
    const QString text = QString::fromUtf8(content);
    // Programs that know nothing newer ask for this; what it cannot hold is not offered in it.
    if (std::ranges::all_of(text, [](QChar c) { return c.unicode() <= 0xff; }))
        targets.insert("STRING", text.toLatin1());
    return targets;
}

Result<void> copy(const QByteArray& type)
{
    own::FramedInput input(STDIN_FILENO);
    TRY_ASSIGN(const QByteArray content, input.whole(bytesMaxOf(type), u"CLIPBOARD_TOO_LARGE"_s));
    return ownInBackground(targetsFor(type, content));
}

// The first target under which the owner gives the type.
Result<QByteArray> targetOf(const QList<QByteArray>& there, const QByteArray& type)
{
    for (const QByteArray& target : targetsOf(type))
        if (there.contains(target)) return target;
    return fail(ErrorCode::NotFound,
                u"The clipboard holds no %1; it holds %2."_s.arg(
                    QString::fromLatin1(type), QString::fromLatin1(QByteArrayList(knownTypes(there)).join(", "))),
                u"CLIPBOARD_TYPE_MISSING"_s);
}

Result<void> paste(QByteArray type)
{
    const Deadline deadline = Clock::now() + kReadMax;
    TRY_ASSIGN(const std::unique_ptr<XSession> session, XSession::open());
    SelectionReader reader(*session, "CLIPBOARD");
    TRY_ASSIGN(const QList<QByteArray> there, reader.targets(deadline));
    const QList<QByteArray> known = knownTypes(there);
    if (known.isEmpty())
        return fail(ErrorCode::NotFound, u"The box's clipboard is empty, or holds nothing that can be moved."_s,
                    u"CLIPBOARD_EMPTY"_s);
    if (type.isEmpty()) type = known.first();
    TRY_ASSIGN(const QByteArray target, targetOf(there, type));
    TRY_ASSIGN(const QByteArray content, reader.read(target, bytesMaxOf(type), Clock::now() + kReadMax));
    own::writeLine(STDOUT_FILENO, {{u"type"_s, QString::fromLatin1(type)}, {u"size"_s, content.size()}});
    own::writeAll(STDOUT_FILENO, content);
    return {};
}

} // namespace

Result<void> runDesktop(const QStringList& words)
{
    const QString word = words.value(0);
    if (word == "type"_L1) return typeInput();
    if (word == "type-keys"_L1) return type(words.value(1), TextInput::Lines::AsKeys);
    if (word == "copy"_L1) return copy(words.value(1).toLatin1());
    if (word == "paste"_L1) return paste(words.value(1).toLatin1());
    if (word == "watch"_L1) return watchClipboard(STDOUT_FILENO);
    if (word == "fit"_L1) return fitOutput();
    if (word == "state"_L1) return tellState(STDOUT_FILENO);
    return fail(ErrorCode::InvalidArgument, u"There is no word \"%1\" of the desktop."_s.arg(word), u"USAGE"_s);
}

} // namespace cocoonbox::agent::toolhost::desktop
