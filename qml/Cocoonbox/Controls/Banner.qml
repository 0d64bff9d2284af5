// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtQuick.Layouts
import Cocoonbox.App
import Cocoonbox.Theme

// One sentence across the top of a pane, with at most one thing to do about it.
Rectangle {
    id: root

    enum Tone { Calm, Warning, Danger }

    property int tone: Banner.Calm
    property alias text: label.text
    property string actionText
    readonly property color ink: tone === Banner.Danger ? Theme.danger : tone === Banner.Warning ? Theme.warning : Theme.textMuted

    signal acted

    implicitHeight: Math.max(Theme.controlHeight + Theme.space2, label.implicitHeight + 2 * Theme.space2)
    color: tone === Banner.Danger ? Theme.dangerSoft : tone === Banner.Warning ? Theme.warningSoft : Theme.sunken

    Accessible.role: Accessible.AlertMessage
    Accessible.name: label.text

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.space4
        anchors.rightMargin: Theme.space2
        spacing: Theme.space2

        Icon {
            name: root.tone === Banner.Calm ? "clock" : "alert"
            color: root.ink
        }
        Label {
            id: label

            Layout.fillWidth: true
            wrapMode: Text.Wrap
            color: root.ink
            maximumLineCount: 4
        }
        Button {
            visible: root.actionText
            small: true
            text: root.actionText
            onClicked: root.acted()
        }
    }
}
