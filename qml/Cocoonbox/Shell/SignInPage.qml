// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

FocusScope {
    id: root

    required property AppModel app

    focus: true

    function submit() {
        root.app.signIn(address.text, token.text)
    }

    Rectangle {
        anchors.centerIn: parent
        width: Math.min(parent.width - 2 * Theme.space4, Theme.dialogWidth + 2 * Theme.space8)
        height: content.implicitHeight + 2 * Theme.space8
        radius: Theme.radiusLarge
        color: Theme.surface
        border.width: Theme.hairline
        border.color: Theme.border

        ColumnLayout {
            id: content

            anchors.fill: parent
            anchors.margins: Theme.space8
            spacing: Theme.space2

            Icon {
                Layout.preferredWidth: Theme.iconSizeLarge
                Layout.preferredHeight: Theme.iconSizeLarge
                Layout.bottomMargin: Theme.space2
                name: "box"
                color: Theme.accentText
            }
            Label {
                text: qsTr("Sign in to cocoonbox")
                font: Theme.display
            }
            Label {
                Layout.fillWidth: true
                Layout.bottomMargin: Theme.space4
                text: qsTr("Your box is a computer of its own, with an agent living in it.")
                color: Theme.textMuted
                wrapMode: Text.Wrap
            }
            Label {
                text: qsTr("Address")
                font: Theme.small
                color: Theme.textMuted
            }
            TextField {
                id: address

                objectName: "addressField"
                Layout.fillWidth: true
                text: root.app.apiUrl
                placeholderText: "http://127.0.0.1:7400"
                inputMethodHints: Qt.ImhUrlCharactersOnly | Qt.ImhNoPredictiveText
                Accessible.name: qsTr("Address of the api")
                onAccepted: token.forceActiveFocus()
            }
            Label {
                Layout.topMargin: Theme.space2
                text: qsTr("Token")
                font: Theme.small
                color: Theme.textMuted
            }
            TextField {
                id: token

                objectName: "tokenField"
                Layout.fillWidth: true
                focus: true
                failed: root.app.signInError
                echoMode: TextInput.Password
                inputMethodHints: Qt.ImhHiddenText | Qt.ImhSensitiveData | Qt.ImhNoPredictiveText
                placeholderText: qsTr("Paste your token")
                Accessible.name: qsTr("Token")
                onAccepted: root.submit()
            }
            Label {
                objectName: "signInError"
                Layout.fillWidth: true
                visible: text
                text: root.app.signInError
                color: Theme.danger
                wrapMode: Text.Wrap
                Accessible.role: Accessible.AlertMessage
            }
            Button {
                objectName: "signInButton"
                Layout.topMargin: Theme.space4
                Layout.fillWidth: true
                kind: Button.Primary
                enabled: !root.app.isSigningIn
                text: root.app.isSigningIn ? qsTr("Signing in…") : qsTr("Sign in")
                onClicked: root.submit()
            }
        }
    }
}
