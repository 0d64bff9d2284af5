// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import Cocoonbox.App
import Cocoonbox.Chat
import Cocoonbox.Controls
import Cocoonbox.Live
import Cocoonbox.Theme

// The window of a signed-in user: boxes and agents, the screen, the conversation. Side by side where there is room,
// tabs where there is not, the screen alone when it is full.
FocusScope {
    id: root

    required property AppModel app
    property bool full: false

    signal fullChosen(bool full)

    readonly property BoxModel box: app.currentBox
    readonly property LivePane livePane: live.item as LivePane
    readonly property bool narrow: width < Theme.narrowWidth
    property int tab: 1
    readonly property real chatWidth: Math.max(Theme.chatWidthMin,
        Math.min(app.preferences.chatWidth || Theme.chatWidth, width - Theme.sidebarWidth - Theme.liveWidthMin))
    readonly property real contentTop: head.y + head.height
    readonly property real sideWidth: narrow ? width : Theme.sidebarWidth

    focus: true

    function show(pane) {
        root.tab = pane
        if (root.full && pane !== 1)
            root.fullChosen(false)
        if (pane === 0)
            sidebar.focusAgents()
        else if (pane === 2 && chat.item)
            (chat.item as ChatPane).focusComposer()
        else if (root.livePane)
            root.livePane.forceActiveFocus(Qt.ShortcutFocusReason)
    }
    function newAgent() {
        if (!root.box)
            return
        root.box.newAgent()
        root.show(2)
    }

    Shortcut { sequence: "Alt+1"; onActivated: root.show(0) }
    Shortcut { sequence: "Alt+2"; onActivated: root.show(1) }
    Shortcut { sequence: "Alt+3"; onActivated: root.show(2) }
    Shortcut { sequence: "Ctrl+0"; onActivated: root.app.preferences.zoom = 0 }
    Shortcut { sequence: "Ctrl+1"; onActivated: root.app.preferences.zoom = 100 }
    Shortcut { sequences: ["Ctrl++", "Ctrl+="]; enabled: root.livePane; onActivated: root.livePane.stepZoom(1) }
    Shortcut { sequence: "Ctrl+-"; enabled: root.livePane; onActivated: root.livePane.stepZoom(-1) }
    Shortcut { sequence: "Ctrl+Shift+S"; enabled: root.livePane; onActivated: root.livePane.toggleStatistics() }
    Shortcut { sequence: "Ctrl+N"; onActivated: root.newAgent() }
    Shortcut { sequences: ["Ctrl+Return", "Ctrl+Enter"]; enabled: root.box; onActivated: root.box.screen.takeOver() }
    Shortcut { sequence: "F11"; onActivated: { root.tab = 1; root.fullChosen(!root.full) } }
    Shortcut { sequence: "Esc"; enabled: root.full; onActivated: root.fullChosen(false) }
    Shortcut { sequences: [StandardKey.Quit]; onActivated: Qt.quit() }

    Column {
        id: head

        width: parent.width
        z: 1

        Banner {
            objectName: "connectionBanner"
            width: parent.width
            visible: root.app.connectionMessage
            text: root.app.connectionMessage
            tone: Banner.Warning
            actionText: qsTr("Try again")
            onActed: root.app.retry()
        }
        Banner {
            objectName: "noticeBanner"
            width: parent.width
            visible: root.app.notice
            text: root.app.notice
            actionText: qsTr("Dismiss")
            onActed: root.app.dismissNotice()
        }
        Item {
            width: parent.width
            height: visible ? Theme.barHeight : 0
            visible: root.narrow && !root.full

            TabStrip {
                objectName: "paneTabs"
                anchors.fill: parent
                anchors.margins: Theme.space2
                stretch: true
                titles: [qsTr("Boxes"), qsTr("Screen"), qsTr("Chat")]
                current: root.tab
                onChosen: index => root.show(index)
            }
        }
    }

    Sidebar {
        id: sidebar

        y: root.contentTop
        width: root.sideWidth
        height: root.height - root.contentTop
        visible: !root.full && (!root.narrow || root.tab === 0)
        app: root.app
        onAgentChosen: agentId => {
            root.box.conversation.open(agentId)
            root.tab = 2
        }
        onNewAgentAsked: root.newAgent()
    }
    Separator {
        x: root.sideWidth
        y: root.contentTop
        height: root.height - root.contentTop
        visible: !root.full && !root.narrow
    }
    Loader {
        id: live

        x: root.full || root.narrow ? 0 : root.sideWidth + Theme.hairline
        y: root.contentTop
        width: root.full || root.narrow ? root.width : root.width - root.sideWidth - root.chatWidth - 2 * Theme.hairline
        height: root.height - root.contentTop
        active: root.box
        visible: root.full || !root.narrow || root.tab === 1
        sourceComponent: LivePane {
            box: root.box
            zoom: root.app.preferences.zoom
            macKeys: root.app.preferences.macKeys
            full: root.full
            sharesClipboard: root.app.sharesClipboard
            onZoomChosen: zoom => root.app.preferences.zoom = zoom
            onMacKeysChosen: keys => root.app.preferences.macKeys = keys
            onFullToggled: root.fullChosen(!root.full)
            onSharesClipboardChosen: shares => root.app.sharesClipboard = shares
            onTypeClipboardAsked: root.app.typeClipboard()
        }
    }
    Loader {
        id: chat

        x: root.narrow ? 0 : root.width - root.chatWidth
        y: root.contentTop
        width: root.narrow ? root.width : root.chatWidth
        height: root.height - root.contentTop
        active: root.box
        focus: true
        visible: !root.full && (!root.narrow || root.tab === 2)
        sourceComponent: ChatPane {
            focus: true
            conversation: root.box.conversation
            onNewAgentAsked: root.newAgent()
        }
    }
    Separator {
        x: chat.x - width
        y: root.contentTop
        height: root.height - root.contentTop
        visible: chat.visible && !root.narrow && root.box

        // Wider than it looks, so that it can be caught.
        Item {
            anchors.horizontalCenter: parent.horizontalCenter
            width: Theme.space2
            height: parent.height

            HoverHandler {
                cursorShape: Qt.SplitHCursor
            }
            DragHandler {
                target: null
                yAxis.enabled: false
                onCentroidChanged: if (active) root.app.preferences.chatWidth = Math.round(root.width - centroid.scenePosition.x)
            }
        }
    }
    EmptyState {
        objectName: "noBox"
        x: (root.narrow ? 0 : root.sideWidth) + Math.round(((root.narrow ? root.width : root.width - root.sideWidth) - width) / 2)
        y: Math.round((root.height - height) / 2)
        width: Math.min(root.width - root.sideWidth - 2 * Theme.space6, Theme.dialogWidth)
        visible: !root.box
        iconName: "box"
        title: root.app.hasBoxes ? qsTr("No box yet") : qsTr("Looking for your boxes")
        sentence: root.app.hasBoxes ? qsTr("A box is a computer of your own that keeps everything you and your agents do in it.") : ""
        busy: !root.app.hasBoxes || root.app.isCreatingBox
        actionText: root.app.hasBoxes ? qsTr("Create a box") : ""
        actionEnabled: !root.app.isCreatingBox
        onActed: root.app.createBox()
    }
}
