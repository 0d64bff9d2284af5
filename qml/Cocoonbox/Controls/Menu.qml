// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Templates as T
import Cocoonbox.Theme

// A few things that can be done here. Arrow keys move, Enter chooses, Escape leaves.
T.Menu {
    id: root

    // As wide as its widest item, so that no words are cut.
    implicitWidth: {
        let widest = Theme.menuWidth
        for (let i = 0; i < count; ++i)
            widest = Math.max(widest, (itemAt(i)?.implicitWidth ?? 0) + leftPadding + rightPadding)
        return widest
    }
    implicitHeight: implicitContentHeight + topPadding + bottomPadding
    padding: Theme.space1
    margins: Theme.space1
    overlap: 1
    modal: true
    dim: false
    delegate: MenuItem {}

    contentItem: ListView {
        implicitHeight: contentHeight
        model: root.contentModel
        currentIndex: root.currentIndex
        interactive: false
    }
    background: Rectangle {
        radius: Theme.radius
        color: Theme.surface
        border.width: Theme.hairline
        border.color: Theme.borderStrong
    }
}
