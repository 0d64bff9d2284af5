// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/error.h"

#include <expected>

namespace cocoonbox {

template <class T = void>
using Result = std::expected<T, Error>;

inline auto fail(ErrorCode code, QString message, QString reason = {},
                 std::source_location where = std::source_location::current())
{
    return std::unexpected(Error{code, std::move(message), std::move(reason), {}, where});
}

} // namespace cocoonbox

// One fallible step a line: `TRY_ASSIGN(auto box, store.find(id));` returns the error from here, or declares `box`.
// CO_ forms are for coroutines. Not usable as the body of an unbraced `if`. Declaration form only: an expression form
// with co_return inside crashes GCC 14 (GCC PR 115851).
#define COCOONBOX_CAT_(a, b) a##b
#define COCOONBOX_CAT(a, b) COCOONBOX_CAT_(a, b)
#define COCOONBOX_TRY_(keyword, tmp, decl, ...)                                                                        \
    auto tmp = (__VA_ARGS__);                                                                                          \
    if (!tmp) keyword std::unexpected(std::move(tmp).error());                                                         \
    decl = *std::move(tmp)
#define TRY_ASSIGN(decl, ...) COCOONBOX_TRY_(return, COCOONBOX_CAT(result_, __LINE__), decl, __VA_ARGS__)
#define CO_TRY_ASSIGN(decl, ...) COCOONBOX_TRY_(co_return, COCOONBOX_CAT(result_, __LINE__), decl, __VA_ARGS__)
#define COCOONBOX_TRYV_(keyword, ...)                                                                                  \
    if (auto result_ = (__VA_ARGS__); !result_) keyword std::unexpected(std::move(result_).error())
#define TRY_VOID(...) COCOONBOX_TRYV_(return, __VA_ARGS__)
#define CO_TRY_VOID(...) COCOONBOX_TRYV_(co_return, __VA_ARGS__)
