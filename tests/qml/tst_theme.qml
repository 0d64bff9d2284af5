// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import QtTest
import Cocoonbox.Theme

TestCase {
    id: root

    name: "Theme"

    function luminance(value) {
        const part = v => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4)
        return 0.2126 * part(value.r) + 0.7152 * part(value.g) + 0.0722 * part(value.b)
    }
    function contrast(ink, ground) {
        const a = luminance(ink)
        const b = luminance(ground)
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    }
    function init_data() {
        return [{ tag: "light", appearance: Theme.Light }, { tag: "dark", appearance: Theme.Dark }]
    }
    function cleanup() {
        Theme.appearance = Theme.System
    }

    // WCAG 2.2 AA for text of our sizes.
    function test_textIsReadable(row) {
        Theme.appearance = row.appearance
        const pairs = [
            ["text", "window"], ["text", "surface"], ["text", "sunken"], ["text", "accentSoft"], ["text", "selection"],
            ["textMuted", "window"], ["textMuted", "surface"], ["textMuted", "sunken"], ["textMuted", "accentSoft"],
            ["textFaint", "window"], ["textFaint", "surface"], ["textFaint", "sunken"], ["textFaint", "accentSoft"],
            ["textFaint", "canvas"], ["textMuted", "canvas"],
            ["accentText", "window"], ["accentText", "surface"], ["accentInk", "accent"], ["accentInk", "accentHover"],
            ["accentInk", "accentPressed"], ["warning", "warningSoft"], ["warning", "window"], ["warning", "accentSoft"],
            ["danger", "dangerSoft"], ["danger", "window"], ["danger", "surface"], ["dangerInk", "danger"],
            ["dangerInk", "dangerHover"], ["success", "window"], ["success", "surface"], ["window", "text"]
        ]
        for (const [ink, ground] of pairs) {
            const ratio = contrast(Theme[ink], Theme[ground])
            verify(ratio >= 4.5, ink + " on " + ground + ": " + ratio.toFixed(2))
        }
    }
    function test_appearanceCanBeSet(row) {
        Theme.appearance = row.appearance
        compare(Theme.isDark, row.appearance === Theme.Dark)
    }
    function test_distancesAreStepsOfTheGrid() {
        for (const name of ["space2", "space4", "space6", "space8", "controlHeight", "barHeight", "rowHeight", "sidebarWidth"])
            compare(Theme[name] % 8, 0, name)
    }
}
