// SPDX-License-Identifier: AGPL-3.0-only
// The record of what boxes reach: whole lines, turned over, private, and quiet about a full disk.
#include "api/egress/audit.h"

#include <csignal>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <sys/resource.h>

using namespace cocoonbox;
using api::egress::Audit;
using api::egress::AuditEntry;

class TestAudit : public QObject {
    Q_OBJECT
private slots:
    void writesOneLineForEach();
    void turnsOverAndKeepsSoMany();
    void goesOnInAFileThatIsThere();
    void refusesAFolderThatItCannotWrite();
    void saysOnceThatTheDiskIsFull();

private:
    static AuditEntry entry()
    {
        AuditEntry e;
        e.boxId = "box_1";
        e.userId = "usr_1";
        e.host = "example.com";
        e.port = 443;
        e.method = "CONNECT";
        return e;
    }
    static QByteArrayList lines(const QString& path)
    {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) return {};
        QByteArrayList list = file.readAll().split('\n');
        list.removeAll({});
        return list;
    }
    SystemClock m_clock;
};

void TestAudit::writesOneLineForEach()
{
    const QTemporaryDir dir;
    auto audit = *Audit::open(dir.path(), m_clock);
    AuditEntry allowed = entry();
    allowed.isAllowed = true;
    allowed.rule = "web";
    allowed.address = "1.1.1.1";
    const quint64 first = audit->record(allowed);
    audit->record(entry());
    audit->recordEnd(first, allowed, 1, 2);
    const QByteArrayList there = lines(dir.filePath("egress.jsonl"));
    QCOMPARE(there.size(), 3);
    for (const QByteArray& line : there)
        QVERIFY(QJsonDocument::fromJson(line).isObject());
    const QJsonObject object = QJsonDocument::fromJson(there.at(0)).object();
    QCOMPARE(object["decision"].toString(), "allow");
    QVERIFY(object.contains("connect_ms"));
    QVERIFY(QRegularExpression("^\\d{4}-\\d\\d-\\d\\dT.*Z$").match(object["time"].toString()).hasMatch());
    QCOMPARE(QJsonDocument::fromJson(there.at(1)).object()["decision"].toString(), "deny");
    QCOMPARE(QFile::permissions(dir.filePath("egress.jsonl")) & (QFile::ReadGroup | QFile::ReadOther),
             QFile::Permissions());
}

void TestAudit::turnsOverAndKeepsSoMany()
{
    const QTemporaryDir dir;
    auto audit = *Audit::open(dir.path(), m_clock, 1024);
    for (int i = 0; i < 100; ++i)
        audit->record(entry());
    QCOMPARE(QDir(dir.path()).entryList({"egress.jsonl*"}, QDir::Files).size(), 1 + Audit::kFilesKept);
    qint64 last = 0;
    for (const char* name : {"egress.jsonl.2", "egress.jsonl.1", "egress.jsonl"}) {
        QVERIFY(QFile(dir.filePath(name)).size() <= 1024);
        for (const QByteArray& line : lines(dir.filePath(name))) {
            const qint64 number = QJsonDocument::fromJson(line).object()["number"].toInteger();
            QVERIFY(last == 0 || number == last + 1);
            last = number;
        }
    }
    QCOMPARE(last, 100);
}

void TestAudit::goesOnInAFileThatIsThere()
{
    const QTemporaryDir dir;
    (*Audit::open(dir.path(), m_clock))->record(entry());
    (*Audit::open(dir.path(), m_clock))->record(entry());
    QCOMPARE(lines(dir.filePath("egress.jsonl")).size(), 2);
}

void TestAudit::refusesAFolderThatItCannotWrite()
{
    const QTemporaryDir dir;
    QVERIFY(QFile::link(dir.filePath("elsewhere"), dir.filePath("egress.jsonl"))); // no way out by a link
    const auto linked = Audit::open(dir.path(), m_clock);
    QVERIFY(!linked);
    QCOMPARE(linked.error().reason, QStringLiteral("AUDIT_UNWRITABLE"));
    QCOMPARE(Audit::open(dir.filePath("missing"), m_clock).error().reason, QStringLiteral("AUDIT_UNWRITABLE"));
}

void TestAudit::saysOnceThatTheDiskIsFull()
{
    const QTemporaryDir dir;
    // A file may not grow beyond a limit of the process: writes fail, or are cut, as on a full disk.
    rlimit was{};
    QVERIFY(::getrlimit(RLIMIT_FSIZE, &was) == 0);
    auto audit = *Audit::open(dir.path(), m_clock);
    audit->record(entry());
    const rlimit small{static_cast<rlim_t>(QFile(dir.filePath("egress.jsonl")).size() + 10), was.rlim_max};
    (void)::signal(SIGXFSZ, SIG_IGN);
    QVERIFY(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    QTest::ignoreMessage(QtCriticalMsg, QRegularExpression("not on record now"));
    audit->record(entry());
    audit->record(entry());
    QVERIFY(::setrlimit(RLIMIT_FSIZE, &was) == 0);
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression("2 lines were lost"));
    audit->record(entry());
    const QByteArrayList there = lines(dir.filePath("egress.jsonl"));
    QCOMPARE(there.size(), 2);
    for (const QByteArray& line : there)
        QVERIFY(QJsonDocument::fromJson(line).isObject());
}

QTEST_GUILESS_MAIN(TestAudit)
#include "tst_audit.moc"
