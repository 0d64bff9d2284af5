// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.Theme

// A row of a list that can be chosen. The content is the user's.
T.AbstractButton {
    id: root

    property bool selected: false

    implicitHeight: Theme.rowHeight
    leftPadding: Theme.space3
    rightPadding: Theme.space3
    topPadding: Theme.space2
    bottomPadding: Theme.space2
    focusPolicy: Qt.StrongFocus

    Accessible.role: Accessible.ListItem
    Accessible.name: text
    Accessible.selected: selected

    background: Rectangle {
        radius: Theme.radius
        color: root.selected ? Theme.accentSoft : root.down ? Theme.pressed : root.hovered ? Theme.hover : "transparent"

        FocusRing {
            inside: true
            visible: root.visualFocus
        }
    }
}
