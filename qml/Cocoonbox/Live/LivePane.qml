// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// The box's screen with the bar above it and the files on their way below. Nothing lies over a live picture but what is
// asked for: an overlay would be drawn again with every frame.
FocusScope {
    id: root

    required property BoxModel box
    property int zoom: 0
    property bool full: false
    property bool sharesClipboard: true
    property int macKeys: 0
    property bool showsStatistics: false

    signal zoomChosen(int zoom)
    signal fullToggled
    signal sharesClipboardChosen(bool shares)
    signal macKeysChosen(int keys)
    signal typeClipboardAsked

    readonly property ScreenModel screen: box.screen
    readonly property bool asleep: box.state === BoxModel.Hibernated
    readonly property bool failed: box.state === BoxModel.Failed

    function stepZoom(direction: int): void {
        root.zoomChosen(canvas.view.nextZoom(direction))
    }
    function toggleStatistics(): void {
        root.showsStatistics = !root.showsStatistics
    }
    function onChordKey(key: int): void {
        if (key === Chord.FullScreen)
            root.fullToggled()
        else if (key === Chord.Fit || key === Chord.FullSize)
            root.zoomChosen(key === Chord.Fit ? 0 : 100)
        else if (key === Chord.ZoomIn || key === Chord.ZoomOut)
            root.stepZoom(key === Chord.ZoomIn ? 1 : -1)
        else if (key === Chord.Statistics)
            root.toggleStatistics()
        else
            root.typeClipboardAsked()
    }

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Screen of %1").arg(box.name)

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        TakeOverBar {
            Layout.fillWidth: true
            screen: root.screen
            agentWaits: root.box.agents.screenAwaited
            takesKeys: canvas.view.takesKeys
            zoom: root.zoom
            shownZoom: canvas.view.shownZoom
            full: root.full
            onZoomChosen: zoom => root.zoomChosen(zoom)
            onFullToggled: root.fullToggled()
            onMenuAsked: button => menu.popup(button, button.width - menu.width, button.height + Theme.space1)
        }
        Banner {
            Layout.fillWidth: true
            objectName: "linkBanner"
            visible: root.box.linkMessage
            text: root.box.linkMessage
            tone: Banner.Warning
            actionText: qsTr("Try again")
            onActed: root.box.retry()
        }
        Banner {
            Layout.fillWidth: true
            objectName: "controlBanner"
            visible: root.screen.controlError
            text: root.screen.controlError
            tone: Banner.Warning
            actionText: qsTr("Dismiss")
            onActed: root.screen.dismissControlError()
        }
        Rectangle {
            Layout.fillWidth: true
            Layout.fillHeight: true
            color: Theme.canvas
            clip: true

            LiveCanvas {
                id: canvas

                anchors.fill: parent
                margin: root.full ? 0 : Theme.space3
                screen: root.screen
                zoom: root.zoom
                macKeys: root.macKeys
                visible: root.screen.hasPicture
                onZoomChosen: zoom => root.zoomChosen(zoom)
                onChordKeyPressed: key => root.onChordKey(key)
            }
            StatisticsPanel {
                x: parent.width - width - Theme.space6
                y: Theme.space6
                shown: root.showsStatistics && canvas.visible
                view: canvas.view
            }
            DropArea {
                id: dropArea

                objectName: "dropArea"
                anchors.fill: parent
                enabled: root.box.isConnected
                onEntered: drag => drag.accepted = drag.hasUrls
                onDropped: drop => {
                    root.box.transfers.upload(drop.urls)
                    drop.accept(Qt.CopyAction)
                }
            }
            Rectangle {
                objectName: "dropHint"
                anchors.fill: parent
                anchors.margins: Theme.space3
                visible: dropArea.containsDrag
                radius: Theme.radius
                color: Theme.scrim
                border.width: Theme.focusWidth
                border.color: Theme.accent

                Rectangle {
                    anchors.centerIn: parent
                    width: dropWords.width + 2 * Theme.space4
                    height: Theme.controlHeight + Theme.space2
                    radius: height / 2
                    color: Theme.surface
                    border.width: Theme.hairline
                    border.color: Theme.border

                    Label {
                        id: dropWords

                        anchors.centerIn: parent
                        text: qsTr("Drop to copy to /workspace/Uploads")
                    }
                }
            }
            EmptyState {
                objectName: "screenEmpty"
                anchors.centerIn: parent
                width: Math.min(parent.width - 2 * Theme.space6, Theme.dialogWidth)
                visible: !root.screen.hasPicture
                iconName: root.asleep ? "moon" : root.failed ? "alert" : "screen"
                title: {
                    if (root.asleep)
                        return qsTr("%1 is asleep").arg(root.box.name)
                    if (root.failed)
                        return qsTr("%1 did not start").arg(root.box.name)
                    return root.box.isBusy ? root.box.stateText : qsTr("Connecting to the screen")
                }
                sentence: {
                    if (root.asleep)
                        return qsTr("Its files are kept. Programs start anew when it wakes.")
                    if (root.failed)
                        return root.box.failure
                    return root.box.isBusy ? root.box.detail : root.screen.message
                }
                busy: !root.asleep && !root.failed
                actionText: root.box.canWake ? (root.failed ? qsTr("Start again") : qsTr("Wake")) : ""
                onActed: root.box.wake()
            }
        }
        TransferStrip {
            Layout.fillWidth: true
            transfers: root.box.transfers
        }
    }
    Loader {
        id: filesPanel

        active: false
        sourceComponent: FilesPanel {
            files: root.box.files
            transfers: root.box.transfers
            visible: true
            onClosed: filesPanel.active = false
        }
    }
    LiveMenu {
        id: menu

        screen: root.screen
        zoom: root.zoom
        full: root.full
        sharesClipboard: root.sharesClipboard
        showsStatistics: root.showsStatistics
        macKeys: root.macKeys
        connected: root.box.isConnected
        onZoomChosen: zoom => root.zoomChosen(zoom)
        onZoomStepped: direction => root.stepZoom(direction)
        onFullToggled: root.fullToggled()
        onSharesClipboardToggled: root.sharesClipboardChosen(!root.sharesClipboard)
        onStatisticsToggled: root.toggleStatistics()
        onMacKeysChosen: keys => root.macKeysChosen(keys)
        onTypeClipboardAsked: root.typeClipboardAsked()
        onFilesAsked: filesPanel.active = true
        onClosed: if (mine) canvas.view.forceActiveFocus(Qt.PopupFocusReason)
    }
}
