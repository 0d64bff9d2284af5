// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// Above the picture: who holds mouse and keyboard, and the way to take or return them. Coloured while the user holds
// them, because then what is typed goes to the box; the chord that leads out stands in it.
Rectangle {
    id: root

    required property ScreenModel screen
    required property bool agentWaits
    required property bool takesKeys
    required property int zoom
    required property int shownZoom
    property bool full: false

    signal zoomChosen(int zoom)
    signal fullToggled
    signal menuAsked(Item button)

    readonly property bool mine: screen.control === ScreenModel.Mine
    readonly property bool agents: screen.control === ScreenModel.Agent
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
            name: root.mine ? "pointer" : root.theirs ? "person" : root.agents ? "spark" : "screen"
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
                    if (!root.takesKeys)
                        return qsTr("You are in control. Click the picture to type.")
                    return root.agentWaits ? qsTr("You are in control. The agent waits for the screen.")
                                           : qsTr("You are in control")
                case ScreenModel.Agent: return qsTr("Agent in control: %1").arg(root.screen.holder)
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
            titles: [qsTr("Fit"), qsTr("%1 %").arg(root.zoom || 100)]
            current: root.zoom === 0 ? 0 : 1
            onChosen: index => root.zoomChosen(index === 0 ? 0 : root.zoom || 100)
        }
        IconButton {
            objectName: "fullScreenButton"
            visible: root.screen.hasPicture
            iconName: root.full ? "minimize" : "maximize"
            text: root.full ? qsTr("Leave full screen (F11)") : qsTr("Full screen (F11)")
            ink: root.mine ? Theme.accentInk : hovered ? Theme.text : Theme.textMuted
            onClicked: root.fullToggled()
        }
        IconButton {
            id: more

            objectName: "liveMenuButton"
            visible: root.screen.hasPicture
            iconName: "dots"
            text: qsTr("More about the screen")
            ink: root.mine ? Theme.accentInk : hovered ? Theme.text : Theme.textMuted
            onClicked: root.menuAsked(more)
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
            text: root.theirs ? qsTr("Take from %1").arg(root.screen.holder) : qsTr("Take over")
            onClicked: root.screen.takeOver(root.theirs)
        }
    }
    Separator {
        anchors.bottom: parent.bottom
        width: parent.width
        visible: !root.mine
    }
}
