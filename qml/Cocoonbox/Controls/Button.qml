// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Theme

T.Button {
    id: root

    enum Kind { Secondary, Primary, Quiet, Danger }

    property int kind: Button.Secondary
    property string iconName
    property bool small: false
    // Colour of text and icon; bars with a ground of their own set it.
    property color ink: {
        switch (kind) {
        case Button.Primary: return Theme.accentInk
        case Button.Danger: return Theme.dangerInk
        default: return Theme.text
        }
    }
    property color ground: {
        switch (kind) {
        case Button.Primary: return down ? Theme.accentPressed : hovered ? Theme.accentHover : Theme.accent
        case Button.Danger: return hovered ? Theme.dangerHover : Theme.danger
        case Button.Quiet: return down ? Theme.pressed : hovered ? Theme.hover : "transparent"
        default: return Theme.surface
        }
    }

    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    implicitHeight: small ? Theme.controlHeightSmall : Theme.controlHeight
    leftPadding: iconName && !text ? (height - Theme.iconSize) / 2 : small ? Theme.space2 : Theme.space3
    rightPadding: leftPadding
    font: Theme.body
    focusPolicy: Qt.StrongFocus
    opacity: enabled ? 1 : 0.45

    Accessible.role: Accessible.Button
    Accessible.name: text

    contentItem: Item {
        implicitWidth: words.implicitWidth
        implicitHeight: words.implicitHeight

        Row {
            id: words

            anchors.centerIn: parent
            spacing: Theme.space2

            Icon {
                anchors.verticalCenter: parent.verticalCenter
                visible: root.iconName
                name: root.iconName
                color: root.ink
            }
            Label {
                anchors.verticalCenter: parent.verticalCenter
                visible: root.text
                text: root.text
                font: root.font
                color: root.ink
            }
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: root.ground
        border.width: root.kind === Button.Secondary ? Theme.hairline : 0
        border.color: root.hovered ? Theme.borderStrong : Theme.border

        Rectangle {
            anchors.fill: parent
            radius: parent.radius
            visible: root.kind === Button.Secondary
            color: root.down ? Theme.pressed : root.hovered ? Theme.hover : "transparent"
        }
        FocusRing {
            visible: root.visualFocus
        }
    }
}
