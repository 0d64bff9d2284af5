// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import Cocoonbox.Theme

Rectangle {
    id: root

    property alias text: label.text
    property color ink: Theme.textMuted
    property color ground: Theme.sunken

    implicitWidth: label.implicitWidth + 2 * Theme.space2
    implicitHeight: label.implicitHeight + Theme.space1
    radius: height / 2
    color: ground

    Label {
        id: label

        anchors.centerIn: parent
        font: Theme.caption
        color: root.ink
    }
}
