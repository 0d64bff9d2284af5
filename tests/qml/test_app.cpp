// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/qml/test_app.h"

#include "tests/app/gui/preview_scenes.h"

#include <QDateTime>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QQuickWindow>

namespace cocoonbox::test {

namespace {
const QString kAgent = QStringLiteral("agt_1");
}

TestApp::~TestApp() = default;

void TestApp::setScene(const QString& scene)
{
    m_scene = scene;
    auto old = std::move(m_model);
    emit sceneChanged(); // the views let go of the old model first
    old.reset();
    m_accounts = {};
    if (!cocoonbox::test::setScene(m_accounts, scene)) qFatal("no scene %s", qPrintable(scene));
    m_preferences = std::make_unique<gui::Preferences>(m_folder.filePath(QStringLiteral("app.ini")));
    m_model = std::make_unique<gui::AppModel>(m_accounts, *m_preferences, QString());
    m_model->start({});
    emit sceneChanged();
}

FakeBoxLink* TestApp::link() const
{
    return m_accounts.api && !m_accounts.api->links.isEmpty() ? m_accounts.api->links.begin().value() : nullptr;
}

QStringList TestApp::prompts() const
{
    QStringList prompts;
    if (const FakeBoxLink* box = link())
        for (const FakeBoxLink::Sent& sent : box->sentPrompts)
            prompts.append(sent.prompt);
    return prompts;
}

QStringList TestApp::cancelled() const
{
    return link() ? link()->cancelled : QStringList();
}
QStringList TestApp::ensured() const
{
    return m_accounts.api ? m_accounts.api->ensured : QStringList();
}
QStringList TestApp::hibernated() const
{
    return m_accounts.api ? m_accounts.api->hibernated : QStringList();
}
QStringList TestApp::deleted() const
{
    return m_accounts.api ? m_accounts.api->deleted : QStringList();
}
int TestApp::retries() const
{
    return m_accounts.api ? m_accounts.api->retries : 0;
}

void TestApp::failNext(const QString& message)
{
    const Error error{ErrorCode::Unavailable, message, {}, {}, {}};
    m_accounts.api->nextError = error;
    if (link()) link()->nextError = error;
}

void TestApp::sayReply(const QString& text)
{
    link()->sayEntry(makeEntry(kAgent, ++m_seq, client::EntryKind::Reply, text));
}

void TestApp::sayDraft(const QString& text)
{
    link()->sayDraft(kAgent, QStringLiteral("turn_1"), text);
}

void TestApp::sayIdle()
{
    link()->sayAgent(
        makeAgent(kAgent, QStringLiteral("Idle"), client::AgentState::Idle, QDateTime::currentMSecsSinceEpoch()));
}

void TestApp::sayBaton(const QString& heldBy)
{
    link()->sayBaton(heldBy);
}

void TestApp::sayConnection(const QString& message)
{
    m_accounts.api->say(message.isEmpty() ? client::ConnectionState::Connected : client::ConnectionState::Connecting,
                        message);
}

void TestApp::sayLink(const QString& message)
{
    link()->say(message.isEmpty() ? client::SessionState::Connected : client::SessionState::Connecting, message);
}

std::unique_ptr<QMimeData> TestApp::aFile()
{
    QFile file(m_folder.filePath(QStringLiteral("dropped.txt")));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no file");
    file.write("dropped");
    auto content = std::make_unique<QMimeData>();
    content->setUrls({QUrl::fromLocalFile(file.fileName())});
    return content;
}

void TestApp::dragOver(QQuickItem* item)
{
    const auto content = aFile();
    const QPoint at = item->mapToScene(item->boundingRect().center()).toPoint();
    QDragEnterEvent enter(at, Qt::CopyAction, content.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(item->window(), &enter);
    QDragMoveEvent move(at, Qt::CopyAction, content.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(item->window(), &move);
}

void TestApp::drop(QQuickItem* item)
{
    const auto content = aFile();
    const QPoint at = item->mapToScene(item->boundingRect().center()).toPoint();
    QDropEvent dropped(at, Qt::CopyAction, content.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(item->window(), &dropped);
}

} // namespace cocoonbox::test
