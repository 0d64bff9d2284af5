// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/memory_trim.h"

#include "common/memory/memory.h"

#include <QQmlEngine>
#include <QQuickWindow>
#include <QTimer>

namespace cocoonbox::app::gui {

namespace {

using namespace std::chrono_literals;

constexpr auto kSettleTime = 3s;

void trim(QQmlEngine* engine)
{
    engine->trimComponentCache();
    engine->collectGarbage();
    memory::giveBack();
}

} // namespace

void trimMemoryWhenSettled(QQuickWindow* window, QQmlEngine* engine)
{
    QTimer::singleShot(kSettleTime, engine, [engine] { trim(engine); });
    QObject::connect(window, &QWindow::visibilityChanged, engine, [engine](QWindow::Visibility visibility) {
        if (visibility == QWindow::Minimized) trim(engine);
    });
}

} // namespace cocoonbox::app::gui
