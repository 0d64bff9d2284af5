// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <memory>
#include <QByteArray>
#include <span>
#include <sys/uio.h>

struct ssl_ctx_st;

namespace cocoonbox::api::edge {

// A connected, non-blocking stream socket, which it owns; with TLS or without.
class Transport {
public:
    enum class Wait { None, Read, Write, Ended };
    struct Progress {
        size_t bytes = 0;
        Wait wait = Wait::None; // None: there may be more at once
    };

    virtual ~Transport() = default;
    virtual int fd() const = 0;
    virtual Progress read(std::span<char> into) = 0;
    virtual Progress write(std::span<const iovec> parts) = 0;
    // Whether bytes are held here that no event of the socket will tell of.
    virtual bool hasBufferedInput() const { return false; }
};

std::unique_ptr<Transport> makePlainTransport(int fd);

// The server side of TLS 1.2 or later, for HTTP/2 only (ALPN "h2").
class TlsContext {
public:
    // InvalidArgument: CERTIFICATE_INVALID.
    static Result<TlsContext> create(const QByteArray& certificatePem, const QByteArray& privateKeyPem);
    std::unique_ptr<Transport> accept(int fd) const;

private:
    explicit TlsContext(std::shared_ptr<ssl_ctx_st> context) : m_context(std::move(context)) {}

    std::shared_ptr<ssl_ctx_st> m_context;
};

} // namespace cocoonbox::api::edge
