// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QString>

class QDebug;

namespace cocoonbox {

// Bytes that must not be seen: a token, a key. Zeroed when destroyed; printing one does not compile.
class Secret {
public:
    Secret() = default;
    explicit Secret(QByteArray bytes) : m_bytes(std::move(bytes)) { m_bytes.detach(); }
    Secret(const Secret&) = default;
    Secret(Secret&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}
    Secret& operator=(Secret other) noexcept
    {
        m_bytes.swap(other.m_bytes);
        return *this;
    }
    ~Secret()
    {
        if (m_bytes.isDetached()) m_bytes.fill('\0');
    }

    bool isEmpty() const { return m_bytes.isEmpty(); }
    // The only way out. `why` is for the reader of the call: "authorization header".
    const QByteArray& reveal([[maybe_unused]] const char* why) const { return m_bytes; }

private:
    QByteArray m_bytes;
};

QDebug operator<<(QDebug, const Secret&) = delete;

} // namespace cocoonbox
