// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// A box: what state it is in, the one thing that is most likely done about it, and a menu with the rest.
Rectangle {
    id: root

    required property BoxModel box
    property bool selected: false
    property bool selectable: false

    signal opened

    readonly property color tint: {
        switch (box.state) {
        case BoxModel.Running: return Theme.success
        case BoxModel.Failed: return Theme.danger
        case BoxModel.Hibernated:
        case BoxModel.Unknown: return Theme.textFaint
        default: return Theme.warning
        }
    }

    objectName: "boxCard-" + box.name
    implicitHeight: content.implicitHeight + 2 * Theme.space3
    radius: Theme.radiusLarge
    color: Theme.surface
    border.width: Theme.hairline
    border.color: selectable && selected ? Theme.accent : Theme.border

    Accessible.role: Accessible.Grouping
    Accessible.name: box.name + ", " + box.stateText

    TapHandler {
        enabled: root.selectable
        onTapped: root.opened()
    }

    ColumnLayout {
        id: content

        anchors.fill: parent
        anchors.margins: Theme.space3
        spacing: Theme.space2

        RowLayout {
            spacing: Theme.space2

            Label {
                Layout.fillWidth: true
                text: root.box.name
                font: Theme.title
            }
            ActivityDots {
                visible: root.box.isBusy
            }
            Button {
                objectName: "sleepButton"
                visible: root.box.canSleep
                small: true
                kind: Button.Quiet
                ink: Theme.textMuted
                iconName: "moon"
                text: qsTr("Sleep")
                onClicked: root.box.sleep()
            }
            Button {
                objectName: "wakeButton"
                visible: root.box.canWake
                small: true
                kind: Button.Primary
                iconName: "power"
                text: root.box.state === BoxModel.Failed ? qsTr("Start again") : qsTr("Wake")
                onClicked: root.box.wake()
            }
            IconButton {
                id: more

                objectName: "boxMenuButton"
                Layout.rightMargin: -Theme.space1
                implicitWidth: Theme.controlHeightSmall
                implicitHeight: Theme.controlHeightSmall
                iconName: "dots"
                text: qsTr("More about %1").arg(root.box.name)
                checked: menu.visible
                Keys.onReturnPressed: clicked()
                Keys.onDownPressed: clicked()
                onClicked: menu.popup(more, more.width - menu.width, more.height + Theme.space1)

                Menu {
                    id: menu

                    objectName: "boxMenu"

                    MenuItem {
                        objectName: "boxMenuWake"
                        iconName: "power"
                        text: root.box.state === BoxModel.Failed ? qsTr("Start again") : qsTr("Wake")
                        enabled: root.box.canWake
                        onTriggered: root.box.wake()
                    }
                    MenuItem {
                        objectName: "boxMenuSleep"
                        iconName: "moon"
                        text: qsTr("Sleep")
                        enabled: root.box.canSleep
                        onTriggered: root.box.sleep()
                    }
                    MenuSeparator {}
                    MenuItem {
                        objectName: "boxMenuDelete"
                        iconName: "trash"
                        text: qsTr("Delete…")
                        grave: true
                        enabled: root.box.canDelete
                        onTriggered: question.open()
                    }
                }
                ConfirmDialog {
                    id: question

                    title: qsTr("Delete %1?").arg(root.box.name)
                    sentence: root.box.lossText
                    confirmText: qsTr("Delete %1").arg(root.box.name)
                    onConfirmed: root.box.remove()
                    onClosed: more.forceActiveFocus(Qt.PopupFocusReason)
                }
            }
        }
        RowLayout {
            spacing: Theme.space2

            StatusDot {
                tint: root.tint
                hollow: root.box.state === BoxModel.Hibernated
            }
            Label {
                objectName: "boxState"
                text: root.box.stateText
                font: Theme.small
                color: Theme.textMuted
            }
            Label {
                Layout.fillWidth: true
                visible: text
                text: root.box.detail ? "·  " + root.box.detail : ""
                font: Theme.small
                color: Theme.textFaint
            }
        }
        Rectangle {
            Layout.fillWidth: true
            visible: root.box.failure
            implicitHeight: failure.implicitHeight + 2 * Theme.space2
            radius: Theme.radius
            color: Theme.dangerSoft

            Label {
                id: failure

                objectName: "boxFailure"
                anchors.fill: parent
                anchors.margins: Theme.space2
                text: root.box.failure
                font: Theme.small
                color: Theme.danger
                wrapMode: Text.Wrap
                lineHeight: 1.2
            }
        }
    }
}
