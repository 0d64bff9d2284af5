// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QString>
#include <span>

namespace cocoonbox::agent::toolhost::port {

// Whether a tool acts on the screen that the user watches: it then waits while a person holds the screen.
enum class ToolKind { Plain, ScreenAction };

// What the model is told of a tool, and what toolhost must accept.
struct ToolSpec {
    const char* name; // [a-z_]{1,64}
    ToolKind kind;
    const char* description;
    const char* parameters; // JSON Schema of the arguments: one flat object
};

// shell, read, write, edit, ls, grep, computer; sorted as the model sees them.
std::span<const ToolSpec> toolTable();
const ToolSpec* findTool(QStringView name);

} // namespace cocoonbox::agent::toolhost::port
