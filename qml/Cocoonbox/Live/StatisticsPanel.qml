// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// Figures of the live view, once a second, while they are wanted.
Rectangle {
    id: root

    required property LiveView view
    property bool shown: false

    objectName: "statistics"
    visible: shown
    implicitWidth: table.implicitWidth + 2 * Theme.space3
    implicitHeight: table.implicitHeight + 2 * Theme.space3
    radius: Theme.radius
    color: Theme.surface
    border.width: Theme.hairline
    border.color: Theme.border

    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Statistics of the live picture")

    LiveStatistics {
        id: statistics

        view: root.view
        running: root.shown
    }
    Row {
        id: table

        anchors.centerIn: parent
        spacing: Theme.space4

        Column {
            Repeater {
                model: statistics.names

                Label {
                    required property string modelData

                    text: modelData
                    font: Theme.small
                    color: Theme.textMuted
                    height: Theme.iconSize + Theme.space1 / 2
                }
            }
        }
        Column {
            objectName: "statisticsValues"

            Repeater {
                model: statistics.values

                Label {
                    required property string modelData

                    text: modelData
                    font: Theme.mono
                    height: Theme.iconSize + Theme.space1 / 2
                }
            }
        }
        Label {
            visible: statistics.names.length === 0
            text: qsTr("Measuring…")
            font: Theme.small
            color: Theme.textMuted
        }
    }
}
