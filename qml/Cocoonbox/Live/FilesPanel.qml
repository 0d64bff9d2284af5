// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Dialogs
import QtQuick.Templates as T
import Cocoonbox.App
import Cocoonbox.Controls
import Cocoonbox.Theme

// The files of the box, to save one of them here. Enter opens a folder or saves a file, Backspace goes up.
T.Popup {
    id: root

    required property FileList files
    required property TransferList transfers

    objectName: "filesPanel"
    parent: T.Overlay.overlay
    anchors.centerIn: parent
    width: Math.min(Theme.readingWidth, parent ? parent.width - 2 * Theme.space4 : Theme.readingWidth)
    height: Math.min(Theme.readingWidth, parent ? parent.height - 2 * Theme.space6 : Theme.readingWidth)
    padding: Theme.space4
    modal: true
    focus: true
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside

    onOpened: {
        root.files.open()
        list.forceActiveFocus()
    }

    function choose(row: int): void {
        const item = list.itemAtIndex(row) as FileRow
        if (item && item.folder)
            root.files.open(item.path)
        else if (item && item.regular)
            dialog.ask(item.path)
    }

    component FileRow: ListRow {
        id: row

        required property int index
        required property string name
        required property string path
        required property bool folder
        required property bool regular
        required property string detail

        objectName: "file-" + name
        text: name + (detail ? ", " + detail : "")
        implicitHeight: Theme.controlHeight
        focusPolicy: Qt.NoFocus
        enabled: folder || regular

        contentItem: Item {
            Icon {
                id: kind

                anchors.verticalCenter: parent.verticalCenter
                name: row.folder ? "folder" : "file"
                color: Theme.textMuted
            }
            Label {
                anchors.left: kind.right
                anchors.leftMargin: Theme.space2
                anchors.right: size.left
                height: parent.height
                text: row.name
                elide: Text.ElideMiddle
            }
            Label {
                id: size

                anchors.right: parent.right
                height: parent.height
                text: row.detail
                font: Theme.small
                color: Theme.textFaint
            }
        }
    }

    FileDialog {
        id: dialog

        property string boxPath

        function ask(path: string): void {
            boxPath = path
            selectedFile = root.transfers.suggestedTarget(path)
            open()
        }

        title: qsTr("Save to…")
        fileMode: FileDialog.SaveFile
        onAccepted: {
            root.transfers.save(boxPath, selectedFile)
            root.close()
        }
    }

    T.Overlay.modal: Rectangle {
        color: Theme.scrim
    }
    background: Rectangle {
        radius: Theme.radiusLarge
        color: Theme.surface
        border.width: Theme.hairline
        border.color: Theme.border
    }
    contentItem: Item {
        Item {
            id: head

            width: parent.width
            height: Theme.controlHeight

            IconButton {
                id: up

                objectName: "filesUp"
                iconName: "arrow-up"
                text: qsTr("One folder up")
                enabled: root.files.path !== "/" && root.files.path !== ""
                onClicked: root.files.openParent()
            }
            Label {
                objectName: "filesPath"
                anchors.left: up.right
                anchors.leftMargin: Theme.space2
                anchors.right: save.left
                anchors.rightMargin: Theme.space2
                height: parent.height
                text: root.files.path || qsTr("Files of the box")
                font: Theme.bodyStrong
                elide: Text.ElideLeft
            }
            Button {
                id: save

                objectName: "filesSave"
                anchors.right: parent.right
                kind: Button.Primary
                iconName: "download"
                text: qsTr("Save to…")
                enabled: list.currentItem && (list.currentItem as FileRow).regular
                onClicked: root.choose(list.currentIndex)
            }
        }
        Banner {
            id: failure

            objectName: "filesFailure"
            anchors.top: head.bottom
            anchors.topMargin: Theme.space2
            width: parent.width
            visible: root.files.failure
            text: root.files.failure
            tone: Banner.Danger
            radius: Theme.radius
        }
        ListView {
            id: list

            objectName: "filesList"
            anchors.top: failure.visible ? failure.bottom : head.bottom
            anchors.topMargin: Theme.space2
            anchors.bottom: parent.bottom
            width: parent.width
            clip: true
            model: root.files
            boundsBehavior: Flickable.StopAtBounds
            keyNavigationEnabled: true
            currentIndex: 0

            T.ScrollBar.vertical: ScrollBar {}

            Connections {
                target: root.files
                function onModelReset(): void {
                    list.currentIndex = 0
                }
            }

            Keys.onReturnPressed: root.choose(currentIndex)
            Keys.onEnterPressed: root.choose(currentIndex)
            Keys.onPressed: event => {
                if (event.key === Qt.Key_Backspace && up.enabled) {
                    root.files.openParent()
                    event.accepted = true
                }
            }

            delegate: FileRow {
                width: ListView.view.width
                selected: ListView.isCurrentItem
                onClicked: {
                    list.currentIndex = index
                    if (folder)
                        root.choose(index)
                }
                onDoubleClicked: root.choose(index)
            }

            ActivityDots {
                anchors.centerIn: parent
                visible: root.files.isReading && root.files.isEmpty
            }
            Label {
                objectName: "filesEmpty"
                anchors.centerIn: parent
                visible: root.files.path && root.files.isEmpty && !root.files.isReading
                text: qsTr("This folder is empty.")
                color: Theme.textMuted
            }
            footer: Label {
                width: ListView.view.width
                height: visible ? Theme.controlHeight : 0
                visible: root.files.isCut
                horizontalAlignment: Text.AlignHCenter
                text: qsTr("There are more files than are listed.")
                font: Theme.small
                color: Theme.textFaint
            }
        }
    }
}
