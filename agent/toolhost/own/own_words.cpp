// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/own/own_words.h"

#include "agent/toolhost/desktop/desktop_words.h"
#include "agent/toolhost/own/file_words.h"
#include "agent/toolhost/own/own_io.h"
#include "agent/toolhost/port/own_program.h"

#include <csignal>
#include <QDir>
#include <QJsonDocument>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::own {

namespace {

Result<void> put(const QStringList& words, const QString& workspace)
{
    TRY_ASSIGN(const QString folder, absolutePath(workspace, words.value(3).isEmpty() ? u"Uploads"_s : words.value(3)));
    FramedInput input(STDIN_FILENO);
    const Receiving receiving{words.value(2), folder, words.value(4).toLongLong(),
                              [](qint64 stored) { writeAll(STDOUT_FILENO, QByteArray::number(stored) + '\n'); }};
    TRY_ASSIGN(const QJsonObject file, receiveFile(input, receiving));
    writeLine(STDOUT_FILENO, file);
    return {};
}

Result<void> get(const QString& path)
{
    TRY_ASSIGN(const OpenFile file, openFile(path));
    writeLine(STDOUT_FILENO, file.entry);
    return sendFile(file, STDOUT_FILENO);
}

Result<void> runFiles(const QStringList& words)
{
    const QString workspace = QDir::currentPath();
    const QString word = words.value(1);
    if (word == "put"_L1) return put(words, workspace);
    if (word == "since"_L1) {
        writeLine(STDOUT_FILENO, recentFiles(workspace, words.value(2).toLongLong()));
        return {};
    }
    TRY_ASSIGN(const QString path, absolutePath(workspace, words.value(2)));
    if (word == "get"_L1) return get(path);
    if (word != "list"_L1)
        return fail(ErrorCode::InvalidArgument, u"There is no word \"%1\" of files."_s.arg(word), u"USAGE"_s);
    TRY_ASSIGN(const QJsonObject list, listFolder(path));
    writeLine(STDOUT_FILENO, list);
    return {};
}

} // namespace

int runOwn(const QStringList& words)
{
    (void)std::signal(SIGPIPE, SIG_IGN); // a reader that is gone is an answer of write
    const Result<void> done = words.value(0) == "files"_L1 ? runFiles(words) : desktop::runDesktop(words.sliced(1));
    if (done) return 0;
    writeAll(STDERR_FILENO, port::failureLine(done.error()));
    return 1;
}

} // namespace cocoonbox::agent::toolhost::own
