// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// The picture: as large as fits, or pixel for pixel with scroll bars. Dimmed while the screen is reached again.
Item {
    id: root

    required property ScreenModel screen
    property bool fits: true

    readonly property real ratio: Screen.devicePixelRatio
    readonly property bool lost: screen.picture !== ScreenModel.Live

    Flickable {
        id: flick

        anchors.fill: parent
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        interactive: root.screen.control !== ScreenModel.Mine
        contentWidth: root.fits ? width : Math.max(width, root.screen.desktopSize.width / root.ratio)
        contentHeight: root.fits ? height : Math.max(height, root.screen.desktopSize.height / root.ratio)

        T.ScrollBar.vertical: ScrollBar {}
        T.ScrollBar.horizontal: ScrollBar {}

        LiveView {
            objectName: "liveView"
            x: Math.round((flick.contentWidth - width) / 2)
            y: Math.round((flick.contentHeight - height) / 2)
            width: root.fits ? flick.width : root.screen.desktopSize.width / root.ratio
            height: root.fits ? flick.height : root.screen.desktopSize.height / root.ratio
            screen: root.screen

            Accessible.role: Accessible.Graphic
            Accessible.name: qsTr("Live picture of the screen")
        }
    }

    Rectangle {
        anchors.fill: parent
        visible: root.lost
        color: Theme.scrim

        Rectangle {
            anchors.centerIn: parent
            width: words.width + 2 * Theme.space4
            height: Theme.controlHeight + Theme.space2
            radius: height / 2
            color: Theme.surface
            border.width: Theme.hairline
            border.color: Theme.border

            Row {
                id: words

                anchors.centerIn: parent
                spacing: Theme.space3

                ActivityDots {
                    anchors.verticalCenter: parent.verticalCenter
                }
                Label {
                    text: qsTr("Reconnecting to the screen")
                }
            }
        }
    }
}
