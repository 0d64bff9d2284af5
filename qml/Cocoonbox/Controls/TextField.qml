// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.Theme

T.TextField {
    id: root

    property bool failed: false

    implicitWidth: Theme.dialogWidth
    implicitHeight: Theme.controlHeight + Theme.space1
    leftPadding: Theme.space3
    rightPadding: Theme.space3
    font: Theme.body
    color: Theme.text
    selectionColor: Theme.selection
    selectedTextColor: Theme.text
    placeholderTextColor: Theme.textFaint
    verticalAlignment: TextInput.AlignVCenter
    selectByMouse: true

    Accessible.name: placeholderText

    Label {
        x: root.leftPadding
        width: root.width - root.leftPadding - root.rightPadding
        height: root.height
        visible: !root.length && !root.preeditText
        text: root.placeholderText
        color: root.placeholderTextColor
    }

    background: Rectangle {
        radius: Theme.radius
        color: Theme.surface
        border.width: root.activeFocus ? Theme.focusWidth : Theme.hairline
        border.color: root.failed ? Theme.danger : root.activeFocus ? Theme.accent : Theme.borderStrong
    }
}
