// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import Cocoonbox.App
import Cocoonbox.Theme

// One row of a transcript, by its kind.
Item {
    id: root

    required property int index
    required property int kind
    required property string text
    required property bool isDraft
    required property bool startsTurn
    required property string timeText
    required property string tool
    required property string summary
    required property string argumentText
    required property string output
    required property int toolState
    required property string duration
    required property bool unfolded

    signal toggled(int row)

    readonly property int gap: kind === TranscriptModel.ToolCall ? Theme.space1 : startsTurn ? Theme.space6 : Theme.space3

    implicitHeight: entry.implicitHeight + gap

    Loader {
        id: entry

        x: Theme.space4
        y: root.gap
        width: parent.width - 2 * Theme.space4
        sourceComponent: {
            switch (root.kind) {
            case TranscriptModel.Prompt: return prompt
            case TranscriptModel.Reply: return reply
            case TranscriptModel.ToolCall: return toolCall
            default: return notice
            }
        }
    }

    Component {
        id: prompt

        PromptEntry {
            text: root.text
            timeText: root.timeText
        }
    }
    Component {
        id: reply

        MessageText {
            markdown: root.text
        }
    }
    Component {
        id: toolCall

        ToolEntry {
            tool: root.tool
            summary: root.summary
            argumentText: root.argumentText
            output: root.output
            toolState: root.toolState
            duration: root.duration
            unfolded: root.unfolded
            onToggled: root.toggled(root.index)
        }
    }
    Component {
        id: notice

        NoticeEntry {
            text: root.text
            failed: root.kind === TranscriptModel.Error
        }
    }
}
