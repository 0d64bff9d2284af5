// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick
import Cocoonbox.Theme

// Text as it is: what a box or a model wrote is never taken for markup.
Text {
    color: Theme.text
    font: Theme.body
    textFormat: Text.PlainText
    elide: Text.ElideRight
    verticalAlignment: Text.AlignVCenter
}
