// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QCoroTask>

namespace cocoonbox {

// A coroutine that ends with a value or an Error. Lives on the process's domain thread (the Qt main loop).
// Parameters by value; no capturing lambda as a coroutine; no lock across co_await (clang-tidy checks these).
// QCoro moves from whatever is returned, also from an lvalue that outlives the coroutine: `co_return T(m_member)`
// copies, `co_return m_member` robs it (tests/arch checks). No co_await inside `?:`: GCC 14 destroys its temporaries
// twice.
template <class T = void>
using Task = QCoro::Task<Result<T>>;

} // namespace cocoonbox
