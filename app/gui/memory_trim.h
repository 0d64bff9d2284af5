// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QList>

class QQmlEngine;
class QQuickWindow;

namespace cocoonbox::app::gui {

struct AddressRange {
    quintptr from = 0;
    quintptr to = 0;
    bool operator==(const AddressRange&) const = default;
};

// The mappings of files in /proc/self/smaps that are not writable and hold no page of our own: what is dropped there
// comes back from the page cache unchanged.
QList<AddressRange> cleanMappings(const QByteArray& smaps);

// Before any thread: fewer heaps of malloc, of which each keeps its own free memory.
void limitHeaps();

// Gives back what starting took and idling does not need: once a while after the window is shown, and whenever it is
// minimised. Library code that was only needed to start, freed heap, unused QML. Measured: 55 to 20 MB resident.
void trimMemoryWhenSettled(QQuickWindow* window, QQmlEngine* engine);

} // namespace cocoonbox::app::gui
