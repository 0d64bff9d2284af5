// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// The picture, as large as fits or zoomed and panned. Dimmed while the screen is reached again. The scroll bars stand in
// the margin: what lies over the picture is drawn again with every frame.
Item {
    id: root

    required property ScreenModel screen
    property alias zoom: view.zoom
    property alias macKeys: view.macKeys
    property real margin: 0
    readonly property LiveView view: view
    readonly property bool lost: screen.picture !== ScreenModel.Live

    signal zoomChosen(int zoom)
    signal chordKeyPressed(int key)

    LiveView {
        id: view

        objectName: "liveView"
        anchors.fill: parent
        anchors.margins: root.margin
        screen: root.screen
        onZoomWanted: percent => root.zoomChosen(percent)
        onChordKeyPressed: key => root.chordKeyPressed(key)

        Accessible.role: Accessible.Graphic
        Accessible.name: qsTr("Live picture of the screen")
    }
    ScrollBar {
        objectName: "liveScrollRight"
        anchors.right: parent.right
        y: view.y
        height: view.height
        policy: root.margin > 0 ? T.ScrollBar.AsNeeded : T.ScrollBar.AlwaysOff
        orientation: Qt.Vertical
        size: view.visiblePart.height
        position: view.visiblePart.y
        onPositionChanged: if (pressed) view.scrollTo(Qt.point(view.visiblePart.x, position))
    }
    ScrollBar {
        objectName: "liveScrollBottom"
        anchors.bottom: parent.bottom
        x: view.x
        width: view.width
        policy: root.margin > 0 ? T.ScrollBar.AsNeeded : T.ScrollBar.AlwaysOff
        orientation: Qt.Horizontal
        size: view.visiblePart.width
        position: view.visiblePart.x
        onPositionChanged: if (pressed) view.scrollTo(Qt.point(position, view.visiblePart.y))
    }
    Rectangle {
        objectName: "lostScrim"
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
                    objectName: "lostText"
                    text: qsTr("Reconnecting to the screen")
                }
            }
        }
    }
    // What an input method is composing: it is in the box only when it is done.
    Rectangle {
        objectName: "composedText"
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: root.margin + Theme.space3
        width: Math.min(composed.implicitWidth + 2 * Theme.space4, parent.width - 2 * Theme.space4)
        height: Theme.controlHeight + Theme.space1
        radius: Theme.radius
        visible: view.composed
        color: Theme.surface
        border.width: Theme.hairline
        border.color: Theme.borderStrong

        Label {
            id: composed

            anchors.fill: parent
            anchors.leftMargin: Theme.space4
            anchors.rightMargin: Theme.space4
            text: view.composed
            font: Theme.title
            elide: Text.ElideLeft
        }
    }
}
