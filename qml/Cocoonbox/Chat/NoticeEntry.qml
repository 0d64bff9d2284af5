// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Theme

// A remark of the agent's own, quiet; or, `failed`, how a turn ended badly and what to do, loud.
Rectangle {
    id: root

    required property string text
    property bool failed: false

    implicitHeight: row.implicitHeight + (failed ? 2 * Theme.space2 : 0)
    radius: Theme.radius
    color: failed ? Theme.dangerSoft : "transparent"

    RowLayout {
        id: row

        anchors.fill: parent
        anchors.margins: root.failed ? Theme.space2 : 0
        anchors.leftMargin: Theme.space2
        spacing: Theme.space2

        Icon {
            Layout.alignment: Qt.AlignTop
            name: root.failed ? "alert" : "clock"
            color: root.failed ? Theme.danger : Theme.textFaint
        }
        TextEdit {
            objectName: root.failed ? "errorText" : "noticeText"
            Layout.fillWidth: true
            text: root.text
            textFormat: TextEdit.PlainText
            readOnly: true
            selectByMouse: true
            wrapMode: TextEdit.Wrap
            font: root.failed ? Theme.body : Theme.small
            color: root.failed ? Theme.danger : Theme.textMuted
            selectionColor: Theme.selection
            selectedTextColor: Theme.text

            Accessible.role: root.failed ? Accessible.AlertMessage : Accessible.StaticText
            Accessible.name: root.text
        }
    }
}
