// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/tool.h"

namespace cocoonbox::agent::toolhost::computer {

inline constexpr qsizetype kTextCharsMax = 4'096;
inline constexpr int kCoordinateMax = 16'383;

// Types on the desktop of `user` through toolhost's own program, presses keys and clicks through xdotool (XTEST). A
// call that is stopped answers when nothing of it can reach the screen any more.
class ComputerTool final : public Tool {
public:
    QCoro::Task<ToolResult> run(ToolCall call) override;
};

} // namespace cocoonbox::agent::toolhost::computer
