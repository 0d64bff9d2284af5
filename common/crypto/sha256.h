// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>

namespace cocoonbox::crypto {

QByteArray sha256(QByteArrayView bytes); // 32 bytes

// Compares without telling by its duration where the two differ. Of different lengths: false at once.
bool equalInConstantTime(QByteArrayView a, QByteArrayView b);

} // namespace cocoonbox::crypto
