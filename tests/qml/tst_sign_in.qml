// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtTest
import Cocoonbox.App
import Cocoonbox.Shell
import Cocoonbox.Testing

Item {
    width: 800
    height: 600

    TestApp { id: fake; scene: "signin" }
    Loader {
        id: page

        anchors.fill: parent
        focus: true
        sourceComponent: SignInPage { app: fake.model }
    }

    TestCase {
        name: "SignIn"
        when: windowShown

        function initTestCase() {
            tryCompare(fake.model, "stage", AppModel.SignedOut)
        }
        function test_tokenAndEnterSignIn() {
            const token = findChild(page.item, "tokenField")
            verify(token.activeFocus)
            compare(findChild(page.item, "addressField").text, "http://127.0.0.1:7400")
            keyClick(Qt.Key_Return)
            tryVerify(() => findChild(page.item, "signInError").text.length > 0)
            compare(fake.model.stage, AppModel.SignedOut)

            for (const key of "abc")
                keyClick(key)
            compare(token.displayText.indexOf("abc"), -1)
            keyClick(Qt.Key_Return)
            tryCompare(fake.model, "stage", AppModel.SignedIn)
        }
    }
}
