// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/files/workspace.h"
#include "agent/toolhost/tool.h"

// The file tools. All but grep finish within the call: what they touch is bounded.
namespace cocoonbox::agent::toolhost::files {

inline constexpr qsizetype kReadBytesMax = 60 * 1024; // of a reply's text, below the port's 64 KiB
inline constexpr qsizetype kReadLineBytesMax = 2'000; // of a line; the rest is named by its length
inline constexpr int kReadLinesMax = 2'000;
inline constexpr qint64 kScanBytesMax = 64 * 1024 * 1024; // passed over to reach a line
inline constexpr qint64 kEditBytesMax = 8 * 1024 * 1024;
inline constexpr int kListEntriesMax = 1'000;
inline constexpr int kListScanMax = 100'000;
inline constexpr int kGrepLinesMax = 500;
inline constexpr qsizetype kGrepLineBytesMax = 500;

class ReadTool final : public Tool {
public:
    explicit ReadTool(const Workspace& workspace) : m_workspace(workspace) {}
    QCoro::Task<ToolResult> run(ToolCall call) override;

private:
    const Workspace& m_workspace;
};

class WriteTool final : public Tool {
public:
    explicit WriteTool(const Workspace& workspace) : m_workspace(workspace) {}
    QCoro::Task<ToolResult> run(ToolCall call) override;

private:
    const Workspace& m_workspace;
};

class EditTool final : public Tool {
public:
    explicit EditTool(const Workspace& workspace) : m_workspace(workspace) {}
    QCoro::Task<ToolResult> run(ToolCall call) override;

private:
    const Workspace& m_workspace;
};

class ListTool final : public Tool {
public:
    explicit ListTool(const Workspace& workspace) : m_workspace(workspace) {}
    QCoro::Task<ToolResult> run(ToolCall call) override;

private:
    const Workspace& m_workspace;
};

// Runs ripgrep when the box has it, else grep.
class GrepTool final : public Tool {
public:
    explicit GrepTool(const Workspace& workspace) : m_workspace(workspace) {}
    QCoro::Task<ToolResult> run(ToolCall call) override;

private:
    const Workspace& m_workspace;
};

} // namespace cocoonbox::agent::toolhost::files
