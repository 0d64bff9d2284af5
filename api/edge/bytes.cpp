// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace cocoonbox::api::edge {

namespace {

// Below this a copy is cheaper than the block that a reference keeps. It bounds what a hostile peer can pin with tiny
// frames to eight times the window it has.
constexpr size_t kCopyBelowBytes = 8 * 1024;
constexpr size_t kCopyBlockBytes = 4 * 1024;
constexpr size_t kSpentSlicesMax = 64;

} // namespace

Block* Block::make(size_t capacity)
{
    void* memory = std::malloc(sizeof(Block) + capacity);
    if (!memory) std::abort();
    return new (memory) Block(capacity);
}

void Block::release()
{
    if (--m_holders == 0) std::free(this);
}

void ByteQueue::append(Slice slice)
{
    if (slice.size < kCopyBelowBytes) return copy(slice.view());
    m_size += slice.size;
    m_slices.push_back(std::move(slice));
}

void ByteQueue::copy(std::string_view bytes)
{
    while (!bytes.empty()) {
        Slice* tail = m_slices.size() > m_first ? &m_slices.back() : nullptr;
        const size_t end = tail ? tail->offset + tail->size : 0;
        // Only a block that nobody else holds can be written to.
        if (!tail || tail->block->isShared() || tail->block->capacity() != kCopyBlockBytes || end == kCopyBlockBytes) {
            m_slices.push_back({BlockRef::make(kCopyBlockBytes), 0, 0});
            continue;
        }
        const size_t count = std::min(bytes.size(), kCopyBlockBytes - end);
        std::memcpy(tail->block->bytes() + end, bytes.data(), count);
        tail->size += count;
        m_size += count;
        bytes.remove_prefix(count);
    }
}

void ByteQueue::moveTo(ByteQueue& to, size_t count)
{
    count = std::min(count, m_size);
    while (count > 0) {
        Slice& front = m_slices[m_first];
        const size_t taken = std::min(count, front.size);
        count -= taken;
        m_size -= taken;
        if (taken == front.size) {
            to.append(std::move(front));
            ++m_first;
        } else {
            to.append(front.part(0, taken));
            front.offset += taken;
            front.size -= taken;
        }
    }
    shrink();
}

int ByteQueue::parts(std::span<iovec> out) const
{
    const size_t count = std::min(out.size(), m_slices.size() - m_first);
    for (size_t i = 0; i < count; ++i) {
        const Slice& slice = m_slices[m_first + i];
        out[i] = {const_cast<char*>(slice.bytes()), slice.size};
    }
    return static_cast<int>(count);
}

void ByteQueue::drop(size_t count)
{
    m_size -= count;
    while (count > 0) {
        Slice& front = m_slices[m_first];
        const size_t taken = std::min(count, front.size);
        front.offset += taken;
        front.size -= taken;
        count -= taken;
        if (front.size > 0) break;
        front = {};
        ++m_first;
    }
    shrink();
}

void ByteQueue::clear()
{
    m_slices = {};
    m_first = 0;
    m_size = 0;
}

// An idle queue owns nothing; a busy one does not move its slices for each that is spent.
void ByteQueue::shrink()
{
    if (m_size == 0) return clear();
    if (m_first < kSpentSlicesMax) return;
    m_slices.erase(m_slices.begin(), m_slices.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

} // namespace cocoonbox::api::edge
