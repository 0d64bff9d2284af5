// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// Bytes on their way through the edge: read once from a socket into a block, held by reference, written once to a
// socket. One thread only; counts are plain integers.

#include <cstddef>
#include <QByteArrayView>
#include <span>
#include <string_view>
#include <sys/uio.h>
#include <utility>
#include <vector>

namespace cocoonbox::api::edge {

inline constexpr size_t kReadBlockBytes = 64 * 1024;

// Memory with a count of its holders.
class Block {
public:
    static Block* make(size_t capacity);
    void hold() { ++m_holders; }
    void release();
    bool isShared() const { return m_holders > 1; }
    size_t capacity() const { return m_capacity; }
    char* bytes() { return reinterpret_cast<char*>(this + 1); }

private:
    explicit Block(size_t capacity) : m_capacity(capacity) {}

    size_t m_capacity;
    int m_holders = 1;
};

class BlockRef {
public:
    BlockRef() = default;
    static BlockRef make(size_t capacity) { return BlockRef(Block::make(capacity)); }
    BlockRef(const BlockRef& other) : m_block(other.m_block)
    {
        if (m_block) m_block->hold();
    }
    BlockRef(BlockRef&& other) noexcept : m_block(std::exchange(other.m_block, nullptr)) {}
    BlockRef& operator=(BlockRef other) noexcept
    {
        std::swap(m_block, other.m_block);
        return *this;
    }
    ~BlockRef()
    {
        if (m_block) m_block->release();
    }

    explicit operator bool() const { return m_block != nullptr; }
    Block* operator->() const { return m_block; }

private:
    explicit BlockRef(Block* block) : m_block(block) {}

    Block* m_block = nullptr;
};

// A part of a block that a socket was read into.
struct Slice {
    BlockRef block;
    size_t offset = 0;
    size_t size = 0;

    const char* bytes() const { return block->bytes() + offset; }
    std::string_view view() const { return {bytes(), size}; }
    Slice part(size_t from, size_t count) const { return {block, offset + from, count}; }
};

// Bytes that wait for a socket or a window. Who appends bounds it.
class ByteQueue {
public:
    size_t size() const { return m_size; }
    bool isEmpty() const { return m_size == 0; }

    // A large slice is held as it is. A small one is copied, so that one byte does not keep a whole block.
    void append(Slice slice);
    void copy(std::string_view bytes);
    // Moves up to `count` bytes from the front to the end of `to`.
    void moveTo(ByteQueue& to, size_t count);
    // The front as parts for writev; `drop` what was written.
    int parts(std::span<iovec> out) const;
    void drop(size_t count);
    void clear();

private:
    void shrink();

    std::vector<Slice> m_slices; // those before m_first are spent
    size_t m_first = 0;
    size_t m_size = 0;
};

} // namespace cocoonbox::api::edge
