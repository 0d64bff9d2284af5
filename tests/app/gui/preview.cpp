// SPDX-License-Identifier: AGPL-3.0-only
// The real window over made-up boxes: preview SCENE [--size WxH] [--dark] [--shot FILE.png] [--tab N] [--unfold ROW]
// [--do STEP]…, where a step is click:NAME of an item, keys:SEQUENCE, zoom:PERCENT, text:TEXT, drag:FILE over the
// picture, upload:FILE or save:PATH.
// With --qml FOLDER the views are read from the source tree (FOLDER = qml/), so that a change is seen without a build.
#include "app/gui/app_model.h"
#include "app/gui/memory_trim.h"
#include "app/gui/renderer_choice.h"
#include "app/gui/window_grab.h"
#include "common/memory/memory.h"
#include "tests/app/gui/preview_scenes.h"

#include <cstdio>
#include <QClipboard>
#include <QCommandLineParser>
#include <QDir>
#include <QDropEvent>
#include <QGuiApplication>
#include <QMimeData>
#include <QQmlAbstractUrlInterceptor>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QStyleHints>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace cocoonbox;
using namespace cocoonbox::app::gui;

namespace {

class FromSource final : public QQmlAbstractUrlInterceptor {
public:
    explicit FromSource(const QString& folder) : m_folder(folder) {}
    QUrl intercept(const QUrl& url, DataType) override
    {
        const QString path = url.path();
        const bool ours = url.scheme() == u"qrc" && path.startsWith(u"/qt/qml/Cocoonbox/") && path.endsWith(u".qml");
        return ours ? QUrl::fromLocalFile(m_folder + path.sliced(qsizetype(sizeof("/qt/qml") - 1))) : url;
    }

private:
    QString m_folder;
};

void act(QQuickWindow* window, AppModel& model, const QString& step)
{
    const QString what = step.section(u':', 0, 0);
    const QString of = step.section(u':', 1);
    BoxModel* box = model.currentBox();
    if (what == u"click") {
        const auto* item = window->findChild<QQuickItem*>(of);
        if (!item) qFatal("no item %s", qPrintable(of));
        QTest::mouseClick(window, Qt::LeftButton, {}, item->mapToScene(item->boundingRect().center()).toPoint());
    } else if (what == u"keys") {
        QTest::keySequence(window, QKeySequence(of));
    } else if (what == u"zoom") {
        model.preferences()->setZoom(of.toInt());
    } else if (what == u"text" && box) {
        box->screen()->sendText(of);
    } else if (what == u"drag") {
        QMimeData content;
        content.setUrls({QUrl::fromLocalFile(of)});
        const QPoint at(window->width() / 2, window->height() / 2);
        QDragEnterEvent enter(at, Qt::CopyAction, &content, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window, &enter);
    } else if (what == u"upload" && box) {
        box->transfers()->upload({QUrl::fromLocalFile(of)});
    } else if (what == u"save" && box) {
        box->transfers()->save(of, QUrl::fromLocalFile(QDir::tempPath() + QStringLiteral("/preview-saved")));
    } else {
        qFatal("no step %s", qPrintable(step));
    }
}

} // namespace

int main(int argc, char** argv)
{
    cocoonbox::memory::limitHeaps();
    prepareRenderer();
    QGuiApplication application(argc, argv);
    QGuiApplication::styleHints()->setCursorFlashTime(0);
    QCommandLineParser parser;
    parser.addPositionalArgument(QStringLiteral("scene"), test::sceneNames().join(u' '));
    parser.addOptions({{QStringLiteral("size"), {}, QStringLiteral("WxH"), QStringLiteral("1360x840")},
                       {QStringLiteral("dark"), {}},
                       {QStringLiteral("tab"), {}, QStringLiteral("n")},
                       {QStringLiteral("unfold"), {}, QStringLiteral("row")},
                       {QStringLiteral("qml"), {}, QStringLiteral("folder")},
                       {QStringLiteral("do"), {}, QStringLiteral("step")},
                       {QStringLiteral("after"), {}, QStringLiteral("ms"), QStringLiteral("2600")},
                       {QStringLiteral("shot"), {}, QStringLiteral("file")}});
    parser.process(application);
    applyRenderer(chooseRenderer(qEnvironmentVariable("COCOONBOX_RENDERER")));

    const QTemporaryDir folder;
    test::FakeAccountLink accounts;
    if (!test::setScene(accounts, parser.positionalArguments().value(0))) parser.showHelp(2);
    Preferences preferences(folder.filePath(QStringLiteral("app.ini")));
    preferences.setAppearance(parser.isSet(QStringLiteral("dark")) ? 2 : 1);
    AppModel model(accounts, preferences, {});
    model.shareClipboard(*QGuiApplication::clipboard());
    QQmlApplicationEngine engine;
    FromSource fromSource(parser.value(QStringLiteral("qml")));
    if (parser.isSet(QStringLiteral("qml"))) engine.addUrlInterceptor(&fromSource);
    engine.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&model)}});
    engine.loadFromModule("Cocoonbox.Shell", "Main");
    if (engine.rootObjects().isEmpty()) return 1;
    auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().constFirst());
    const QStringList size = parser.value(QStringLiteral("size")).split(u'x');
    window->resize(size.value(0).toInt(), size.value(1).toInt());
    model.start({});
    trimMemoryWhenSettled(window, &engine);
    QTimer::singleShot(300, window, [&] {
        if (parser.isSet(QStringLiteral("tab")))
            if (auto* strip = window->findChild<QQuickItem*>(QStringLiteral("paneTabs")))
                QMetaObject::invokeMethod(strip, "chosen", parser.value(QStringLiteral("tab")).toInt());
        if (parser.isSet(QStringLiteral("unfold")) && model.currentBox())
            model.currentBox()->conversation()->transcript()->toggleFold(
                parser.value(QStringLiteral("unfold")).toInt());
    });
    int at = 700;
    for (const QString& step : parser.values(QStringLiteral("do")))
        QTimer::singleShot(at += 250, window, [&model, window, step] { act(window, model, step); });
    const QString shot = parser.value(QStringLiteral("shot"));
    if (!shot.isEmpty())
        grabWindowLater(window, shot, std::chrono::milliseconds(parser.value(QStringLiteral("after")).toInt()),
                        [](const Result<void>& grabbed) {
                            if (!grabbed) std::fprintf(stderr, "%s\n", qPrintable(grabbed.error().message));
                            QCoreApplication::exit(grabbed ? 0 : 1);
                        });
    return QGuiApplication::exec();
}
