// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/renderer_choice.h"

#include <QQmlEngine>
#include <QtQuickTest>

// Runs every tst_*.qml of this folder over the real modules.
class Setup : public QObject {
    Q_OBJECT
public slots:
    void applicationAvailable() { cocoonbox::app::gui::applyRenderer(cocoonbox::app::gui::Renderer::Software); }
};

QUICK_TEST_MAIN_WITH_SETUP(qml, Setup)
#include "tst_qml.moc"
