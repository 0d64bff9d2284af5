// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/podman_answers.h"

#include "api/machines/box_directories.h"

#include <algorithm>
#include <array>
#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>

namespace cocoonbox::api::machines {

namespace {

struct Symptom {
    const char* text; // in podman's stderr, compared without case
    ErrorCode code;
    const char* reason;
    const char* advice;
};

// The first that fits wins, so the narrow ones come first.
constexpr std::array kSymptoms = {
    Symptom{"no space left on device", ErrorCode::ResourceExhausted, "DISK_FULL",
            "the disk of the host is full. Free some space and try again."},
    Symptom{"disk quota exceeded", ErrorCode::ResourceExhausted, "DISK_FULL",
            "the disk quota of the host is used up. Free some space and try again."},
    Symptom{"image not known", ErrorCode::FailedPrecondition, "IMAGE_MISSING",
            "the box's image is not in podman's store. Build it with image/build.sh."},
    Symptom{"no such image", ErrorCode::FailedPrecondition, "IMAGE_MISSING",
            "the box's image is not in podman's store. Build it with image/build.sh."},
    Symptom{"no container with name or id", ErrorCode::NotFound, "MACHINE_UNKNOWN",
            "podman does not have the box's machine any more. Ensure the box again."},
    Symptom{"no such container", ErrorCode::NotFound, "MACHINE_UNKNOWN",
            "podman does not have the box's machine any more. Ensure the box again."},
    Symptom{"is already in use", ErrorCode::AlreadyExists, "MACHINE_NAME_TAKEN",
            "podman has a container of that name that is not ours. Remove it, or give the api its own podman root."},
    Symptom{"newuidmap", ErrorCode::FailedPrecondition, "ROOTLESS_UNPREPARED",
            "this account may not map user ids. Install uidmap and give it a range in /etc/subuid and /etc/subgid."},
    Symptom{"cannot find uid/gid for user", ErrorCode::FailedPrecondition, "ROOTLESS_UNPREPARED",
            "this account may not map user ids. Install uidmap and give it a range in /etc/subuid and /etc/subgid."},
    Symptom{"cannot allocate memory", ErrorCode::ResourceExhausted, "HOST_MEMORY_FULL",
            "the host is out of memory. Hibernate another box and try again."},
    Symptom{"statfs", ErrorCode::FailedPrecondition, "DATA_DIR_UNUSABLE",
            "the box's directories on the host are gone. Delete the box, or restore its data directory."},
    Symptom{"oci runtime", ErrorCode::FailedPrecondition, "RUNTIME_REFUSED",
            "the OCI runtime refused to start it. The api's log has its words; try the other runtime (runc or crun)."},
};

constexpr qsizetype kDetailChars = 2048;

QString exitReason(const QJsonObject& state)
{
    if (state.value(QStringLiteral("OOMKilled")).toBool())
        return QStringLiteral("The box ran out of memory and was ended. Wake it again, or give it a larger flavor.");
    const int code = state.value(QStringLiteral("ExitCode")).toInt();
    if (code > 128)
        return QStringLiteral("The box was ended by signal %1. Wake it again; its disk is kept.").arg(code - 128);
    return QStringLiteral("The box ended by itself with exit code %1. Wake it again; its disk is kept.").arg(code);
}

// A container that was never started, or was stopped by a call, is Stopped. "stopping" is what a stop that was cut
// short leaves behind: its programs still run.
MachineState stateOf(const QJsonObject& state)
{
    const QString status = state.value(QStringLiteral("Status")).toString();
    if (status == u"running" || status == u"paused" || status == u"stopping") return MachineState::Running;
    const bool ended = status == u"exited" || status == u"stopped";
    return ended && !state.value(QStringLiteral("StoppedByUser")).toBool() ? MachineState::Failed
                                                                           : MachineState::Stopped;
}

std::unexpected<Error> unreadable(const QByteArray& line)
{
    Error error{ErrorCode::Internal,
                QStringLiteral("podman's list of machines cannot be read. Is podman 5 or newer installed?"),
                QStringLiteral("PODMAN_UNREADABLE"), QString::fromUtf8(line.left(kDetailChars)),
                std::source_location::current()};
    return std::unexpected(std::move(error));
}

Result<Container> readContainer(const QByteArray& line)
{
    const QJsonObject fields = QJsonDocument::fromJson(line).object();
    const QJsonObject labels = fields.value(QStringLiteral("labels")).toObject();
    const QJsonObject state = fields.value(QStringLiteral("state")).toObject();
    const QDateTime created =
        QDateTime::fromString(fields.value(QStringLiteral("created")).toString(), Qt::ISODateWithMs);
    Container container;
    Machine& machine = container.machine;
    machine.id = fields.value(QStringLiteral("id")).toString();
    machine.boxId = labels.value(QStringLiteral("cocoonbox.box")).toString();
    machine.flavor = labels.value(QStringLiteral("cocoonbox.flavor")).toString();
    machine.image = fields.value(QStringLiteral("image")).toString();
    if (!isContainerId(machine.id) || !checkBoxId(machine.boxId) || state.isEmpty() || !created.isValid())
        return unreadable(line);
    machine.createdAtMs = created.toMSecsSinceEpoch();
    machine.state = stateOf(state);
    if (machine.state == MachineState::Failed) machine.reason = exitReason(state);
    if (machine.state == MachineState::Running) container.pid = state.value(QStringLiteral("Pid")).toInteger();
    return container;
}

} // namespace

bool isContainerId(const QString& text)
{
    return text.size() == 64 &&
           std::ranges::all_of(text, [](QChar c) { return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f'); });
}

Result<QList<Container>> readContainers(const QByteArray& lines)
{
    QList<Container> containers;
    for (const QByteArray& line : lines.split('\n')) {
        if (line.trimmed().isEmpty()) continue;
        TRY_ASSIGN(Container container, readContainer(line));
        containers.append(std::move(container));
    }
    return containers;
}

Result<void> checkPodman(const process::ProcessResult& result, const QString& doing)
{
    if (result.exitCode == 0) return {};
    const QString said = QString::fromUtf8(result.errorOutput).trimmed().right(kDetailChars);
    for (const Symptom& symptom : kSymptoms)
        if (said.contains(QLatin1StringView(symptom.text), Qt::CaseInsensitive))
            return std::unexpected(Error{symptom.code, doing + QStringLiteral(": ") + QLatin1StringView(symptom.advice),
                                         QLatin1StringView(symptom.reason), said, std::source_location::current()});
    return std::unexpected(Error{
        ErrorCode::Internal,
        doing + QStringLiteral(": podman failed with exit code %1. The api's log has its words.").arg(result.exitCode),
        QStringLiteral("PODMAN_FAILED"), said, std::source_location::current()});
}

Error podmanFailure(Error error, const QString& doing)
{
    if (error.reason == u"PROGRAM_NOT_FOUND")
        return {ErrorCode::FailedPrecondition,
                doing + QStringLiteral(": podman is not installed on this host. Install the package podman."),
                QStringLiteral("PODMAN_MISSING"), error.message + u' ' + error.detail, error.where};
    if (error.code == ErrorCode::DeadlineExceeded)
        return {ErrorCode::DeadlineExceeded,
                doing + QStringLiteral(": podman did not answer within %1 s. Is the host very busy? Try again.")
                            .arg(kCallDeadline.count()),
                QStringLiteral("MACHINE_TIMEOUT"), error.message, error.where};
    return std::move(error).withContext(doing);
}

} // namespace cocoonbox::api::machines
