// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QList>

// What a process that idles most of its life does to stay small. Linux with glibc; elsewhere nothing happens.
namespace cocoonbox::memory {

// First thing in main, before any thread: fewer heaps of malloc, of which each keeps its own free memory.
void limitHeaps();

// Gives back what starting or a burst of work took and idling does not need: freed heap, and the pages of libraries and
// fonts that nobody has changed, which come back from the page cache when they are touched. Takes 1 to 3 ms; call it
// when the process comes to rest, never in a loop.
void giveBack();

struct AddressRange {
    quintptr from = 0;
    quintptr to = 0;
    bool operator==(const AddressRange&) const = default;
};

// The mappings of files in a /proc/PID/smaps that are not writable and hold no page of the process's own.
QList<AddressRange> cleanMappings(const QByteArray& smaps);

} // namespace cocoonbox::memory
