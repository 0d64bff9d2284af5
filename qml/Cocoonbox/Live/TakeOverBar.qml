// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// Above the picture: who holds mouse and keyboard, and the way to take or return them. Coloured while the user holds
// them, because then what is typed goes to the box.
Rectangle {
    id: root

    required property ScreenModel screen
    required property bool agentWaits
    property bool fits: true
    property bool full: false

    signal fitsChosen(bool fits)
    signal fullToggled

    readonly property bool mine: screen.control === ScreenModel.Mine
    readonly property bool theirs: screen.control === ScreenModel.Theirs
    readonly property bool live: screen.picture === ScreenModel.Live
    readonly property bool roomy: width > 620
    readonly property color ink: mine ? Theme.accentInk : theirs ? Theme.warning : Theme.textMuted

    implicitHeight: Theme.barHeight
    color: mine ? Theme.accent : theirs ? Theme.warningSoft : Theme.window

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.space4
        anchors.rightMargin: Theme.space2
        spacing: Theme.space2

        Icon {
            name: root.mine ? "pointer" : root.theirs ? "person" : "screen"
            color: root.ink
        }
        Label {
            objectName: "controlText"
            Layout.fillWidth: true
            color: root.mine ? Theme.accentInk : root.theirs ? Theme.warning : Theme.text
            font: root.mine ? Theme.bodyStrong : Theme.body
            text: {
                switch (root.screen.control) {
                case ScreenModel.Mine:
                    return root.agentWaits ? qsTr("You are in control. The agent waits for the screen.")
                                           : qsTr("You are in control")
                case ScreenModel.Theirs: return qsTr("%1 is in control").arg(root.screen.holder)
                case ScreenModel.Asking: return qsTr("Taking over…")
                default: return root.live ? qsTr("Watching") : qsTr("Screen")
                }
            }
        }
        Label {
            visible: root.mine && root.roomy
            text: qsTr("Ctrl + Alt + Shift hands back")
            font: Theme.small
            color: Theme.accentInk
        }
        TabStrip {
            objectName: "zoomTabs"
            visible: !root.mine && root.roomy && root.screen.hasPicture
            titles: [qsTr("Fit"), qsTr("100 %")]
            current: root.fits ? 0 : 1
            onChosen: index => root.fitsChosen(index === 0)
        }
        IconButton {
            objectName: "fullScreenButton"
            visible: root.screen.hasPicture
            iconName: root.full ? "minimize" : "maximize"
            text: root.full ? qsTr("Leave full screen (F11)") : qsTr("Full screen (F11)")
            ink: root.mine ? Theme.accentInk : hovered ? Theme.text : Theme.textMuted
            onClicked: root.fullToggled()
        }
        Button {
            objectName: "handBackButton"
            visible: root.mine
            text: qsTr("Hand back")
            onClicked: root.screen.handBack()
        }
        Button {
            objectName: "takeOverButton"
            visible: !root.mine && root.screen.hasPicture
            enabled: root.live && root.screen.control !== ScreenModel.Asking
            kind: root.theirs ? Button.Secondary : Button.Primary
            iconName: root.roomy ? "pointer" : ""
            text: root.theirs ? qsTr("Take over anyway") : qsTr("Take over")
            onClicked: root.screen.takeOver(root.theirs)
        }
    }
    Separator {
        anchors.bottom: parent.bottom
        width: parent.width
        visible: !root.mine
    }
}
