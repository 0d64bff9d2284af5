// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import Cocoonbox.Theme

// Says that work goes on. Steps a few times a second instead of moving at 60 frames; still when not seen.
Row {
    id: root

    property bool running: true
    property color tint: Theme.textMuted
    property int at: 0

    spacing: Theme.space1

    Accessible.role: Accessible.Indicator
    Accessible.name: qsTr("Working")

    Repeater {
        model: 3

        Rectangle {
            required property int index

            width: Theme.space1
            height: width
            radius: width / 2
            color: root.tint
            opacity: root.at === index ? 1 : 0.35
        }
    }

    Timer {
        interval: Theme.step
        repeat: true
        running: root.running && root.visible && root.Window.visibility !== Window.Minimized
        onTriggered: root.at = (root.at + 1) % 3
    }
}
