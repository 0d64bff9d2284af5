// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QString>

namespace cocoonbox::app::gui {

enum class Renderer { Software, Rhi };

// Whether a name that OpenGL gives its renderer means the CPU draws.
bool isSoftwareGl(const QString& glRenderer);

// From COCOONBOX_RENDERER: software | rhi | auto (or unset). Auto looks for a GPU: no device node or a platform
// without a screen means software and costs nothing; else OpenGL is asked who draws. Needs a QGuiApplication.
Renderer chooseRenderer(const QString& setting);

// Before the QGuiApplication: the software renderer draws as soon as something changed.
void prepareRenderer();
// Before the first window.
void applyRenderer(Renderer renderer);

} // namespace cocoonbox::app::gui
