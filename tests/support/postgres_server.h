// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QProcess>
#include <QTemporaryDir>

namespace cocoonbox::testing {

// A real PostgreSQL of its own, in a temporary folder and on a unix socket there; gone with this object. It refuses to
// run as root, so as root it runs as `postgres`.
class PostgresServer final {
public:
    PostgresServer();
    ~PostgresServer();

    // Empty once it runs; otherwise what went wrong.
    QString problem() const { return m_problem; }
    // Makes an empty database and answers its URL for sql::DatabaseOptions.
    QString newDatabase();
    // As a crash of the machine would: every process of the server is killed, then it starts again.
    void crashAndRestart();

private:
    QStringList runAsServerUser(const QStringList& command) const;
    bool run(const QStringList& command, const QString& doing);
    void start();
    void stop(const char* how);

    QTemporaryDir m_dir;
    QString m_bin;
    QString m_problem;
    QProcess m_server;
    int m_databases = 0;
};

} // namespace cocoonbox::testing
