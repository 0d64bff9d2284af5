// SPDX-License-Identifier: AGPL-3.0-only
#include "common/log/log.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace cocoonbox::log;

namespace {

const QDateTime kTime = QDateTime::fromMSecsSinceEpoch(1'700'000'000'123, QTimeZone::UTC);

QByteArray line(LogFormat format, const QString& message, QtMsgType level = QtInfoMsg)
{
    return formatLine(format, QStringLiteral("prog"), level, "cocoonbox.test", message, kTime);
}

QString compose(const QString& sentence, const QString& fieldText)
{
    QString text;
    QDebug(&text).noquote() << sentence << fieldText;
    return text;
}

} // namespace

class TestLog : public QObject {
    Q_OBJECT
private slots:
    void aJsonLineIsOneObjectWithItsFields()
    {
        const QByteArray json =
            line(LogFormat::Json, compose(QStringLiteral("It \"runs\"\nnow."), field("box", u"box_1")));
        QVERIFY(!json.contains('\n'));
        const QJsonObject object = QJsonDocument::fromJson(json).object();
        QCOMPARE(object[u"time"].toString(), QStringLiteral("2023-11-14T22:13:20.123Z"));
        QCOMPARE(object[u"level"].toString(), QStringLiteral("info"));
        QCOMPARE(object[u"category"].toString(), QStringLiteral("cocoonbox.test"));
        QCOMPARE(object[u"program"].toString(), QStringLiteral("prog"));
        QCOMPARE(object[u"message"].toString(), QStringLiteral("It \"runs\"\nnow."));
        QCOMPARE(object[u"box"].toString(), QStringLiteral("box_1"));
    }

    void aTextLineIsForPeople()
    {
        QCOMPARE(line(LogFormat::Text, compose(QStringLiteral("It runs."), field("box", u"box_1"))),
                 QByteArray("prog: It runs. (box=box_1)"));
        QCOMPARE(line(LogFormat::Text, QStringLiteral("Too slow."), QtWarningMsg),
                 QByteArray("prog: warning: Too slow."));
    }

    void aHostileValueForgesNeitherFieldNorLine()
    {
        const QString hostile = QStringLiteral("x\x1f"
                                               "user=root\x1f\n{}");
        const QByteArray json = line(LogFormat::Json, compose(QStringLiteral("Said."), field("box", hostile)));
        const QJsonObject object = QJsonDocument::fromJson(json).object();
        QVERIFY(!json.contains('\n'));
        QVERIFY(!object.contains(u"user"));
        QCOMPARE(object[u"box"].toString(), QStringLiteral("xuser=root\n{}"));
    }

    void aLongMessageIsCut() { QVERIFY(line(LogFormat::Json, QString(100'000, u'x')).size() < 10'000); }
};

QTEST_GUILESS_MAIN(TestLog)
#include "tst_log.moc"
