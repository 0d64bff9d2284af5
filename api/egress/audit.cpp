// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/audit.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <QDateTime>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLoggingCategory>
#include <QTimeZone>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

namespace {

Q_LOGGING_CATEGORY(auditLog, "cocoonbox.api.egress.audit", QtInfoMsg)

QJsonObject objectOf(const AuditEntry& entry, quint64 number, qint64 nowMs)
{
    QJsonObject object{
        {u"time"_s, QDateTime::fromMSecsSinceEpoch(nowMs, QTimeZone::UTC).toString(Qt::ISODateWithMs)},
        {u"number"_s, static_cast<qint64>(number)},
        {u"box"_s, entry.boxId},
        {u"user"_s, entry.userId},
        {u"host"_s, QString::fromLatin1(entry.host)},
        {u"port"_s, entry.port},
        {u"method"_s, QString::fromLatin1(entry.method)},
    };
    return object;
}

QByteArray lineOf(const QJsonObject& object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

} // namespace

Audit::Audit(QString path, const Clock& clock, qint64 fileBytesMax)
    : m_path(std::move(path)), m_clock(clock), m_fileBytesMax(fileBytesMax)
{
}

Result<std::unique_ptr<Audit>> Audit::open(const QString& directory, const Clock& clock, qint64 fileBytesMax)
{
    std::unique_ptr<Audit> audit(new Audit(directory + u"/egress.jsonl"_s, clock, fileBytesMax));
    TRY_VOID(audit->openFile());
    return audit;
}

Result<void> Audit::openFile()
{
    m_file = net::UniqueFd(
        ::open(QFile::encodeName(m_path).constData(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct stat status{};
    if (!m_file.isValid() || ::fstat(m_file.get(), &status) != 0)
        return fail(ErrorCode::FailedPrecondition,
                    u"The record of what boxes reach cannot be written: %1: %2."_s.arg(
                        m_path, QString::fromLocal8Bit(std::strerror(errno))),
                    u"AUDIT_UNWRITABLE"_s);
    m_fileBytes = status.st_size;
    return {};
}

quint64 Audit::record(const AuditEntry& entry)
{
    const quint64 number = m_nextNumber++;
    QJsonObject object = objectOf(entry, number, m_clock.nowMs());
    object.insert(u"decision"_s, entry.isAllowed ? u"allow"_s : u"deny"_s);
    if (!entry.rule.isEmpty()) object.insert(u"rule"_s, entry.rule);
    if (!entry.reason.isEmpty()) object.insert(u"reason"_s, entry.reason);
    if (!entry.address.isEmpty()) {
        object.insert(u"address"_s, entry.address);
        object.insert(u"name_ms"_s, static_cast<qint64>(entry.nameTime.count()));
        object.insert(u"connect_ms"_s, static_cast<qint64>(entry.connectTime.count()));
    }
    write(lineOf(object));
    return number;
}

void Audit::recordEnd(quint64 number, const AuditEntry& entry, quint64 sent, quint64 received)
{
    QJsonObject object = objectOf(entry, number, m_clock.nowMs());
    object.insert(u"decision"_s, u"end"_s);
    object.insert(u"sent_bytes"_s, static_cast<qint64>(sent));
    object.insert(u"received_bytes"_s, static_cast<qint64>(received));
    write(lineOf(object));
}

void Audit::write(const QByteArray& line)
{
    if (m_fileBytes + line.size() > m_fileBytesMax) turnOver();
    const ssize_t written = ::write(m_file.get(), line.constData(), static_cast<size_t>(line.size()));
    if (written == line.size()) {
        m_fileBytes += line.size();
        if (m_lost == 0) return;
        qCWarning(auditLog) << "Egress is on record again;" << std::exchange(m_lost, 0) << "lines were lost.";
        return;
    }
    const QString why = written < 0 ? QString::fromLocal8Bit(std::strerror(errno)) : u"the disk is full"_s;
    // A line that was cut would make the next one unreadable, too.
    if (written > 0) (void)::ftruncate(m_file.get(), m_fileBytes);
    if (m_lost++ == 0)
        qCCritical(auditLog).noquote() << "What boxes reach is not on record now:" << why << "- make room for"
                                       << m_path;
}

void Audit::turnOver()
{
    const auto nameOf = [this](int age) { return QFile::encodeName(m_path + u'.' + QString::number(age)); };
    for (int age = kFilesKept; age > 1; --age)
        (void)::rename(nameOf(age - 1).constData(), nameOf(age).constData());
    if (::rename(QFile::encodeName(m_path).constData(), nameOf(1).constData()) != 0) return;
    if (const auto opened = openFile(); !opened) qCCritical(auditLog).noquote() << opened.error().message;
}

} // namespace cocoonbox::api::egress
