// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QCoroTask>

namespace cocoonbox {

// A coroutine that ends with a value or an Error. Lives on the process's domain thread (the Qt main loop).
// Parameters by value; no capturing lambda as a coroutine; no lock across co_await (clang-tidy checks these).
template <class T = void>
using Task = QCoro::Task<Result<T>>;

} // namespace cocoonbox
