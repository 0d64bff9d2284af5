// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/port/tool_table.h"

#include <algorithm>
#include <array>

namespace cocoonbox::agent::toolhost::port {

namespace {

constexpr std::array kTools{
    ToolSpec{
        "shell", ToolKind::Plain,
        "Runs a command in a persistent bash session of yours: the working directory, variables and background jobs "
        "stay from call to call. Starts in /workspace. The output (both streams, at most 64 KiB, the middle is cut "
        "out) and the exit code come back. A command that needs input waits until its time is over: pass input "
        "by a pipe or a here-document.",
        R"({"type":"object","properties":{
                "command":{"type":"string","description":"What to run, as typed in a terminal."},
                "timeout_seconds":{"type":"integer","minimum":1,"maximum":600,
                    "description":"The command is interrupted after this time. 120 when not given."},
                "session":{"type":"string","description":"Name of the session; \"main\" when not given. Use a second one for a long job."}},
                "required":["command"]})"},
    ToolSpec{"read", ToolKind::Plain,
             "Reads a text file. Lines come back with their numbers. At most 2,000 lines or 64 KiB a call; use offset "
             "to go on.",
             R"({"type":"object","properties":{
                "path":{"type":"string","description":"Absolute, or relative to /workspace."},
                "offset":{"type":"integer","minimum":1,"description":"First line, from 1."},
                "limit":{"type":"integer","minimum":1,"maximum":2000,"description":"How many lines."}},
                "required":["path"]})"},
    ToolSpec{"write", ToolKind::Plain, "Writes a text file whole, replacing what was there. Missing folders are made.",
             R"({"type":"object","properties":{
                "path":{"type":"string","description":"Absolute, or relative to /workspace."},
                "content":{"type":"string"}},
                "required":["path","content"]})"},
    ToolSpec{"edit", ToolKind::Plain,
             "Replaces one exact piece of text in a file. It must occur exactly once unless replace_all is true.",
             R"({"type":"object","properties":{
                "path":{"type":"string","description":"Absolute, or relative to /workspace."},
                "old_text":{"type":"string","description":"The piece as it stands in the file, with its white space."},
                "new_text":{"type":"string"},
                "replace_all":{"type":"boolean"}},
                "required":["path","old_text","new_text"]})"},
    ToolSpec{"ls", ToolKind::Plain, "Lists a folder: kind, size and name of each entry, folders first, at most 1,000.",
             R"({"type":"object","properties":{
                "path":{"type":"string","description":"Absolute, or relative to /workspace; /workspace when not given."}}})"},
    ToolSpec{"grep", ToolKind::Plain,
             "Searches files below a folder for a regular expression. Answers path:line:text, at most 500 lines.",
             R"({"type":"object","properties":{
                "pattern":{"type":"string","description":"An extended regular expression."},
                "path":{"type":"string","description":"Folder or file; /workspace when not given."},
                "include":{"type":"string","description":"Only files whose name matches this glob, such as *.py."},
                "ignore_case":{"type":"boolean"}},
                "required":["pattern"]})"},
    ToolSpec{
        "computer", ToolKind::ScreenAction,
        "Acts on the desktop that the user sees (1280 by 800): types text, presses a key or clicks. It waits while a "
        "person holds the screen.",
        R"({"type":"object","properties":{
                "action":{"type":"string","enum":["type","key","click"]},
                "text":{"type":"string","description":"type: the text, at most 4,096 characters."},
                "key":{"type":"string","description":"key: an X key name with modifiers, such as Return or ctrl+s."},
                "x":{"type":"integer","description":"click: from the left."},
                "y":{"type":"integer","description":"click: from the top."},
                "button":{"type":"string","enum":["left","middle","right"],"description":"left when not given."},
                "count":{"type":"integer","minimum":1,"maximum":3,"description":"2 for a double click; 1 when not given."}},
                "required":["action"]})"},
};

} // namespace

std::span<const ToolSpec> toolTable()
{
    return kTools;
}

const ToolSpec* findTool(QStringView name)
{
    const auto found =
        std::ranges::find_if(kTools, [name](const ToolSpec& tool) { return name == QLatin1StringView(tool.name); });
    return found == kTools.end() ? nullptr : &*found;
}

} // namespace cocoonbox::agent::toolhost::port
