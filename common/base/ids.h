// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QString>
#include <QStringView>

namespace cocoonbox {

// A new id: the prefix ("box_"), then 26 characters of Crockford base32: 48 bits of milliseconds and 80 random bits,
// so ids made later sort later (the ULID layout).
QString newId(QStringView prefix);

// 32 hex characters from the system's random source; for wake ids and nonces.
QString randomHex128();

// Whether `id` has the prefix and the shape that newId gives.
bool isId(QStringView id, QStringView prefix);

} // namespace cocoonbox
