// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// What the agent did with a tool: one line, and all of it when unfolded.
Rectangle {
    id: root

    required property string tool
    required property string summary
    required property string argumentText
    required property string output
    required property int toolState
    required property string duration
    required property bool unfolded

    signal toggled

    readonly property bool failed: toolState === TranscriptModel.Failed
    readonly property var iconOfTool: ({
        "shell": "terminal", "read": "file", "write": "file", "edit": "pencil", "ls": "folder", "grep": "search",
        "computer": "pointer", "browser": "screen"
    })
    readonly property string stateText: {
        switch (toolState) {
        case TranscriptModel.Running: return qsTr("running")
        case TranscriptModel.Waiting: return qsTr("waiting")
        case TranscriptModel.Done: return qsTr("done")
        case TranscriptModel.Failed: return qsTr("failed")
        case TranscriptModel.Cancelled: return qsTr("stopped")
        default: return ""
        }
    }

    implicitHeight: head.height + (unfolded ? body.implicitHeight + Theme.space3 : 0)
    radius: Theme.radius
    color: unfolded ? Theme.surface : "transparent"
    border.width: Theme.hairline
    border.color: Theme.border

    T.AbstractButton {
        id: head

        objectName: "toolHead"
        width: parent.width
        height: Theme.controlHeight
        leftPadding: Theme.space2
        rightPadding: Theme.space2
        focusPolicy: Qt.StrongFocus
        text: root.tool + ": " + root.summary
        onClicked: root.toggled()

        Accessible.role: Accessible.Button
        Accessible.name: text + ", " + root.stateText
        Accessible.description: root.unfolded ? qsTr("Unfolded") : qsTr("Folded")

        background: Rectangle {
            radius: Theme.radius
            color: head.down ? Theme.pressed : head.hovered ? Theme.hover : "transparent"

            FocusRing {
                inside: true
                visible: head.visualFocus
            }
        }
        contentItem: RowLayout {
            spacing: Theme.space2

            Icon {
                name: root.iconOfTool[root.tool] ?? "sliders"
                color: Theme.textMuted
            }
            Label {
                Layout.fillWidth: true
                text: root.summary
                font: Theme.mono
                color: Theme.textMuted
                maximumLineCount: 1
            }
            Label {
                visible: text
                text: root.duration
                font: Theme.small
                color: Theme.textFaint
            }
            ActivityDots {
                visible: root.toolState === TranscriptModel.Running
                tint: Theme.accentText
            }
            Icon {
                visible: root.toolState !== TranscriptModel.Running
                name: {
                    switch (root.toolState) {
                    case TranscriptModel.Waiting: return "clock"
                    case TranscriptModel.Done: return "check"
                    case TranscriptModel.Failed: return "cross"
                    default: return "stop"
                    }
                }
                color: {
                    switch (root.toolState) {
                    case TranscriptModel.Waiting: return Theme.warning
                    case TranscriptModel.Done: return Theme.success
                    case TranscriptModel.Failed: return Theme.danger
                    default: return Theme.textFaint
                    }
                }
            }
            Icon {
                Layout.preferredWidth: Theme.iconSizeSmall
                Layout.preferredHeight: Theme.iconSizeSmall
                name: root.unfolded ? "chevron-down" : "chevron-right"
                color: Theme.textFaint
            }
        }
    }

    Loader {
        id: body

        x: Theme.space2
        y: head.height
        width: parent.width - 2 * Theme.space2
        active: root.unfolded
        sourceComponent: Column {
            spacing: Theme.space2

            ToolText {
                width: parent.width
                visible: text
                title: qsTr("Called with")
                text: root.argumentText
            }
            ToolText {
                width: parent.width
                title: root.failed ? qsTr("Failed with") : qsTr("Answered")
                text: root.output || (root.toolState === TranscriptModel.Running ? qsTr("Nothing yet.") : qsTr("Nothing."))
                failed: root.failed
            }
        }
    }
}
