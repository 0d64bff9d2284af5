// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.Theme

T.ScrollBar {
    id: root

    implicitWidth: implicitContentWidth + 2 * padding
    implicitHeight: implicitContentHeight + 2 * padding
    padding: 2
    minimumSize: orientation === Qt.Horizontal ? height / width : width / height
    visible: policy !== T.ScrollBar.AlwaysOff && size < 1

    contentItem: Rectangle {
        implicitWidth: Theme.space1 + 2
        implicitHeight: Theme.space1 + 2
        radius: width / 2
        color: root.pressed || root.hovered ? Theme.textFaint : Theme.borderStrong
    }
}
