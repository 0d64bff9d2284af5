// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/grpc_wire.h"

#include "common/base/limits.h"
#include "common/rpc/status.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace cocoonbox::api::edge {

namespace {

using namespace std::chrono_literals;

constexpr qsizetype kStatusTextMax = 2048;

struct Unit {
    char letter;
    std::chrono::nanoseconds length;
};
constexpr std::array kUnits = {Unit{'n', 1ns}, Unit{'u', 1us},  Unit{'m', 1ms},
                               Unit{'S', 1s},  Unit{'M', 1min}, Unit{'H', 1h}};
constexpr long long kTimeoutDigitsMax = 99'999'999;

std::string percentEncoded(const QString& text)
{
    const QByteArray utf8 = text.left(kStatusTextMax).toUtf8();
    std::string encoded;
    for (const char c : utf8) {
        if (c >= ' ' && c <= '~' && c != '%') {
            encoded.push_back(c);
            continue;
        }
        constexpr char kHex[] = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
    return encoded;
}

void addStatus(HeaderBlock& block, const Error& error)
{
    block.add("grpc-status", std::to_string(static_cast<int>(rpc::toGrpcCode(error.code))));
    block.add("grpc-message", percentEncoded(error.message));
    if (!error.reason.isEmpty()) block.add(rpc::kReasonKey, error.reason.toStdString());
}

} // namespace

HeaderBlock answerHeaders()
{
    HeaderBlock headers;
    headers.add(":status", "200");
    headers.add("content-type", "application/grpc");
    return headers;
}

std::unique_ptr<HeaderBlock> trailersOf(const Error& error)
{
    auto trailers = std::make_unique<HeaderBlock>();
    addStatus(*trailers, error);
    return trailers;
}

HeaderBlock answerOf(const Error& error)
{
    HeaderBlock headers = answerHeaders();
    addStatus(headers, error);
    return headers;
}

std::optional<std::chrono::nanoseconds> timeoutOf(std::string_view text)
{
    if (text.size() < 2 || text.size() > 9) return std::nullopt;
    const auto unit = std::ranges::find(kUnits, text.back(), &Unit::letter);
    uint32_t count = 0;
    const char* end = text.data() + text.size() - 1;
    const auto [parsed, error] = std::from_chars(text.data(), end, count);
    if (unit == kUnits.end() || error != std::errc() || parsed != end) return std::nullopt;
    // A duration of nanoseconds ends at 292 years; eight digits of hours do not.
    constexpr auto kLongest = std::chrono::nanoseconds(std::chrono::hours(24 * 365));
    if (count > kLongest / unit->length) return kLongest;
    return unit->length * count;
}

std::string timeoutText(std::chrono::nanoseconds timeout)
{
    for (const Unit& unit : kUnits) {
        const long long count = std::max(timeout, 0ns) / unit.length;
        if (count <= kTimeoutDigitsMax) return std::to_string(count) + unit.letter;
    }
    return std::to_string(kTimeoutDigitsMax) + 'H';
}

bool MessageMeter::pass(std::string_view bytes)
{
    while (!bytes.empty()) {
        if (m_left > 0) {
            const size_t count = std::min<size_t>(m_left, bytes.size());
            m_left -= static_cast<uint32_t>(count);
            bytes.remove_prefix(count);
            continue;
        }
        m_prefix[m_prefixBytes++] = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        if (m_prefixBytes < kMessagePrefixBytes) continue;
        m_prefixBytes = 0;
        m_left = uint32_t{m_prefix[1]} << 24 | uint32_t{m_prefix[2]} << 16 | uint32_t{m_prefix[3]} << 8 | m_prefix[4];
        if (m_left > static_cast<uint32_t>(limits::kMessageBytesMax)) return false;
    }
    return true;
}

} // namespace cocoonbox::api::edge
