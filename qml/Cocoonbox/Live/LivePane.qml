// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// The box's screen with the bar above it. Nothing lies over a live picture: an overlay would be drawn again with every
// frame.
FocusScope {
    id: root

    required property BoxModel box
    property bool fits: true
    property bool full: false

    signal fitsChosen(bool fits)
    signal fullToggled

    readonly property ScreenModel screen: box.screen
    readonly property bool asleep: box.state === BoxModel.Hibernated
    readonly property bool failed: box.state === BoxModel.Failed

    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Screen of %1").arg(box.name)

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        TakeOverBar {
            Layout.fillWidth: true
            screen: root.screen
            agentWaits: root.box.agents.screenAwaited
            fits: root.fits
            full: root.full
            onFitsChosen: fits => root.fitsChosen(fits)
            onFullToggled: root.fullToggled()
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
        }
        Rectangle {
            Layout.fillWidth: true
            Layout.fillHeight: true
            color: Theme.canvas
            clip: true

            LiveCanvas {
                anchors.fill: parent
                anchors.margins: root.full ? 0 : Theme.space3
                screen: root.screen
                fits: root.fits
                visible: root.screen.hasPicture
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
    }
}
