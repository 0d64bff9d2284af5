// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <chrono>

// Bounds that more than one process relies on. A part's own bounds stand beside its code.
namespace cocoonbox::limits {

using namespace std::chrono_literals;

inline constexpr int kMessageBytesMax = 4 * 1024 * 1024; // one gRPC message, either way
inline constexpr int kScreenFrameBytes = 64 * 1024;      // one Screen message
inline constexpr int kPromptBytesMax = 256 * 1024;
inline constexpr int kToolOutputBytesMax = 64 * 1024; // what a transcript entry keeps of a tool's output
inline constexpr auto kUnaryDeadline = 10s;           // default of a client's call
inline constexpr auto kCredentialLifetime = 10min;    // seed 000 §12.1
inline constexpr auto kCredentialSkew = 2min;

} // namespace cocoonbox::limits
