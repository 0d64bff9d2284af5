// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtTest
import Cocoonbox.Controls
import Cocoonbox.Theme

Item {
    width: 400
    height: 300

    Column {
        Button { id: first; text: "First" }
        Button { id: second; text: "Second"; kind: Button.Primary; iconName: "power" }
        IconButton { id: icon; text: "Icon"; iconName: "plus" }
        TabStrip { id: strip; titles: ["a", "b", "c"]; width: 200 }
        Label { id: label; width: 300 }
        Banner { id: banner; width: 300; text: "Something"; actionText: "Do" }
    }

    SignalSpy { id: clicked; target: first; signalName: "clicked" }
    SignalSpy { id: chosen; target: strip; signalName: "chosen" }
    SignalSpy { id: acted; target: banner; signalName: "acted" }

    TestCase {
        name: "Controls"
        when: windowShown

        function init() {
            clicked.clear()
            chosen.clear()
            acted.clear()
            icon.forceActiveFocus()
            first.forceActiveFocus(Qt.TabFocusReason)
        }

        function test_buttonsAreReachedAndPressedByKeyboard() {
            verify(first.visualFocus)
            keyClick(Qt.Key_Space)
            compare(clicked.count, 1)
            keyClick(Qt.Key_Tab)
            verify(second.activeFocus && second.visualFocus)
            keyClick(Qt.Key_Tab)
            verify(icon.activeFocus)
        }
        function test_aDisabledButtonDoesNothing() {
            first.enabled = false
            mouseClick(first)
            compare(clicked.count, 0)
            first.enabled = true
        }
        function test_tabsAreChosenByMouseAndKeyboard() {
            mouseClick(findChild(strip, "tab1"))
            compare(chosen.count, 1)
            compare(chosen.signalArguments[0][0], 1)
            findChild(strip, "tab2").forceActiveFocus(Qt.TabFocusReason)
            keyClick(Qt.Key_Space)
            compare(chosen.signalArguments[1][0], 2)
        }
        function test_labelsNeverTakeMarkup() {
            label.text = "<img src='http://evil.example/x.png'> <b>x</b>"
            compare(label.textFormat, Text.PlainText)
        }
        function test_aBannerHasOneAction() {
            const button = banner.children[0].children[2]
            mouseClick(button)
            compare(acted.count, 1)
        }
        function test_everyControlHasAName() {
            for (const item of [first, second, icon])
                verify(item.Accessible.name.length > 0)
        }
    }
}
