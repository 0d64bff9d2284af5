// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// Where the user writes. Enter sends, Shift+Enter starts a line. Says why when nothing can be sent.
FocusScope {
    id: root

    required property ConversationModel conversation

    readonly property bool usable: conversation.canSend || conversation.isWorking
    readonly property bool canSend: conversation.canSend && edit.text.trim().length > 0

    implicitHeight: content.implicitHeight

    function submit() {
        if (root.canSend)
            root.conversation.send(edit.text)
    }

    Connections {
        target: root.conversation
        function onSent() { edit.clear() }
    }

    ColumnLayout {
        id: content

        anchors.fill: parent
        spacing: Theme.space2

        Label {
            objectName: "blockedReason"
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space1
            visible: text && !root.conversation.isWorking
            text: root.conversation.blockedReason
            font: Theme.small
            color: Theme.textMuted
            wrapMode: Text.Wrap
        }
        Rectangle {
            Layout.fillWidth: true
            implicitHeight: box.implicitHeight
            radius: Theme.radiusLarge
            color: root.usable ? Theme.surface : Theme.sunken
            border.width: edit.activeFocus ? Theme.focusWidth : Theme.hairline
            border.color: edit.activeFocus ? Theme.accent : Theme.borderStrong

            ColumnLayout {
                id: box

                anchors.fill: parent
                spacing: 0

                Flickable {
                    id: flick

                    Layout.fillWidth: true
                    Layout.preferredHeight: Math.min(edit.implicitHeight, 160)
                    contentHeight: edit.implicitHeight
                    clip: true
                    boundsBehavior: Flickable.StopAtBounds

                    T.ScrollBar.vertical: ScrollBar {}

                    T.TextArea.flickable: T.TextArea {
                        id: edit

                        objectName: "composer"
                        implicitHeight: Math.max(contentHeight + topPadding + bottomPadding, Theme.rowHeight)
                        leftPadding: Theme.space3
                        rightPadding: Theme.space3
                        topPadding: Theme.space3
                        bottomPadding: Theme.space1
                        focus: true
                        enabled: root.usable
                        font: Theme.body
                        color: Theme.text
                        selectionColor: Theme.selection
                        selectedTextColor: Theme.text
                        placeholderTextColor: Theme.textFaint
                        placeholderText: root.conversation.agentId ? qsTr("Write to the agent")
                                                                   : qsTr("What should the agent do?")
                        wrapMode: TextEdit.Wrap
                        textFormat: TextEdit.PlainText
                        selectByMouse: true

                        Accessible.name: qsTr("Message to the agent")
                        Accessible.description: root.conversation.blockedReason

                        Keys.onPressed: event => {
                            const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter
                            if (!enter || event.modifiers & (Qt.ShiftModifier | Qt.ControlModifier))
                                return
                            event.accepted = true
                            root.submit()
                        }

                        Label {
                            x: edit.leftPadding
                            y: edit.topPadding
                            visible: !edit.length && !edit.preeditText
                            text: edit.placeholderText
                            color: edit.placeholderTextColor
                        }
                    }
                }
                RowLayout {
                    Layout.fillWidth: true
                    Layout.margins: Theme.space2
                    Layout.topMargin: 0

                    Label {
                        Layout.fillWidth: true
                        Layout.leftMargin: Theme.space1
                        text: root.conversation.isWorking ? qsTr("The agent is working") : qsTr("Enter sends")
                        font: Theme.caption
                        color: Theme.textFaint
                    }
                    Button {
                        objectName: "stopButton"
                        visible: root.conversation.isWorking
                        small: true
                        iconName: "stop"
                        text: qsTr("Stop")
                        onClicked: root.conversation.stop()
                    }
                    Button {
                        objectName: "sendButton"
                        visible: !root.conversation.isWorking
                        enabled: root.canSend
                        small: true
                        kind: Button.Primary
                        iconName: "arrow-up"
                        text: root.conversation.isSending ? qsTr("Sending") : qsTr("Send")
                        onClicked: root.submit()
                    }
                }
            }
        }
    }
}
