// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Cocoonbox.Theme

// A few choices of which one holds, side by side.
Rectangle {
    id: root

    required property list<string> titles
    property int current: 0
    property bool stretch: false

    signal chosen(int index)

    implicitWidth: row.implicitWidth + Theme.space1
    implicitHeight: Theme.controlHeight
    radius: Theme.radius
    color: Theme.sunken

    Accessible.role: Accessible.PageTabList

    Row {
        id: row

        anchors.fill: parent
        anchors.margins: 2

        Repeater {
            model: root.titles

            T.AbstractButton {
                id: tab

                required property string modelData
                required property int index

                objectName: "tab" + index
                width: root.stretch ? row.width / root.titles.length : implicitWidth
                height: row.height
                implicitWidth: label.implicitWidth + 2 * Theme.space3
                text: modelData
                checked: root.current === index
                focusPolicy: Qt.StrongFocus
                onClicked: root.chosen(index)

                Accessible.role: Accessible.PageTab
                Accessible.name: text
                Accessible.selected: checked

                contentItem: Label {
                    id: label

                    horizontalAlignment: Text.AlignHCenter
                    text: tab.text
                    color: tab.checked ? Theme.text : Theme.textMuted
                }
                background: Rectangle {
                    radius: Theme.radiusSmall
                    color: tab.checked ? Theme.surface : tab.hovered ? Theme.hover : "transparent"
                    border.width: tab.checked ? Theme.hairline : 0
                    border.color: Theme.border

                    FocusRing {
                        inside: true
                        parentRadius: Theme.radiusSmall
                        visible: tab.visualFocus
                    }
                }
            }
        }
    }
}
