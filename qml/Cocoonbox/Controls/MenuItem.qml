// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Theme

// One thing that can be done: an icon or a tick, words, and the key that does the same.
T.MenuItem {
    id: root

    property string iconName
    property string keys
    property bool grave: false // takes something away for good

    readonly property color ink: grave ? Theme.danger : Theme.text

    implicitWidth: leftPadding + rightPadding + words.x + words.implicitWidth
        + (hint.implicitWidth > 0 ? hint.implicitWidth + Theme.space4 : 0) + (subMenu ? Theme.iconSize : 0)
    implicitHeight: visible ? Theme.controlHeight : 0
    leftPadding: Theme.space2
    rightPadding: Theme.space3
    opacity: enabled ? 1 : 0.45

    Accessible.role: Accessible.MenuItem
    Accessible.name: text

    indicator: Icon {
        x: root.leftPadding
        anchors.verticalCenter: parent ? parent.verticalCenter : undefined
        name: root.checkable && root.checked ? "check" : root.iconName
        color: root.ink
    }
    arrow: Icon {
        x: root.width - width - Theme.space2
        anchors.verticalCenter: parent ? parent.verticalCenter : undefined
        visible: root.subMenu
        name: "chevron-right"
        color: Theme.textMuted
    }
    contentItem: Item {
        Label {
            id: words

            x: Theme.iconSize + Theme.space2
            width: parent.width - x - hint.width - Theme.space2
            height: parent.height
            text: root.text
            color: root.ink
        }
        Label {
            id: hint

            anchors.right: parent.right
            height: parent.height
            text: root.keys
            font: Theme.small
            color: Theme.textFaint
        }
    }
    background: Rectangle {
        radius: Theme.radiusSmall
        color: root.down ? Theme.pressed : root.highlighted ? Theme.hover : "transparent"
    }
}
