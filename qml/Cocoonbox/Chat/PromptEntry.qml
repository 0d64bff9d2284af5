// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import Cocoonbox.Theme

// The user's own words, as they typed them.
Item {
    id: root

    required property string text
    required property string timeText

    implicitHeight: bubble.height

    Rectangle {
        id: bubble

        anchors.right: parent.right
        width: Math.min(words.implicitWidth + 2 * Theme.space3, root.width - Theme.space8)
        height: words.height + 2 * Theme.space2
        radius: Theme.radiusLarge
        color: Theme.accentSoft

        TextEdit {
            id: words

            x: Theme.space3
            y: Theme.space2
            width: parent.width - 2 * Theme.space3
            text: root.text
            textFormat: TextEdit.PlainText
            readOnly: true
            selectByMouse: true
            wrapMode: TextEdit.Wrap
            color: Theme.text
            font: Theme.body
            selectionColor: Theme.selection
            selectedTextColor: Theme.text

            Accessible.role: Accessible.StaticText
            Accessible.name: qsTr("You, %1: %2").arg(root.timeText).arg(root.text)
        }
    }
}
