// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/app/gui/preview_scenes.h"

#include <QDateTime>
#include <QPainter>
#include <QTimer>

namespace cocoonbox::test {

namespace {

using client::AgentState;
using client::BoxState;
using client::EntryKind;
using client::SessionState;
using client::ToolState;

const QString kAgent = QStringLiteral("agt_1");

void paintWindow(QPainter& painter, const QRect& rect, const QString& title, const QColor& ground)
{
    painter.fillRect(rect.adjusted(-1, -1, 1, 1), QColor("#2a2f36"));
    painter.fillRect(QRect(rect.topLeft(), QSize(rect.width(), 26)), QColor("#3c424b"));
    painter.setPen(QColor("#e6e9ee"));
    painter.drawText(QRect(rect.topLeft(), QSize(rect.width(), 26)), Qt::AlignCenter, title);
    painter.fillRect(rect.adjusted(0, 26, 0, 0), ground);
}

QList<client::Entry> conversation(bool working)
{
    const QString reply = QStringLiteral(
        "I set the project up and ran its tests. **All 42 pass** now.\n\n"
        "### What was wrong\n\n"
        "The parser read `offset` as bytes, but the writer counts *characters*, so every name after the first umlaut "
        "was cut.\n\n"
        "1. `reader.py` now decodes before it slices\n2. a test with `Grüße` keeps it that way\n\n"
        "```python\ndef field(line: bytes, start: int, end: int) -> str:\n    text = line.decode(\"utf-8\")\n    "
        "return text[start:end]\n```\n\n"
        "| file | before | after |\n|---|---|---|\n| reader.py | 3 failed | 0 |\n| names.csv | 1 failed | 0 |\n\n"
        "> The upstream issue is still open, see [the tracker](https://example.org/issues/7).\n");
    QList<client::Entry> entries{
        makeEntry(kAgent, 1, EntryKind::Prompt,
                  QStringLiteral("Clone the address tool, find out why names with umlauts are cut, and fix it.")),
        makeToolCall(kAgent, 2, QStringLiteral("shell"), QStringLiteral("git clone https://example.org/address-tool"),
                     ToolState::Done, QStringLiteral("Cloning into 'address-tool'...\ndone.")),
        makeToolCall(kAgent, 3, QStringLiteral("shell"), QStringLiteral("cd address-tool && python3 -m pytest -q"),
                     ToolState::Failed,
                     QStringLiteral("FAILED tests/test_reader.py::test_umlaut - AssertionError: 'Grü' != 'Grüße'\n3 "
                                    "failed, 39 passed in 1.21s\n[exit code 1]")),
        makeToolCall(kAgent, 4, QStringLiteral("grep"), QStringLiteral("\"offset\" in /workspace/address-tool"),
                     ToolState::Done, QStringLiteral("reader.py:41: name = line[offset:end]")),
        makeToolCall(kAgent, 5, QStringLiteral("edit"), QStringLiteral("/workspace/address-tool/reader.py"),
                     ToolState::Done, QStringLiteral("1 place changed.")),
        makeEntry(kAgent, 6, EntryKind::Reply, reply),
        makeEntry(kAgent, 7, EntryKind::Prompt,
                  QStringLiteral("Thank you. Open the result in Mousepad so that I can look at it.")),
    };
    if (!working) return entries;
    entries.append(makeToolCall(kAgent, 8, QStringLiteral("computer"), QStringLiteral("start mousepad names.csv"),
                                ToolState::Running, {}));
    return entries;
}

QList<client::Agent> agents(AgentState first)
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    return {makeAgent(kAgent, QStringLiteral("Fix the cut names in address-tool"), first, now - 60'000),
            makeAgent(QStringLiteral("agt_2"), QStringLiteral("Collect the train times to Linz"),
                      AgentState::WaitingForUser, now - 3'600'000),
            makeAgent(QStringLiteral("agt_3"), QStringLiteral("Weekly backup of the photos"), AgentState::Idle,
                      now - 90'000'000)};
}

// An arrow, as a box would draw it.
QImage previewPointer()
{
    QImage image(14, 20, QImage::Format_RGB32);
    image.fill(Qt::black);
    QPainter painter(&image);
    painter.setBrush(Qt::white);
    painter.drawPolygon(QPolygon({{0, 0}, {0, 18}, {5, 13}, {13, 13}}));
    return image;
}

void signedIn(FakeAccountLink& accounts, BoxState state, std::function<void(client::Box&)> change,
              std::function<void(FakeBoxLink&)> open)
{
    accounts.account.token = Secret("token");
    accounts.onConnect = [=](FakeApiLink& api) {
        client::Box box = makeBox(QStringLiteral("main"), state);
        if (change) change(box);
        api.listed = true;
        api.boxList = {box};
        api.onOpen = open;
    };
}

void connected(FakeBoxLink& link, AgentState state, bool working)
{
    link.desktop = previewDesktop();
    link.sessionState = SessionState::Connected;
    QTimer::singleShot(0, &link, [&link, state, working] {
        link.sayAgents(agents(state));
        link.sayTranscript(kAgent, conversation(working));
    });
}

void running(FakeAccountLink& accounts, std::function<void(FakeBoxLink&)> more = {},
             AgentState state = AgentState::Working)
{
    signedIn(accounts, BoxState::Running, {}, [=](FakeBoxLink& link) {
        connected(link, state, state != AgentState::Idle);
        if (more) QTimer::singleShot(600, &link, [=, &link] { more(link); });
    });
}

using Scene = std::pair<const char*, void (*)(FakeAccountLink&)>;

const Scene kScenes[] = {
    {"signin", [](FakeAccountLink&) {}},
    {"nobox",
     [](FakeAccountLink& a) {
         a.account.token = Secret("token");
         a.onConnect = [](FakeApiLink& api) { api.listed = true; };
     }},
    {"asleep",
     [](FakeAccountLink& a) {
         signedIn(a, BoxState::Hibernated, {}, [](FakeBoxLink& link) { link.sessionState = SessionState::Asleep; });
     }},
    {"starting",
     [](FakeAccountLink& a) {
         signedIn(
             a, BoxState::Starting, [](client::Box& box) { box.operationId = QStringLiteral("op_1"); },
             [](FakeBoxLink& link) { link.sessionState = SessionState::Connecting; });
     }},
    {"failed",
     [](FakeAccountLink& a) {
         signedIn(
             a, BoxState::Failed,
             [](client::Box& box) {
                 box.failure =
                     QStringLiteral("The box did not answer within 30 s after it was started. Its disk is kept; start "
                                    "it again, and look at `journalctl -u cocoonbox-api` if that fails too.");
             },
             [](FakeBoxLink& link) { link.sessionState = SessionState::Asleep; });
     }},
    {"watching", [](FakeAccountLink& a) { running(a); }},
    {"done", [](FakeAccountLink& a) { running(a, {}, AgentState::Idle); }},
    {"mine",
     [](FakeAccountLink& a) {
         running(a, [](FakeBoxLink& link) {
             link.holding = true;
             link.sayBaton(QStringLiteral("Mira"));
             link.holding = true;
             emit link.batonChanged();
             link.sayAgent(makeAgent(kAgent, QStringLiteral("Fix the cut names in address-tool"),
                                     AgentState::WaitingForScreen, QDateTime::currentMSecsSinceEpoch()));
             link.sayEntry(makeEntry(kAgent, 9, EntryKind::Notice,
                                     QStringLiteral("Mira holds the screen. The agent goes on when she hands back.")));
         });
     }},
    {"text-refused",
     [](FakeAccountLink& a) {
         running(a, [](FakeBoxLink& link) {
             link.sayBaton(QStringLiteral("Mira"));
             link.holding = true;
             emit link.batonChanged();
             link.nextError =
                 Error{ErrorCode::FailedPrecondition,
                       QStringLiteral("No window of the box takes text now. Click into one and try again."),
                       {},
                       {},
                       {}};
         });
     }},
    {"pointer",
     [](FakeAccountLink& a) {
         running(a, [](FakeBoxLink& link) {
             link.screen->setCursor(previewPointer(), {0, 0});
             client::Entry click =
                 makeToolCall(kAgent, 9, QStringLiteral("computer"), QStringLiteral("click at 600, 420"),
                              ToolState::Done, QStringLiteral("Clicked left at 600, 420."));
             click.toolCall.argumentsJson = QStringLiteral(R"({"action":"click","x":600,"y":420})");
             link.sayEntry(click);
         });
     }},
    {"transfers",
     [](FakeAccountLink& a) {
         signedIn(a, BoxState::Running, {}, [](FakeBoxLink& link) {
             connected(link, AgentState::Working, true);
             link.files.insert(QStringLiteral("/workspace/address-tool/names.csv"), QByteArray(4'200'000, 'x'));
             link.files.insert(QStringLiteral("/workspace/notes.md"), QByteArray(1'800, 'x'));
             link.files.insert(QStringLiteral("/workspace/Uploads/photo of the old mill.jpg"),
                               QByteArray(3'400'000, 'x'));
             link.slow = true;
         });
     }},
    {"theirs",
     [](FakeAccountLink& a) { running(a, [](FakeBoxLink& link) { link.sayBaton(QStringLiteral("Jonas")); }); }},
    {"lost",
     [](FakeAccountLink& a) {
         running(a, [](FakeBoxLink& link) {
             link.say(SessionState::Connecting, QStringLiteral("The box does not answer. Trying again."));
         });
     }},
    {"error",
     [](FakeAccountLink& a) {
         running(
             a,
             [](FakeBoxLink& link) {
                 link.sayEntry(makeEntry(
                     kAgent, 9, EntryKind::Error,
                     QStringLiteral("The model did not answer within 60 s, three times in a row. Nothing was lost: "
                                    "send the message again, or look at the model's address in api.toml.")));
             },
             AgentState::Idle);
     }},
    {"newagent",
     [](FakeAccountLink& a) {
         signedIn(a, BoxState::Running, {}, [](FakeBoxLink& link) {
             link.desktop = previewDesktop();
             link.sessionState = SessionState::Connected;
         });
     }},
};

} // namespace

QStringList sceneNames()
{
    QStringList names;
    for (const auto& [name, set] : kScenes)
        names.append(QString::fromLatin1(name));
    return names;
}

bool setScene(FakeAccountLink& accounts, const QString& scene)
{
    accounts.account.apiUrl = QUrl(QStringLiteral("http://127.0.0.1:7400"));
    for (const auto& [name, set] : kScenes) {
        if (scene != QLatin1String(name)) continue;
        set(accounts);
        return true;
    }
    return false;
}

QImage previewDesktop(QSize size)
{
    QImage image(size, QImage::Format_RGB32);
    QPainter painter(&image);
    QLinearGradient ground(0, 0, size.width(), size.height());
    ground.setColorAt(0, QColor("#2d4a66"));
    ground.setColorAt(1, QColor("#6a8f86"));
    painter.fillRect(image.rect(), ground);
    painter.fillRect(QRect(0, 0, size.width(), 26), QColor("#23272e"));
    painter.setPen(QColor("#dfe3e8"));
    painter.setFont(QFont(QStringLiteral("Inter"), 9));
    painter.drawText(QRect(12, 0, 300, 26), Qt::AlignVCenter,
                     QStringLiteral("Applications     Terminal     names.csv"));
    painter.drawText(QRect(size.width() - 120, 0, 108, 26), Qt::AlignVCenter | Qt::AlignRight, QStringLiteral("14:05"));
    paintWindow(painter, QRect(60, 90, 620, 420), QStringLiteral("Terminal"), QColor("#14171b"));
    painter.setFont(QFont(QStringLiteral("DejaVu Sans Mono"), 9));
    painter.setPen(QColor("#b9e3b4"));
    painter.drawText(
        QRect(72, 126, 600, 370), Qt::AlignLeft | Qt::AlignTop,
        QStringLiteral(
            "user@main:/workspace/address-tool$ python3 -m pytest -q\n..........................................  "
            "[100%]\n42 passed in 1.18s\nuser@main:/workspace/address-tool$ "));
    paintWindow(painter, QRect(520, 300, 640, 400), QStringLiteral("names.csv – Mousepad"), QColor("#fbfbfa"));
    painter.setPen(QColor("#22262b"));
    painter.drawText(
        QRect(534, 338, 600, 350), Qt::AlignLeft | Qt::AlignTop,
        QStringLiteral(
            "id;name;city\n1;Grüße Maier;Linz\n2;Özlem Yılmaz;Wien\n3;Jürgen Groß;Graz\n4;Zoë Sánchez;Salzburg"));
    return image;
}

} // namespace cocoonbox::test
