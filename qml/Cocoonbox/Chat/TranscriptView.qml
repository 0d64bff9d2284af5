// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// The transcript. Stays at its end while the reader is there; a reader who has scrolled up is left in peace.
ListView {
    id: root

    required property TranscriptModel transcript
    property bool following: true

    function follow() {
        if (root.following)
            root.positionViewAtEnd()
    }

    objectName: "transcript"
    model: transcript
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    cacheBuffer: height
    activeFocusOnTab: true
    footer: Item {
        width: 1
        height: Theme.space4
    }

    Accessible.role: Accessible.List
    Accessible.name: qsTr("Transcript")

    T.ScrollBar.vertical: ScrollBar {
        onPressedChanged: root.following = !pressed && root.atYEnd
    }

    delegate: TranscriptEntry {
        width: ListView.view.width
        onToggled: row => {
            root.following = false
            root.transcript.toggleFold(row)
        }
    }

    onMovementEnded: following = atYEnd
    onContentHeightChanged: Qt.callLater(follow)
    onHeightChanged: Qt.callLater(follow)
    onCountChanged: if (count === 0) following = true

    Keys.onPressed: event => {
        switch (event.key) {
        case Qt.Key_End: root.following = true; root.positionViewAtEnd(); break
        case Qt.Key_Home: root.following = false; root.positionViewAtBeginning(); break
        case Qt.Key_PageUp: root.following = false; root.flick(0, 4 * root.height); break
        case Qt.Key_PageDown: root.flick(0, -4 * root.height); break
        default: return
        }
        event.accepted = true
    }

    Button {
        objectName: "toEndButton"
        parent: root
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.space2
        visible: !root.following && !root.atYEnd
        small: true
        iconName: "chevron-down"
        text: qsTr("To the end")
        onClicked: {
            root.following = true
            root.positionViewAtEnd()
        }
    }
}
