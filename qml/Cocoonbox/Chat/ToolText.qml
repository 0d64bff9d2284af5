// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.Controls
import Cocoonbox.Theme

// What went into a tool or came out of it: text as it is, scrolled when it is long.
Column {
    id: root

    required property string title
    property alias text: edit.text
    property bool failed: false

    spacing: Theme.space1

    Label {
        text: root.title
        font: Theme.caption
        color: root.failed ? Theme.danger : Theme.textFaint
    }
    Rectangle {
        width: root.width
        height: Math.min(edit.implicitHeight + 2 * Theme.space2, Theme.toolOutputHeight)
        radius: Theme.radiusSmall
        color: root.failed ? Theme.dangerSoft : Theme.sunken

        Flickable {
            anchors.fill: parent
            anchors.margins: Theme.space2
            contentHeight: edit.implicitHeight
            clip: true
            boundsBehavior: Flickable.StopAtBounds

            T.ScrollBar.vertical: ScrollBar {}

            TextEdit {
                id: edit

                width: parent.width
                readOnly: true
                selectByMouse: true
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.WrapAnywhere
                font: Theme.mono
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text

                Accessible.role: Accessible.StaticText
                Accessible.name: root.title
            }
        }
    }
}
