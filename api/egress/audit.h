// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/net/unique_fd.h"

#include <chrono>
#include <QByteArray>
#include <QString>

namespace cocoonbox::api::egress {

// One decision about one connection or request of a box, and what came of it.
struct AuditEntry {
    QString boxId;
    QString userId;
    QByteArray host;   // as asked for
    int port = 0;      // 0: it could not be told
    QByteArray method; // of HTTP, "CONNECT" or "SOCKS5"
    bool isAllowed = false;
    QString rule;    // that allowed it
    QString reason;  // why not, or why an allowed one failed
    QString address; // that was dialled
    std::chrono::milliseconds nameTime{};
    std::chrono::milliseconds connectTime{};
};

// egress.jsonl in the data directory, 0600: a line of JSON for each decision, written before the box hears of it, and a
// second one ("end", with the bytes both ways) when an allowed connection is over. No path, query, header or body.
// Turned over at kFileBytesMax; kFilesKept older files stay (egress.jsonl.1 is the newest). When the disk is full the
// connections go on; the log tells once, and how many lines were lost once lines can be written again.
class Audit final {
public:
    static constexpr qint64 kFileBytesMax = 32 * 1024 * 1024;
    static constexpr int kFilesKept = 4;

    // FailedPrecondition: AUDIT_UNWRITABLE.
    static Result<std::unique_ptr<Audit>> open(const QString& directory, const Clock& clock,
                                               qint64 fileBytesMax = kFileBytesMax);

    // The number by which its end refers to it.
    quint64 record(const AuditEntry& entry);
    // `sent` went from the box to the destination, `received` came back.
    void recordEnd(quint64 number, const AuditEntry& entry, quint64 sent, quint64 received);

private:
    Audit(QString path, const Clock& clock, qint64 fileBytesMax);
    Result<void> openFile();
    void write(const QByteArray& line);
    void turnOver();

    QString m_path;
    const Clock& m_clock;
    qint64 m_fileBytesMax;
    net::UniqueFd m_file;
    qint64 m_fileBytes = 0;
    quint64 m_nextNumber = 1;
    quint64 m_lost = 0;
};

} // namespace cocoonbox::api::egress
