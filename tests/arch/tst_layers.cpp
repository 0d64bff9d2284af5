// SPDX-License-Identifier: AGPL-3.0-only
// Who may include whom (layers.json, style.md §4), read from the #include lines. A part may always include itself.
#include "tests/arch/source_tree.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace cocoonbox::arch;
using namespace Qt::StringLiterals;

namespace {

QStringList productSources()
{
    return sources({u"common"_s, u"api"_s, u"agent"_s, u"app"_s}, {u"*.h"_s, u"*.cpp"_s});
}

// Within one statement, `co_await` after a `?` that stands free. Comments and texts may say what they like.
bool awaitsInAConditional(QString code)
{
    static const QRegularExpression ignored(QStringLiteral("//[^\\n]*|\"(?:[^\"\\\\\\n]|\\\\.)*\""));
    static const QRegularExpression trap(QStringLiteral("\\s\\?\\s[^;{}]*\\bco_await\\b"));
    return trap.match(code.remove(ignored)).hasMatch();
}

struct Layers {
    QHash<QString, QStringList> allowed;

    // The longest entry of layers.json that is a folder above `path`; empty when there is none.
    QString partOf(QString path) const
    {
        if (path.startsWith(QStringLiteral("cocoonbox/"))) return QStringLiteral("proto/") + path.section(u'/', 1, 1);
        while (path.contains(u'/')) {
            path = path.left(path.lastIndexOf(u'/'));
            if (allowed.contains(path)) return path;
        }
        return {};
    }
    bool mayInclude(const QString& from, const QString& to) const
    {
        if (from == to) return true;
        const QStringList list = allowed.value(from);
        return list.contains(to) || list.contains(to.section(u'/', 0, 0) + u'/' + u'*');
    }
};

} // namespace

class TestLayers : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QFile file(kRoot + u"tests/arch/layers.json"_s);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject layers = QJsonDocument::fromJson(file.readAll()).object();
        QVERIFY(layers.size() > 20);
        for (auto it = layers.begin(); it != layers.end(); ++it)
            m_layers.allowed.insert(it.key(), it.value().toVariant().toStringList());
    }

    void everySourceBelongsToAPart()
    {
        for (const QString& path : productSources())
            QVERIFY2(!m_layers.partOf(path).isEmpty(),
                     qPrintable(path + u" is in no part of tests/arch/layers.json"_s));
    }

    void includesPointDownwards()
    {
        static const QRegularExpression include(
            QStringLiteral("^\\s*#\\s*include\\s+\"((?:common|api|agent|app|qml|tests|cocoonbox)/[^\"]+)\""));
        QStringList wrong;
        for (const QString& path : productSources()) {
            for (const QString& line : linesOf(path)) {
                const auto match = include.match(line);
                if (!match.hasMatch()) continue;
                const QString to = match.captured(1);
                if (!m_layers.mayInclude(m_layers.partOf(path), m_layers.partOf(to)))
                    wrong << u"%1 includes %2: %3 may not use %4"_s.arg(path, to, m_layers.partOf(path),
                                                                        m_layers.partOf(to));
            }
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    // grpc++ headers take seconds to compile and its threads break the one-thread rule: they stay behind few doors.
    void grpcStaysBehindItsDoors()
    {
        static const QRegularExpression include(
            QStringLiteral("^\\s*#\\s*include\\s+[<\"](grpcpp/|grpc/|cocoonbox/.*\\.grpc\\.pb\\.h)"));
        static const QRegularExpression door(
            QStringLiteral("^common/rpc/|^api/edge/|_rpc\\.(h|cpp)$|^app/client/.*\\.cpp$|^app/client/wire/"));
        const QStringList wrong = offences(productSources(), include, door);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    // The screen rules of the client live below the GUI.
    void clientLibrariesKnowNoWindow()
    {
        static const QRegularExpression include(
            QStringLiteral("^\\s*#\\s*include\\s+<(QQuick|QQml|QWindow|QGuiApplication|QtQuick|QtQml)"));
        const QStringList wrong =
            offences(sources({u"app/client"_s, u"app/rfb"_s, u"app/cli"_s}, {u"*.h"_s, u"*.cpp"_s}), include);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    // Two traps of coroutines that no compiler tells of, see common/async/task.h.
    void coroutinesRobNoMember()
    {
        // A comment may tell of them.
        static const QRegularExpression trap(
            QStringLiteral("^(?!\\s*//).*co_return (?:\\w+->\\w+|m_\\w+|\\*\\w+->\\w+);"));
        const QStringList wrong = offences(productSources(), trap);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void coroutinesAwaitNothingInAConditional()
    {
        QVERIFY(awaitsInAConditional("const int a = ready ? 1\n    : co_await b();"));
        QVERIFY(awaitsInAConditional("co_return ok ? co_await a() : 2;"));
        QVERIFY(!awaitsInAConditional("co_return co_await a() ? 1 : 2; // really? co_await b"));
        QVERIFY(!awaitsInAConditional("say(u\"why ? because\"_s, co_await b());"));
        QStringList wrong;
        for (const QString& path : productSources())
            if (awaitsInAConditional(linesOf(path).join(u'\n'))) wrong << path;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void sqlTextStaysInStores()
    {
        static const QRegularExpression sql(QStringLiteral("\"(SELECT|INSERT|UPDATE|DELETE FROM|CREATE TABLE) "));
        static const QRegularExpression store(QStringLiteral("_store\\.cpp$|^common/sql/"));
        const QStringList wrong = offences(productSources(), sql, store);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

private:
    Layers m_layers;
};

QTEST_GUILESS_MAIN(TestLayers)
#include "tst_layers.moc"
