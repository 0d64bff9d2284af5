// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import Cocoonbox.Theme

// Shows where the keyboard is. Goes around its parent, or inside it where the parent fills its place.
Rectangle {
    id: root

    property bool inside: false
    property real parentRadius: Theme.radius

    anchors.fill: parent
    anchors.margins: inside ? 0 : -Theme.focusWidth
    radius: inside ? parentRadius : parentRadius + Theme.focusWidth
    color: "transparent"
    border.width: Theme.focusWidth
    border.color: Theme.accent
}
