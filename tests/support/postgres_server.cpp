// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/support/postgres_server.h"

#include <csignal>
#include <pwd.h>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QThread>
#include <unistd.h>

namespace cocoonbox::testing {

PostgresServer::PostgresServer() : m_dir(QStringLiteral("/tmp/cocoonbox-pg-XXXXXX"))
{
    const QDir versions(QStringLiteral("/usr/lib/postgresql"));
    const QStringList found = versions.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    if (found.isEmpty()) {
        m_problem = QStringLiteral("PostgreSQL is not installed: see set `test` of installers/packages.txt");
        return;
    }
    m_bin = versions.filePath(found.last()) + QStringLiteral("/bin/");
    if (::getuid() == 0) {
        const passwd* user = ::getpwnam("postgres");
        if (!user || ::chown(qPrintable(m_dir.path()), user->pw_uid, user->pw_gid) != 0) {
            m_problem = QStringLiteral("cannot give the folder to the user postgres");
            return;
        }
    }
    const QString cluster = m_dir.filePath(QStringLiteral("cluster"));
    if (run({m_bin + QStringLiteral("initdb"), QStringLiteral("-D"), cluster, QStringLiteral("-U"),
             QStringLiteral("postgres"), QStringLiteral("-A"), QStringLiteral("trust"), QStringLiteral("-E"),
             QStringLiteral("UTF8"), QStringLiteral("--no-sync")},
            QStringLiteral("initdb")))
        start();
}

PostgresServer::~PostgresServer()
{
    stop("immediate");
}

QStringList PostgresServer::runAsServerUser(const QStringList& command) const
{
    if (::getuid() != 0) return command;
    return QStringList{QStringLiteral("setpriv"), QStringLiteral("--reuid=postgres"),
                       QStringLiteral("--regid=postgres"), QStringLiteral("--clear-groups"), QStringLiteral("--")} +
           command;
}

bool PostgresServer::run(const QStringList& command, const QString& doing)
{
    const QStringList whole = runAsServerUser(command);
    QProcess process;
    process.setWorkingDirectory(m_dir.path());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(whole.first(), whole.mid(1));
    const bool ok = process.waitForFinished(60'000) && process.exitCode() == 0;
    if (!ok) m_problem = doing + QStringLiteral(": ") + QString::fromUtf8(process.readAll()) + process.errorString();
    return ok;
}

void PostgresServer::start()
{
    const QStringList whole = runAsServerUser(
        {m_bin + QStringLiteral("postgres"), QStringLiteral("-D"), m_dir.filePath(QStringLiteral("cluster")),
         QStringLiteral("-k"), m_dir.path(), QStringLiteral("-c"), QStringLiteral("listen_addresses=")});
    m_server.setWorkingDirectory(m_dir.path());
    m_server.setStandardErrorFile(m_dir.filePath(QStringLiteral("log")));
    m_server.start(whole.first(), whole.mid(1));
    QElapsedTimer elapsed;
    elapsed.start();
    while (elapsed.elapsed() < 30'000) {
        if (run({m_bin + QStringLiteral("pg_isready"), QStringLiteral("-q"), QStringLiteral("-h"), m_dir.path()},
                QStringLiteral("pg_isready"))) {
            m_problem.clear();
            return;
        }
        QThread::msleep(50);
    }
}

void PostgresServer::stop(const char* how)
{
    if (m_server.state() == QProcess::NotRunning) return;
    run({m_bin + QStringLiteral("pg_ctl"), QStringLiteral("stop"), QStringLiteral("-D"),
         m_dir.filePath(QStringLiteral("cluster")), QStringLiteral("-m"), QString::fromLatin1(how)},
        QStringLiteral("pg_ctl"));
    if (!m_server.waitForFinished(10'000)) m_server.kill();
    m_server.waitForFinished(10'000);
}

QString PostgresServer::newDatabase()
{
    const QString name = QStringLiteral("test%1").arg(++m_databases);
    run({m_bin + QStringLiteral("createdb"), QStringLiteral("-h"), m_dir.path(), QStringLiteral("-U"),
         QStringLiteral("postgres"), name},
        QStringLiteral("createdb"));
    return QStringLiteral("postgresql:///%1?host=%2&user=postgres").arg(name, m_dir.path());
}

void PostgresServer::crashAndRestart()
{
    stop("immediate");
    start();
}

} // namespace cocoonbox::testing
