// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import Cocoonbox.App
import Cocoonbox.Theme

// Markdown that can be selected and copied.
TextEdit {
    id: root

    property string markdown

    readOnly: true
    selectByMouse: true
    activeFocusOnPress: true
    wrapMode: TextEdit.Wrap
    color: Theme.text
    font: Theme.body
    selectionColor: Theme.selection
    selectedTextColor: Theme.text

    Accessible.role: Accessible.StaticText
    Accessible.name: markdown

    onLinkActivated: link => Qt.openUrlExternally(link)

    HoverHandler {
        cursorShape: root.hoveredLink ? Qt.PointingHandCursor : Qt.IBeamCursor
    }
    MarkdownText {
        target: root.textDocument
        markdown: root.markdown
        font: Theme.body
        monoFont: Theme.mono
        ink: Theme.text
        muted: Theme.textMuted
        link: Theme.accentText
        codeGround: Theme.sunken
        border: Theme.border
    }
}
