// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import Cocoonbox.App
import Cocoonbox.Theme

// What stands where there is nothing yet: what this place is for, and the way on.
Column {
    id: root

    required property string iconName
    required property string title
    property string sentence
    property string actionText
    property bool actionEnabled: true
    property bool busy: false

    signal acted

    spacing: Theme.space2

    Icon {
        anchors.horizontalCenter: parent.horizontalCenter
        width: Theme.iconSizeLarge
        height: Theme.iconSizeLarge
        name: root.iconName
        color: Theme.textFaint
    }
    Item {
        width: 1
        height: Theme.space1
    }
    Label {
        width: parent.width
        horizontalAlignment: Text.AlignHCenter
        text: root.title
        font: Theme.title
        wrapMode: Text.Wrap
    }
    Label {
        width: parent.width
        horizontalAlignment: Text.AlignHCenter
        visible: text
        text: root.sentence
        color: Theme.textMuted
        wrapMode: Text.Wrap
        lineHeight: Theme.lineHeight
    }
    ActivityDots {
        anchors.horizontalCenter: parent.horizontalCenter
        visible: root.busy
    }
    Item {
        width: 1
        height: Theme.space1
        visible: root.actionText
    }
    Button {
        anchors.horizontalCenter: parent.horizontalCenter
        objectName: root.objectName ? root.objectName + "Action" : ""
        visible: root.actionText
        enabled: root.actionEnabled
        kind: Button.Primary
        text: root.actionText
        onClicked: root.acted()
    }
}
