// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import Cocoonbox.App
import Cocoonbox.Controls

// What can be done with the live picture beside taking over.
Menu {
    id: root

    required property ScreenModel screen
    required property int zoom
    required property bool full
    required property bool sharesClipboard
    required property bool showsStatistics
    required property int macKeys
    required property bool connected

    signal zoomChosen(int zoom)
    signal zoomStepped(int direction)
    signal fullToggled
    signal sharesClipboardToggled
    signal statisticsToggled
    signal macKeysChosen(int keys)
    signal typeClipboardAsked
    signal filesAsked

    readonly property bool mine: screen.control === ScreenModel.Mine
    // While in control the app's keys are pressed with the chord held.
    readonly property string chordPrefix: mine ? qsTr("Ctrl+Alt+Shift+") : ""

    objectName: "liveMenu"

    MenuItem {
        objectName: "liveMenuFit"
        text: qsTr("Fit the window")
        checkable: true
        checked: root.zoom === 0
        keys: root.mine ? root.chordPrefix + "0" : qsTr("Ctrl+0")
        onTriggered: root.zoomChosen(0)
    }
    MenuItem {
        objectName: "liveMenuFullSize"
        text: qsTr("100 %, pixel for pixel")
        checkable: true
        checked: root.zoom === 100
        keys: root.mine ? root.chordPrefix + "1" : qsTr("Ctrl+1")
        onTriggered: root.zoomChosen(100)
    }
    MenuItem {
        objectName: "liveMenuZoomIn"
        text: qsTr("Larger")
        keys: root.mine ? root.chordPrefix + "+" : qsTr("Ctrl++")
        onTriggered: root.zoomStepped(1)
    }
    MenuItem {
        objectName: "liveMenuZoomOut"
        text: qsTr("Smaller")
        keys: root.mine ? root.chordPrefix + "−" : qsTr("Ctrl+−")
        onTriggered: root.zoomStepped(-1)
    }
    MenuItem {
        objectName: "liveMenuFull"
        iconName: root.full ? "minimize" : "maximize"
        text: root.full ? qsTr("Leave full screen") : qsTr("Full screen")
        keys: root.chordPrefix + qsTr("F11")
        onTriggered: root.fullToggled()
    }
    MenuItem {
        objectName: "liveMenuStatistics"
        iconName: "gauge"
        text: qsTr("Statistics")
        checkable: true
        checked: root.showsStatistics
        keys: root.mine ? root.chordPrefix + "S" : qsTr("Ctrl+Shift+S")
        onTriggered: root.statisticsToggled()
    }
    MenuSeparator {}
    MenuItem {
        objectName: "liveMenuClipboard"
        text: qsTr("Share the clipboard")
        checkable: true
        checked: root.sharesClipboard
        onTriggered: root.sharesClipboardToggled()
    }
    MenuItem {
        objectName: "liveMenuTypeClipboard"
        iconName: "keyboard"
        text: qsTr("Type the clipboard")
        enabled: root.mine
        keys: root.mine ? root.chordPrefix + "V" : ""
        onTriggered: root.typeClipboardAsked()
    }
    Menu {
        objectName: "liveMenuKeys"
        title: qsTr("Send keys")
        enabled: root.mine

        // X keysyms. For what this computer's own window system keeps for itself.
        Repeater {
            model: [
                { "text": qsTr("Ctrl+Alt+Delete"), "keys": [0xffe3, 0xffe9, 0xffff] },
                { "text": qsTr("Alt+Tab"), "keys": [0xffe9, 0xff09] },
                { "text": qsTr("Alt+F4"), "keys": [0xffe9, 0xffc1] },
                { "text": qsTr("Super"), "keys": [0xffeb] },
                { "text": qsTr("Print screen"), "keys": [0xff61] },
                { "text": qsTr("Escape"), "keys": [0xff1b] }
            ]

            MenuItem {
                required property var modelData

                text: modelData.text
                onTriggered: root.screen.pressTogether(modelData.keys)
            }
        }
    }
    MenuSeparator {}
    MenuItem {
        objectName: "liveMenuFiles"
        iconName: "download"
        text: qsTr("Save a file of the box…")
        enabled: root.connected
        onTriggered: root.filesAsked()
    }
    MenuSeparator {
        visible: Qt.platform.os === "osx"
        height: visible ? implicitHeight : 0
    }
    Repeater {
        model: Qt.platform.os === "osx" ? [qsTr("Command is Ctrl"), qsTr("Command is Super"), qsTr("Option types characters")]
                                        : []

        MenuItem {
            required property string modelData
            required property int index

            text: modelData
            checkable: true
            checked: root.macKeys === index
            onTriggered: root.macKeysChosen(index)
        }
    }
}
