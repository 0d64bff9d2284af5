// SPDX-License-Identifier: AGPL-3.0-only
#include "common/crypto/ed25519.h"

#include "common/crypto/sha256.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <QFile>
#include <sys/stat.h>
#include <unistd.h>

namespace cocoonbox::crypto {

namespace {

constexpr qsizetype kKeyFileBytesMax = 4096;

std::shared_ptr<EVP_PKEY> owned(EVP_PKEY* key)
{
    return {key, EVP_PKEY_free};
}

auto unsignedBytes(QByteArrayView bytes)
{
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor()
    {
        if (m_fd >= 0) ::close(m_fd);
    }
    Descriptor(const Descriptor&) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

std::unexpected<Error> unwritable(const QString& detail)
{
    Error error{ErrorCode::Internal,
                QStringLiteral("The edge's signing key cannot be written: the system refused the file. Check that the "
                               "data directory exists, is this user's and has space."),
                QStringLiteral("KEY_FILE_UNWRITABLE"),
                {},
                std::source_location::current()};
    return std::unexpected(std::move(error).withDetail(detail));
}

std::unexpected<Error> damaged()
{
    return fail(ErrorCode::DataLoss,
                QStringLiteral("The edge's signing key file does not hold an ed25519 key. Restore it from a backup, or "
                               "remove it to have a new one made; running boxes then need a hibernate and a wake."),
                QStringLiteral("KEY_FILE_DAMAGED"));
}

// A private key that others can read may be theirs already, so the file is not used, rather than repaired in silence.
Result<void> checkPrivate(int fd)
{
    struct stat status{};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 077) == 0 &&
        status.st_uid == ::geteuid())
        return {};
    return fail(ErrorCode::FailedPrecondition,
                QStringLiteral("The edge's signing key file is not private: it must be a plain file of this user with "
                               "mode 0600. Somebody else may know the key; remove the file to have a new one made."),
                QStringLiteral("KEY_FILE_EXPOSED"));
}

QByteArray privatePem(EVP_PKEY* key)
{
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
    if (!memory || !PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr)) return {};
    char* text = nullptr;
    const auto size = BIO_get_mem_data(memory.get(), &text);
    return {text, static_cast<qsizetype>(size)};
}

bool writeAll(int fd, const QByteArray& bytes)
{
    qsizetype written = 0;
    while (written < bytes.size()) {
        const ssize_t count = ::write(fd, bytes.data() + written, static_cast<size_t>(bytes.size() - written));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        written += count;
    }
    return ::fsync(fd) == 0;
}

} // namespace

PublicKey::PublicKey(std::shared_ptr<EVP_PKEY> key, QByteArray raw) : m_key(std::move(key)), m_raw(std::move(raw)) {}

Result<PublicKey> PublicKey::fromRaw(QByteArrayView raw)
{
    EVP_PKEY* key = nullptr;
    if (raw.size() == kPublicKeyBytes)
        key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, unsignedBytes(raw), kPublicKeyBytes);
    if (!key)
        return fail(ErrorCode::InvalidArgument, QStringLiteral("This is not an ed25519 public key (32 raw bytes)."),
                    QStringLiteral("KEY_MALFORMED"));
    return PublicKey(owned(key), raw.toByteArray());
}

QString PublicKey::keyId() const
{
    return QString::fromLatin1(sha256(m_raw).first(8).toHex());
}

bool PublicKey::verify(QByteArrayView message, QByteArrayView signature) const
{
    if (signature.size() != kSignatureBytes) return false;
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    return context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, m_key.get()) == 1 &&
           EVP_DigestVerify(context.get(), unsignedBytes(signature), kSignatureBytes, unsignedBytes(message),
                            static_cast<size_t>(message.size())) == 1;
}

KeyPair::KeyPair(std::shared_ptr<EVP_PKEY> key, PublicKey publicKey)
    : m_key(std::move(key)), m_public(std::move(publicKey))
{
}

Result<KeyPair> KeyPair::fromKey(std::shared_ptr<EVP_PKEY> key)
{
    if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519) return damaged();
    QByteArray raw(kPublicKeyBytes, Qt::Uninitialized);
    size_t size = kPublicKeyBytes;
    if (EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(raw.data()), &size) != 1)
        return damaged();
    TRY_ASSIGN(PublicKey publicKey, PublicKey::fromRaw(raw));
    return KeyPair(std::move(key), std::move(publicKey));
}

Result<KeyPair> KeyPair::generate()
{
    std::shared_ptr<EVP_PKEY> key = owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    if (!key)
        return fail(ErrorCode::Internal,
                    QStringLiteral("OpenSSL made no ed25519 key; its random source or its provider is missing."),
                    QStringLiteral("KEY_NOT_MADE"));
    return fromKey(std::move(key));
}

Result<KeyPair> KeyPair::load(const QString& path)
{
    const Descriptor file(::open(QFile::encodeName(path).constData(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.get() < 0 && errno == ENOENT)
        return fail(ErrorCode::NotFound, QStringLiteral("There is no signing key file yet."),
                    QStringLiteral("KEY_FILE_MISSING"));
    TRY_VOID(checkPrivate(file.get()));
    QByteArray pem(kKeyFileBytesMax, Qt::Uninitialized);
    const ssize_t count = ::read(file.get(), pem.data(), static_cast<size_t>(pem.size()));
    if (count <= 0) return damaged();
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new_mem_buf(pem.constData(), static_cast<int>(count)),
                                                           BIO_free);
    std::shared_ptr<EVP_PKEY> key = owned(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
    pem.fill('\0');
    return fromKey(std::move(key));
}

// Written under a name of its own and linked into place, which fails when another process was faster: so the file is
// there whole or not at all, and never replaces one that boxes rely on.
Result<void> KeyPair::store(const QString& path) const
{
    QByteArray temporary = QFile::encodeName(path) + ".XXXXXX";
    const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC)); // mode 0600
    if (file.get() < 0) return unwritable(QString::fromLocal8Bit(::strerror(errno)));
    QByteArray pem = privatePem(m_key.get());
    const bool written = !pem.isEmpty() && writeAll(file.get(), pem);
    pem.fill('\0');
    const bool linked =
        written && (::link(temporary.constData(), QFile::encodeName(path).constData()) == 0 || errno == EEXIST);
    const int error = errno;
    ::unlink(temporary.constData());
    if (!linked) return unwritable(QString::fromLocal8Bit(::strerror(error)));
    return {};
}

Result<KeyPair> KeyPair::loadOrCreate(const QString& path)
{
    Result<KeyPair> loaded = load(path);
    if (loaded || loaded.error().code != ErrorCode::NotFound) return loaded;
    TRY_ASSIGN(const KeyPair made, generate());
    TRY_VOID(made.store(path));
    return load(path);
}

QByteArray KeyPair::sign(QByteArrayView message) const
{
    QByteArray signature(kSignatureBytes, Qt::Uninitialized);
    size_t size = kSignatureBytes;
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    const bool signedAll = context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, m_key.get()) == 1 &&
                           EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                                          unsignedBytes(message), static_cast<size_t>(message.size())) == 1;
    // Only a lack of memory gets here; an empty signature is refused by every verifier.
    return signedAll ? signature : QByteArray();
}

} // namespace cocoonbox::crypto
