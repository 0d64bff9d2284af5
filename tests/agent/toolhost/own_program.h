// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/port/own_program.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>

// Runs toolhost's own program as toolhost would, in a workspace of the test's.
namespace cocoonbox::testing {

class OwnProgram : public QProcess {
public:
    OwnProgram(const QString& workspace, const QStringList& words, const QString& display = {})
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        if (!display.isEmpty()) environment.insert("DISPLAY", display);
        setProcessEnvironment(environment);
        setWorkingDirectory(workspace);
        start(COCOONBOX_BINARY_DIR "/bin/cocoonbox-agent-light", words);
        if (!waitForStarted()) qFatal("cocoonbox-agent-light does not start");
    }
    ~OwnProgram() override
    {
        kill();
        waitForFinished();
    }
    void say(const QByteArray& content)
    {
        for (qsizetype at = 0; at < content.size(); at += agent::toolhost::port::kInputFrameBytesMax)
            write(agent::toolhost::port::inputFrame(
                content.sliced(at).first(std::min(agent::toolhost::port::kInputFrameBytesMax, content.size() - at))));
    }
    void complete() { write(agent::toolhost::port::inputFrame({})); }
    // Empty when it went well, else the reason.
    QString end(int ms = 20'000)
    {
        closeWriteChannel();
        if (!waitForFinished(ms)) return QStringLiteral("it does not end");
        output = readAllStandardOutput();
        if (exitStatus() == NormalExit && exitCode() == 0) return {};
        return agent::toolhost::port::failureFrom(readAllStandardError(), exitCode()).reason;
    }
    QJsonObject lastLine() const
    {
        const QByteArray line = output.trimmed();
        return QJsonDocument::fromJson(line.sliced(line.lastIndexOf('\n') + 1)).object();
    }

    QByteArray output;
};

} // namespace cocoonbox::testing
