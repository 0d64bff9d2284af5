// SPDX-License-Identifier: AGPL-3.0-only
pragma ComponentBehavior: Bound

import QtQuick
import Cocoonbox.App
import Cocoonbox.Theme

Window {
    id: root

    required property AppModel app

    width: 1360
    height: 840
    minimumWidth: 400
    minimumHeight: 440
    visible: true
    title: app.currentBox ? app.currentBox.name + " – cocoonbox" : "cocoonbox"
    color: Theme.window

    Binding {
        target: Theme
        property: "appearance"
        value: root.app.preferences.appearance
    }

    Loader {
        anchors.fill: parent
        focus: true
        sourceComponent: {
            switch (root.app.stage) {
            case AppModel.SignedIn: return workspace
            case AppModel.SignedOut: return signIn
            default: return null
            }
        }
    }

    Component {
        id: signIn

        SignInPage {
            app: root.app
        }
    }
    Component {
        id: workspace

        Workspace {
            app: root.app
            full: root.visibility === Window.FullScreen
            onFullChosen: full => root.visibility = full ? Window.FullScreen : Window.AutomaticVisibility
        }
    }
}
