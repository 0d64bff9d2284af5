// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// The conversation with one agent: its transcript and the composer.
FocusScope {
    id: root

    required property ConversationModel conversation

    signal newAgentAsked

    readonly property bool blank: !conversation.agentId

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Conversation")

    function focusComposer() {
        composer.forceActiveFocus(Qt.ShortcutFocusReason)
    }

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        Item {
            Layout.fillWidth: true
            implicitHeight: Theme.barHeight

            RowLayout {
                anchors.fill: parent
                anchors.leftMargin: Theme.space4
                anchors.rightMargin: Theme.space2
                spacing: Theme.space2

                Label {
                    objectName: "conversationTitle"
                    Layout.fillWidth: true
                    text: root.conversation.title
                    font: Theme.bodyStrong
                }
                ActivityDots {
                    visible: root.conversation.isWorking && !root.conversation.waitsForScreen
                    tint: Theme.accentText
                }
                Badge {
                    visible: root.conversation.waitsForScreen
                    text: qsTr("Waits for the screen")
                    ink: Theme.warning
                    ground: Theme.warningSoft
                }
                IconButton {
                    objectName: "newAgentButton"
                    visible: !root.blank
                    iconName: "plus"
                    text: qsTr("New agent (Ctrl+N)")
                    onClicked: root.newAgentAsked()
                }
            }
            Separator {
                anchors.bottom: parent.bottom
                width: parent.width
            }
        }
        Item {
            Layout.fillWidth: true
            Layout.fillHeight: true

            TranscriptView {
                anchors.fill: parent
                transcript: root.conversation.transcript
                visible: !root.blank
            }
            EmptyState {
                objectName: "chatEmpty"
                anchors.centerIn: parent
                width: Math.min(parent.width - 2 * Theme.space6, Theme.dialogWidth)
                visible: root.blank || (root.conversation.transcript.count === 0)
                iconName: "chat"
                title: root.conversation.isLoading ? qsTr("Reading the transcript") : qsTr("A new agent")
                sentence: root.conversation.isLoading ? "" : qsTr("Say what should be done in the box. The agent has a shell, its files and the screen.")
                busy: root.conversation.isLoading
            }
        }
        Banner {
            Layout.fillWidth: true
            objectName: "conversationError"
            visible: root.conversation.errorMessage
            text: root.conversation.errorMessage
            tone: Banner.Danger
            actionText: qsTr("Dismiss")
            onActed: root.conversation.dismissError()
        }
        Composer {
            id: composer

            Layout.fillWidth: true
            Layout.margins: Theme.space3
            focus: true
            conversation: root.conversation
        }
    }
}
