// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "tests/app/gui/fake_links.h"

namespace cocoonbox::test {

// Made-up boxes with made-up conversations, to look at the window by: each scene is a state a user can be in.
QStringList sceneNames();
// Sets the account up so that the window shows the scene; false for an unknown name.
bool setScene(FakeAccountLink& accounts, const QString& scene);

// A desktop with a terminal and an editor.
QImage previewDesktop(QSize size = {1280, 800});

} // namespace cocoonbox::test
