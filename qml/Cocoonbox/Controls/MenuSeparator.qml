// SPDX-License-Identifier: AGPL-3.0-only
import QtQuick.Templates as T
import Cocoonbox.Theme

T.MenuSeparator {
    implicitWidth: Theme.menuWidth - 2 * Theme.space1
    implicitHeight: Theme.space2 + Theme.hairline
    verticalPadding: Theme.space1

    contentItem: Separator {}
}
