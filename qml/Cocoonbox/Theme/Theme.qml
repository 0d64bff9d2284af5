// SPDX-License-Identifier: AGPL-3.0-only
pragma Singleton

import QtQuick

// The one source of colour, space, type and time. Text colours keep 4.5:1 on the grounds they are meant for
// (tests/qml/tst_theme.qml measures it). Distances are steps of an 8-pixel grid and its half.
QtObject {
    id: root

    enum Appearance { System, Light, Dark }

    property int appearance: Theme.System
    readonly property bool isDark: appearance === Theme.Dark
        || (appearance === Theme.System && Application.styleHints.colorScheme === Qt.Dark)

    // Grounds, from the back to the front.
    readonly property color canvas: isDark ? "#0e0d0c" : "#e8e5e0"
    readonly property color sunken: isDark ? "#141312" : "#efece8"
    readonly property color window: isDark ? "#191817" : "#f7f5f2"
    readonly property color surface: isDark ? "#21201e" : "#ffffff"
    readonly property color hover: isDark ? "#12ffffff" : "#0d1c1b1a"
    readonly property color pressed: isDark ? "#1fffffff" : "#171c1b1a"
    readonly property color border: isDark ? "#34322f" : "#e3dfd9"
    readonly property color borderStrong: isDark ? "#56524d" : "#c3bdb4"

    // Text.
    readonly property color text: isDark ? "#edebe7" : "#1d1b19"
    readonly property color textMuted: isDark ? "#b3aea7" : "#57524c"
    readonly property color textFaint: isDark ? "#a09b93" : "#67625b"
    readonly property color selection: isDark ? "#3a4a78" : "#c9d7f8"

    // The accent marks what the user may do next and what is theirs.
    readonly property color accent: isDark ? "#93b1ff" : "#2b59c3"
    readonly property color accentHover: isDark ? "#a9c1ff" : "#244cab"
    readonly property color accentPressed: isDark ? "#7f9ff2" : "#1e4092"
    readonly property color accentText: isDark ? "#a6bfff" : "#2b59c3"
    readonly property color accentSoft: isDark ? "#28304a" : "#e7edfb"
    readonly property color accentInk: isDark ? "#0f1830" : "#ffffff"

    // States.
    readonly property color success: isDark ? "#62cc90" : "#1c7645"
    readonly property color warning: isDark ? "#f0bb62" : "#8a5600"
    readonly property color warningSoft: isDark ? "#3a2f1b" : "#fbf0da"
    readonly property color danger: isDark ? "#ff938a" : "#b3261e"
    readonly property color dangerHover: isDark ? "#ffaaa3" : "#98201a"
    readonly property color dangerSoft: isDark ? "#40221f" : "#fcebe9"
    readonly property color dangerInk: isDark ? "#33110e" : "#ffffff"
    readonly property color scrim: isDark ? "#990e0d0c" : "#99e8e5e0"

    // Space.
    readonly property int space1: 4
    readonly property int space2: 8
    readonly property int space3: 12
    readonly property int space4: 16
    readonly property int space6: 24
    readonly property int space8: 32
    readonly property int space12: 48

    // Sizes.
    readonly property int controlHeight: 32
    readonly property int controlHeightSmall: 24
    readonly property int barHeight: 48
    readonly property int rowHeight: 48
    readonly property int sidebarWidth: 264
    readonly property int chatWidth: 400
    readonly property int chatWidthMin: 304
    readonly property int liveWidthMin: 360
    readonly property int narrowWidth: 904     // below it the panes become tabs
    readonly property int dialogWidth: 384
    readonly property int menuWidth: 240
    readonly property int readingWidth: 640    // lines longer than this tire the eye
    readonly property int toolOutputHeight: 240
    readonly property int iconSize: 16
    readonly property int iconSizeSmall: 12
    readonly property int iconSizeLarge: 32
    readonly property int hairline: 1
    readonly property int focusWidth: 2

    // Radii.
    readonly property int radiusSmall: 4
    readonly property int radius: 6
    readonly property int radiusLarge: 10

    // Type.
    readonly property string family: "Inter"
    readonly property string monoFamily: "DejaVu Sans Mono"
    readonly property font caption: Qt.font({ "family": family, "pixelSize": 11, "weight": Font.Medium })
    readonly property font small: Qt.font({ "family": family, "pixelSize": 12 })
    readonly property font body: Qt.font({ "family": family, "pixelSize": 13 })
    readonly property font bodyStrong: Qt.font({ "family": family, "pixelSize": 13, "weight": Font.DemiBold })
    readonly property font title: Qt.font({ "family": family, "pixelSize": 15, "weight": Font.DemiBold })
    readonly property font display: Qt.font({ "family": family, "pixelSize": 24, "weight": Font.DemiBold })
    readonly property font mono: Qt.font({ "family": monoFamily, "pixelSize": 12 })
    readonly property real lineHeight: 1.35

    // Time. Motion only where it explains, and short.
    readonly property int motion: 120
    readonly property int step: 400            // of the activity dots
    readonly property int toolTipDelay: 600
}
