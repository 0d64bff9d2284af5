// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QLoggingCategory>

namespace cocoonbox::api::boxes {

Q_DECLARE_LOGGING_CATEGORY(boxesLog)

} // namespace cocoonbox::api::boxes
