// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cocoonbox::api::edge {

namespace {

class PlainTransport final : public Transport {
public:
    explicit PlainTransport(int fd) : m_fd(fd) {}
    ~PlainTransport() override { ::close(m_fd); }
    int fd() const override { return m_fd; }

    Progress read(std::span<char> into) override
    {
        const ssize_t count = ::recv(m_fd, into.data(), into.size(), 0);
        if (count > 0)
            return {static_cast<size_t>(count), static_cast<size_t>(count) < into.size() ? Wait::Read : Wait::None};
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return {0, Wait::Read};
        return {0, Wait::Ended};
    }
    Progress write(std::span<const iovec> parts) override
    {
        msghdr message{};
        message.msg_iov = const_cast<iovec*>(parts.data());
        message.msg_iovlen = parts.size();
        const ssize_t count = ::sendmsg(m_fd, &message, MSG_NOSIGNAL);
        if (count >= 0) return {static_cast<size_t>(count), Wait::None};
        if (errno == EAGAIN || errno == EINTR) return {0, Wait::Write};
        return {0, Wait::Ended};
    }

private:
    int m_fd;
};

class TlsTransport final : public Transport {
public:
    TlsTransport(int fd, SSL* ssl) : m_fd(fd), m_ssl(ssl) {}
    ~TlsTransport() override
    {
        SSL_free(m_ssl);
        ::close(m_fd);
    }
    int fd() const override { return m_fd; }
    bool hasBufferedInput() const override { return SSL_pending(m_ssl) > 0; }

    Progress read(std::span<char> into) override
    {
        ERR_clear_error();
        size_t count = 0;
        if (SSL_read_ex(m_ssl, into.data(), into.size(), &count) == 1) return {count, Wait::None};
        return {0, waitFor(SSL_get_error(m_ssl, 0))};
    }
    // Parts are gathered into whole records: a record of nine bytes costs as much as one of sixteen thousand. A
    // refused record is offered again from the front, as SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER allows.
    Progress write(std::span<const iovec> parts) override
    {
        size_t gathered = 0;
        for (const iovec& part : parts) {
            const size_t count = std::min(part.iov_len, sizeof m_record - gathered);
            std::memcpy(m_record + gathered, part.iov_base, count);
            gathered += count;
            if (gathered == sizeof m_record) break;
        }
        // OpenSSL wants at least what it refused before, from the same start.
        ERR_clear_error();
        size_t written = 0;
        if (SSL_write_ex(m_ssl, m_record, gathered, &written) == 1) return {written, Wait::None};
        return {0, waitFor(SSL_get_error(m_ssl, 0))};
    }

private:
    static Wait waitFor(int error)
    {
        if (error == SSL_ERROR_WANT_READ) return Wait::Read;
        if (error == SSL_ERROR_WANT_WRITE) return Wait::Write;
        return Wait::Ended;
    }

    int m_fd;
    SSL* m_ssl;
    char m_record[16 * 1024];
};

int chooseHttp2(SSL*, const unsigned char** out, unsigned char* outSize, const unsigned char* in, unsigned inSize,
                void*)
{
    static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, outSize, kHttp2, sizeof kHttp2, in, inSize) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

bool useCertificateChain(SSL_CTX* context, const QByteArray& pem)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(
        BIO_new_mem_buf(pem.constData(), static_cast<int>(pem.size())), BIO_free);
    const auto next = [&] {
        return std::unique_ptr<X509, decltype(&X509_free)>(PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr),
                                                           X509_free);
    };
    const auto leaf = next();
    if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) return false;
    while (const auto intermediate = next())
        if (SSL_CTX_add1_chain_cert(context, intermediate.get()) != 1) return false;
    return true;
}

bool usePrivateKey(SSL_CTX* context, const QByteArray& pem)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(
        BIO_new_mem_buf(pem.constData(), static_cast<int>(pem.size())), BIO_free);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
    return key && SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
}

} // namespace

std::unique_ptr<Transport> makePlainTransport(int fd)
{
    return std::make_unique<PlainTransport>(fd);
}

Result<TlsContext> TlsContext::create(const QByteArray& certificatePem, const QByteArray& privateKeyPem)
{
    const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
    const bool isUsable = context && SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1 &&
                          useCertificateChain(context.get(), certificatePem) &&
                          usePrivateKey(context.get(), privateKeyPem);
    ERR_clear_error();
    if (!isUsable)
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("The edge's TLS certificate and key do not work together: give a PEM chain that "
                                   "starts with the server's certificate, and the PEM private key that belongs to it."),
                    QStringLiteral("CERTIFICATE_INVALID"));
    SSL_CTX_set_mode(context.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_alpn_select_cb(context.get(), chooseHttp2, nullptr);
    return TlsContext(context);
}

std::unique_ptr<Transport> TlsContext::accept(int fd) const
{
    SSL* ssl = SSL_new(m_context.get());
    if (!ssl) {
        ::close(fd);
        return nullptr;
    }
    SSL_set_fd(ssl, fd);
    SSL_set_accept_state(ssl); // the handshake runs inside the first reads
    return std::make_unique<TlsTransport>(fd, ssl);
}

} // namespace cocoonbox::api::edge
