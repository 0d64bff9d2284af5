// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/screen_frames.h"

#include "common/base/limits.h"

#include <algorithm>
#include <optional>

namespace cocoonbox::api::edge {

namespace {

constexpr size_t kPrefixBytes = 5;
constexpr unsigned char kDataTag = 1 << 3 | 2;                    // field 1, length-delimited
constexpr size_t kFrameBytesMax = limits::kScreenFrameBytes + 64; // with a field or two that we do not know

std::unexpected<Error> malformed()
{
    return fail(ErrorCode::InvalidArgument,
                QStringLiteral("A screen frame cannot be read: it must be an uncompressed ScreenClientFrame with at "
                               "most %1 KiB of data.")
                    .arg(limits::kScreenFrameBytes / 1024),
                QStringLiteral("FRAME_MALFORMED"));
}

std::optional<uint64_t> takeVarint(std::string_view& bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        value |= uint64_t{byte & 0x7fu} << shift;
        if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
}

// The content of a field that the message ends with or goes on after; nothing when it is cut.
std::optional<std::string_view> takeField(std::string_view& message, uint64_t wireType)
{
    size_t size = 0;
    if (wireType == 0) {
        if (!takeVarint(message)) return std::nullopt;
    } else if (wireType == 1 || wireType == 5) {
        size = wireType == 1 ? 8 : 4;
    } else if (wireType == 2) {
        const auto length = takeVarint(message);
        if (!length) return std::nullopt;
        size = static_cast<size_t>(*length);
    } else {
        return std::nullopt;
    }
    if (size > message.size()) return std::nullopt;
    const std::string_view field = message.substr(0, size);
    message.remove_prefix(size);
    return field;
}

// The last `data` of the message, as protobuf has it; empty when there is none.
std::optional<std::string_view> dataOf(std::string_view message)
{
    std::string_view data;
    while (!message.empty()) {
        const auto tag = takeVarint(message);
        if (!tag) return std::nullopt;
        const auto field = takeField(message, *tag & 7);
        if (!field) return std::nullopt;
        if (*tag == kDataTag) data = *field;
    }
    return data;
}

} // namespace

size_t writeScreenHead(char* end, size_t bytes)
{
    char varint[3];
    size_t varintBytes = 0;
    for (size_t left = bytes; varintBytes == 0 || left > 0; left >>= 7)
        varint[varintBytes++] = static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    const size_t message = bytes == 0 ? 0 : 1 + varintBytes + bytes;
    const size_t head = kPrefixBytes + message - bytes;
    char* at = end - head;
    *at++ = 0; // not compressed
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = static_cast<char>(message >> shift);
    if (bytes == 0) return head;
    *at++ = static_cast<char>(kDataTag);
    std::copy_n(varint, varintBytes, at);
    return head;
}

Result<void> ScreenFrameReader::read(std::string_view bytes, const std::function<void(std::string_view)>& sink)
{
    m_partial += bytes;
    std::string_view left = m_partial;
    while (left.size() >= kPrefixBytes) {
        size_t size = 0;
        for (size_t i = 1; i < kPrefixBytes; ++i)
            size = size << 8 | static_cast<unsigned char>(left[i]);
        if (left[0] != 0 || size > kFrameBytesMax) return malformed();
        if (left.size() < kPrefixBytes + size) break;
        const auto data = dataOf(left.substr(kPrefixBytes, size));
        if (!data || data->size() > static_cast<size_t>(limits::kScreenFrameBytes)) return malformed();
        sink(*data);
        left.remove_prefix(kPrefixBytes + size);
    }
    m_partial.erase(0, m_partial.size() - left.size());
    if (m_partial.empty()) m_partial = {};
    return {};
}

} // namespace cocoonbox::api::edge
