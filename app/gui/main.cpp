// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/app_model.h"
#include "app/gui/client_links.h"
#include "app/gui/memory_trim.h"
#include "app/gui/renderer_choice.h"
#include "app/gui/window_grab.h"
#include "common/memory/memory.h"

#include <QClipboard>
#include <QCommandLineParser>
#include <QGuiApplication>
#include <QProcessEnvironment>
#include <QQmlApplicationEngine>
#include <QQuickWindow>
#include <QStyleHints>

using namespace cocoonbox;
using namespace cocoonbox::app::gui;

namespace {

struct Options {
    QString apiUrl;
    QString box;
    QString grabFile;
    std::chrono::milliseconds grabAfter{};
};

Options parseOptions(const QCoreApplication& application)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Watch your box, talk to its agents, take over its screen."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addOptions({
        {QStringLiteral("api-url"), QStringLiteral("Address of the api; beats COCOONBOX_API_URL."),
         QStringLiteral("url")},
        {QStringLiteral("box"), QStringLiteral("Name of the box to open first."), QStringLiteral("name")},
        {QStringLiteral("grab"), QStringLiteral("Save a picture of the window and quit."), QStringLiteral("file.png")},
        {QStringLiteral("after"), QStringLiteral("Milliseconds until --grab."), QStringLiteral("ms"),
         QStringLiteral("3000")},
    });
    parser.process(application);
    return {parser.value(QStringLiteral("api-url")), parser.value(QStringLiteral("box")),
            parser.value(QStringLiteral("grab")),
            std::chrono::milliseconds(parser.value(QStringLiteral("after")).toInt())};
}

void grabAndQuit(QQuickWindow* window, const Options& options)
{
    grabWindowLater(window, options.grabFile, options.grabAfter, [](const Result<void>& grabbed) {
        if (!grabbed) qCritical().noquote() << grabbed.error().message;
        QCoreApplication::exit(grabbed ? 0 : 1);
    });
}

} // namespace

int main(int argc, char** argv)
{
    memory::limitHeaps();
    prepareRenderer();
    QGuiApplication application(argc, argv);
    QGuiApplication::setApplicationName(QStringLiteral("cocoonbox-app"));
    QGuiApplication::setApplicationVersion(QStringLiteral(COCOONBOX_VERSION));
    QGuiApplication::styleHints()->setCursorFlashTime(0); // a blinking caret would wake an idle app twice a second
    const Options options = parseOptions(application);
    applyRenderer(chooseRenderer(qEnvironmentVariable("COCOONBOX_RENDERER")));

    const QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    ClientAccountLink accounts(environment);
    Preferences preferences(app::client::TokenStore::optionsFrom(environment).configDir + QStringLiteral("/app.ini"));
    AppModel model(accounts, preferences, options.box);
    model.shareClipboard(*QGuiApplication::clipboard());

    QQmlApplicationEngine engine;
    engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&model)}});
    engine.loadFromModule("Cocoonbox.Shell", "Main");
    auto* window = engine.rootObjects().isEmpty() ? nullptr : qobject_cast<QQuickWindow*>(engine.rootObjects().first());
    if (!window) return 1;
    model.start(options.apiUrl);
    trimMemoryWhenSettled(window, &engine);
    if (!options.grabFile.isEmpty()) grabAndQuit(window, options);
    return QGuiApplication::exec();
}
