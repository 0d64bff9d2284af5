// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QString>

namespace cocoonbox::app::gui {

// "14:05" today, "Mon 14:05" within a week, else "3 Nov 14:05". Nothing for 0.
QString timeText(qint64 atMs);
// "0.4 s", "12 s", "3 min 5 s". Nothing below a tenth of a second.
QString durationText(qint64 durationMs);
// "820 bytes", "14.2 kB", "3.5 MB"; a thousand to the next.
QString bytesText(qint64 bytes);
// "2 CPUs · 4 GB"; a part that is 0 is left out.
QString sizeText(int cpus, qint64 memoryBytes);

} // namespace cocoonbox::app::gui
