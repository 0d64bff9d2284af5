// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// Files on their way, under the picture: how far each is, what became of it, and the way to stop it.
Rectangle {
    id: root

    required property TransferList transfers
    readonly property int rowsMax: 3

    objectName: "transferStrip"
    implicitHeight: visible ? Math.min(list.contentHeight, rowsMax * Theme.controlHeight) + 2 * Theme.space1 : 0
    visible: transfers.count > 0
    color: Theme.window

    Accessible.role: Accessible.List
    Accessible.name: qsTr("Files on their way")

    Separator {
        width: parent.width
    }
    ListView {
        id: list

        anchors.fill: parent
        anchors.topMargin: Theme.space1
        anchors.bottomMargin: Theme.space1
        anchors.leftMargin: Theme.space4
        anchors.rightMargin: Theme.space2
        clip: true
        model: root.transfers
        boundsBehavior: Flickable.StopAtBounds
        interactive: contentHeight > height
        onCountChanged: positionViewAtEnd()

        delegate: Item {
            id: row

            required property int index
            required property string name
            required property bool upload
            required property int transferState
            required property real part
            required property string words

            readonly property bool failed: transferState === TransferList.Failed
            readonly property bool moving: transferState === TransferList.Running

            objectName: "transfer" + index
            width: ListView.view.width
            height: Math.max(Theme.controlHeight, words.contentHeight + Theme.space2)

            Accessible.role: Accessible.ListItem
            Accessible.name: name + ", " + words

            Icon {
                id: icon

                anchors.verticalCenter: parent.verticalCenter
                name: row.failed ? "alert" : row.transferState === TransferList.Done ? "check" : row.upload ? "upload" : "download"
                color: row.failed ? Theme.danger : row.transferState === TransferList.Done ? Theme.success : Theme.textMuted
            }
            Label {
                id: title

                anchors.left: icon.right
                anchors.leftMargin: Theme.space2
                width: Math.min(implicitWidth, row.width * 0.35)
                height: parent.height
                text: row.name
                elide: Text.ElideMiddle
            }
            Rectangle {
                id: bar

                anchors.left: title.right
                anchors.leftMargin: Theme.space3
                anchors.verticalCenter: parent.verticalCenter
                visible: row.moving
                width: Theme.space12 * 2
                height: Theme.space1
                radius: height / 2
                color: Theme.border

                Rectangle {
                    objectName: "transferBar"
                    width: Math.round(parent.width * row.part)
                    height: parent.height
                    radius: parent.radius
                    color: Theme.accent
                }
            }
            Label {
                id: words

                objectName: "transferWords"
                anchors.left: row.moving ? bar.right : title.right
                anchors.leftMargin: Theme.space3
                anchors.right: away.left
                anchors.rightMargin: Theme.space2
                height: parent.height
                text: row.words
                wrapMode: row.failed ? Text.Wrap : Text.NoWrap
                elide: row.failed ? Text.ElideNone : Text.ElideMiddle
                font: Theme.small
                color: row.failed ? Theme.danger : Theme.textMuted
            }
            IconButton {
                id: away

                objectName: "transferAway"
                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                implicitHeight: Theme.controlHeightSmall
                implicitWidth: Theme.controlHeightSmall
                iconName: "cross"
                text: row.moving ? qsTr("Stop %1").arg(row.name) : qsTr("Dismiss")
                onClicked: root.transfers.remove(row.index)
            }
        }
    }
}
