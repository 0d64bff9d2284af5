// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/tool.h"

namespace cocoonbox::agent::toolhost::computer {

inline constexpr qsizetype kTextCharsMax = 4'096;
inline constexpr int kCoordinateMax = 16'383;

// Types, presses keys and clicks on the desktop of `user` through xdotool (XTEST).
class ComputerTool final : public Tool {
public:
    QCoro::Task<ToolResult> run(ToolCall call) override;
};

} // namespace cocoonbox::agent::toolhost::computer
