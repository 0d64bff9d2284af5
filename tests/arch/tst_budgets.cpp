// SPDX-License-Identifier: AGPL-3.0-only
// Sizes, headers and names that keep the tree readable (style.md §2, §8).
#include "tests/arch/source_tree.h"

#include <QRegularExpression>
#include <QTest>

using namespace cocoonbox::arch;
using namespace Qt::StringLiterals;

namespace {

const QStringList kRooms = {u"common"_s, u"api"_s, u"agent"_s, u"app"_s, u"tests"_s};
const QStringList kCode = {u"*.h"_s, u"*.cpp"_s};
constexpr int kFileLinesMax = 600;
constexpr int kQmlLinesMax = 250;
constexpr int kFunctionLinesMax = 70;

// Longest body whose braces stand alone at the same indentation, which is how our formatting writes functions.
int longestFunction(const QStringList& lines)
{
    static const QRegularExpression open(QStringLiteral("^( {0,4})\\{$"));
    int longest = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const auto match = open.match(lines[i]);
        if (!match.hasMatch()) continue;
        const qsizetype end = lines.indexOf(match.captured(1) + u'}', i);
        longest = std::max(longest, static_cast<int>(end - i - 1));
    }
    return longest;
}

} // namespace

class TestBudgets : public QObject {
    Q_OBJECT
private slots:
    void filesAndFunctionsStaySmall()
    {
        QStringList wrong;
        for (const QString& path : sources(kRooms, kCode)) {
            const QStringList lines = linesOf(path);
            if (lines.size() > kFileLinesMax) wrong << u"%1: %2 lines"_s.arg(path).arg(lines.size());
            const int function = longestFunction(lines);
            if (function > kFunctionLinesMax) wrong << u"%1: a function of %2 lines"_s.arg(path).arg(function);
        }
        for (const QString& path : sources({u"qml"_s}, {u"*.qml"_s}))
            if (linesOf(path).size() > kQmlLinesMax) wrong << u"%1: %2 lines"_s.arg(path).arg(linesOf(path).size());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void everySourceNamesItsLicence()
    {
        QStringList wrong;
        for (const QString& path :
             sources(kRooms + QStringList{u"qml"_s, u"proto"_s}, kCode + QStringList{u"*.qml"_s, u"*.proto"_s}))
            if (!linesOf(path).value(0).contains(u"SPDX-License-Identifier: AGPL-3.0-only"_s)) wrong << path;
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void typesAreNamedForWhatTheyAre()
    {
        static const QRegularExpression banned(
            QStringLiteral("^\\s*(?:class|struct|enum class)\\s+\\w*(Manager|Helper|Util|Utils|Data|Info)\\b"));
        const QStringList wrong = offences(sources(kRooms, kCode), banned);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    // Colours and sizes come from the theme module, so that light and dark stay in one place.
    void qmlTakesColoursFromTheTheme()
    {
        static const QRegularExpression colour(QStringLiteral("\"#[0-9a-fA-F]{3,8}\"|Qt\\.rgba\\("));
        static const QRegularExpression theme(QStringLiteral("^qml/Cocoonbox/Theme/"));
        const QStringList wrong = offences(sources({u"qml"_s}, {u"*.qml"_s}), colour, theme);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }
};

QTEST_GUILESS_MAIN(TestBudgets)
#include "tst_budgets.moc"
