// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Theme

// A button that is only an icon; `text` is its name for a screen reader and its tool tip.
T.AbstractButton {
    id: root

    required property string iconName
    property color ink: hovered ? Theme.text : Theme.textMuted

    implicitWidth: Theme.controlHeight
    implicitHeight: Theme.controlHeight
    focusPolicy: Qt.StrongFocus
    opacity: enabled ? 1 : 0.4

    Accessible.role: Accessible.Button
    Accessible.name: text

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            name: root.iconName
            color: root.ink
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: root.down || root.checked ? Theme.pressed : root.hovered ? Theme.hover : "transparent"

        FocusRing {
            visible: root.visualFocus
        }
    }

    Loader {
        active: root.hovered
        sourceComponent: ToolTip {
            parent: root
            text: root.text
            visible: root.hovered
        }
    }
}
