// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import Cocoonbox.Theme

// A state at a glance; the words always stand beside it.
Rectangle {
    id: root

    property color tint: Theme.textFaint
    property bool hollow: false

    implicitWidth: Theme.space2
    implicitHeight: Theme.space2
    radius: width / 2
    color: hollow ? "transparent" : tint
    border.width: hollow ? 1.5 : 0
    border.color: tint
}
