// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Boxes
import Cocoonbox.Chat
import Cocoonbox.Controls
import Cocoonbox.Theme

// The user's boxes, the agents of the open one, and the account.
FocusScope {
    id: root

    required property AppModel app

    signal agentChosen(string agentId)
    signal newAgentAsked

    readonly property BoxModel box: app.currentBox

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Boxes and agents")

    function focusAgents() {
        if (agents.item)
            (agents.item as AgentList).forceActiveFocus(Qt.ShortcutFocusReason)
    }

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        RowLayout {
            Layout.preferredHeight: Theme.barHeight
            Layout.leftMargin: Theme.space4
            spacing: Theme.space2

            Icon {
                name: "box"
                color: Theme.accentText
            }
            Label {
                text: "cocoonbox"
                font: Theme.title
            }
        }
        Repeater {
            model: root.app.boxes

            BoxCard {
                Layout.fillWidth: true
                Layout.leftMargin: Theme.space2
                Layout.rightMargin: Theme.space2
                Layout.bottomMargin: Theme.space2
                selectable: root.app.boxes.count > 1
                selected: box === root.app.currentBox
                onOpened: root.app.openBox(box.boxId)
            }
        }
        RowLayout {
            Layout.preferredHeight: Theme.barHeight
            Layout.leftMargin: Theme.space4 + Theme.space1
            Layout.rightMargin: Theme.space2
            visible: root.box && root.box.state === BoxModel.Running

            Label {
                Layout.fillWidth: true
                text: qsTr("Agents")
                font: Theme.caption
                color: Theme.textMuted
            }
            IconButton {
                objectName: "sidebarNewAgentButton"
                iconName: "plus"
                text: qsTr("New agent (Ctrl+N)")
                onClicked: root.newAgentAsked()
            }
        }
        Loader {
            id: agents

            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.leftMargin: Theme.space2
            Layout.rightMargin: Theme.space2
            active: root.box && root.box.state === BoxModel.Running
            sourceComponent: AgentList {
                agents: root.box.agents
                conversation: root.box.conversation
                onChosen: agentId => root.agentChosen(agentId)

                Label {
                    x: Theme.space3
                    width: parent.width - 2 * Theme.space3
                    visible: root.box.agents.count === 0
                    text: qsTr("The first message makes an agent.")
                    font: Theme.small
                    color: Theme.textFaint
                    wrapMode: Text.Wrap
                }
            }
        }
        Separator {
            Layout.fillWidth: true
        }
        RowLayout {
            Layout.preferredHeight: Theme.barHeight
            Layout.leftMargin: Theme.space4
            Layout.rightMargin: Theme.space2
            spacing: 0

            Icon {
                name: "person"
                color: Theme.textMuted
            }
            Label {
                objectName: "userName"
                Layout.fillWidth: true
                Layout.leftMargin: Theme.space2
                text: root.app.userName
                color: Theme.textMuted
            }
            IconButton {
                objectName: "appearanceButton"
                iconName: Theme.isDark ? "sun" : "moon"
                text: Theme.isDark ? qsTr("Light colours") : qsTr("Dark colours")
                onClicked: root.app.preferences.appearance = Theme.isDark ? Theme.Light : Theme.Dark
            }
            IconButton {
                objectName: "signOutButton"
                iconName: "exit"
                text: qsTr("Sign out")
                onClicked: root.app.signOut()
            }
        }
    }
}
