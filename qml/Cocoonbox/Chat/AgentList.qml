// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

ListView {
    id: root

    required property AgentListModel agents
    required property ConversationModel conversation

    signal chosen(string agentId)

    objectName: "agentList"
    model: agents
    clip: true
    spacing: 2
    boundsBehavior: Flickable.StopAtBounds
    activeFocusOnTab: true
    keyNavigationEnabled: true

    Accessible.role: Accessible.List
    Accessible.name: qsTr("Agents")

    T.ScrollBar.vertical: ScrollBar {}

    delegate: ListRow {
        id: row

        required property string agentId
        required property string title
        required property int agentState
        required property string stateText
        required property string timeText
        readonly property bool atWork: agentState === AgentListModel.Working
        readonly property bool waits: agentState === AgentListModel.WaitingForUser
            || agentState === AgentListModel.WaitingForScreen

        objectName: "agent-" + agentId
        width: ListView.view.width
        text: title + ", " + stateText
        selected: agentId === root.conversation.agentId
        onClicked: root.chosen(agentId)

        contentItem: ColumnLayout {
            spacing: 1

            Label {
                Layout.fillWidth: true
                text: row.title
                font: row.selected ? Theme.bodyStrong : Theme.body
            }
            RowLayout {
                spacing: Theme.space2

                StatusDot {
                    implicitWidth: Theme.space1 + 2
                    implicitHeight: Theme.space1 + 2
                    visible: row.atWork || row.waits
                    tint: row.waits ? Theme.warning : Theme.accent
                }
                Label {
                    Layout.fillWidth: true
                    text: row.stateText
                    font: Theme.small
                    color: row.waits ? Theme.warning : Theme.textMuted
                }
                Label {
                    text: row.timeText
                    font: Theme.small
                    color: Theme.textFaint
                }
            }
        }
    }
}
