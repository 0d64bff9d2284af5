// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.Theme

// Asks before something is lost: says what, and the button says what it does. Escape and the first focus are the way
// back.
T.Popup {
    id: root

    required property string title
    required property string sentence
    required property string confirmText

    signal confirmed

    objectName: "confirmDialog"
    parent: T.Overlay.overlay
    anchors.centerIn: parent
    width: Math.min(Theme.dialogWidth, parent ? parent.width - 2 * Theme.space4 : Theme.dialogWidth)
    implicitHeight: implicitContentHeight + topPadding + bottomPadding
    padding: Theme.space6
    modal: true
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside

    onOpened: cancel.forceActiveFocus(Qt.TabFocusReason)

    T.Overlay.modal: Rectangle {
        color: Theme.scrim
    }
    background: Rectangle {
        radius: Theme.radiusLarge
        color: Theme.surface
        border.width: Theme.hairline
        border.color: Theme.border
    }
    contentItem: Column {
        spacing: Theme.space3

        Accessible.role: Accessible.AlertMessage
        Accessible.name: root.title + " " + root.sentence

        Label {
            objectName: "confirmTitle"
            width: parent.width
            text: root.title
            font: Theme.title
            wrapMode: Text.Wrap
        }
        Label {
            objectName: "confirmSentence"
            width: parent.width
            text: root.sentence
            color: Theme.textMuted
            wrapMode: Text.Wrap
            lineHeight: Theme.lineHeight
        }
        Item {
            width: 1
            height: Theme.space1
        }
        Row {
            anchors.right: parent.right
            spacing: Theme.space2

            Button {
                id: cancel

                objectName: "confirmCancel"
                text: qsTr("Cancel")
                KeyNavigation.right: confirm
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: root.close()
            }
            Button {
                id: confirm

                objectName: "confirmButton"
                kind: Button.Danger
                text: root.confirmText
                KeyNavigation.left: cancel
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: {
                    root.close()
                    root.confirmed()
                }
            }
        }
    }
}
