// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/token_store.h"

#include "app/client/account.h"
#include "app/client/private_file.h"
#include "common/async/wait.h"

#include <QCryptographicHash>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <qt6keychain/keychain.h>
#include <QTimer>

namespace cocoonbox::app::client {

namespace {

const auto kService = QStringLiteral("cocoonbox");
const auto kKeychainPlace = QStringLiteral("the system keychain");

// Starts the job and waits for it; nothing when no keychain answers in time. The job deletes itself whenever it ends.
QCoro::Task<std::optional<QKeychain::Error>> runJob(QKeychain::Job* job, std::chrono::milliseconds limit)
{
    Promise<std::optional<QKeychain::Error>> ended;
    QObject::connect(job, &QKeychain::Job::finished, job, [ended](QKeychain::Job* done) { ended.set(done->error()); });
    QTimer timer;
    timer.setSingleShot(true);
    timer.callOnTimeout([ended] { ended.set(std::nullopt); });
    timer.start(limit);
    job->start();
    co_return co_await ended.get();
}

QJsonObject objectIn(const QByteArray& json)
{
    return QJsonDocument::fromJson(json).object();
}

} // namespace

TokenStore::Options TokenStore::optionsFrom(const QProcessEnvironment& environment)
{
    Options options;
    options.configDir = environment.value(QStringLiteral("COCOONBOX_CONFIG_DIR"));
    if (options.configDir.isEmpty()) {
        QString base = environment.value(QStringLiteral("XDG_CONFIG_HOME"));
        if (base.isEmpty()) base = QDir::homePath() + QStringLiteral("/.config");
        options.configDir = base + QStringLiteral("/cocoonbox");
    }
    if (environment.value(QStringLiteral("COCOONBOX_TOKEN_STORE")) == u"file") options.keychain = Keychain::LeaveAlone;
    return options;
}

TokenStore::TokenStore(Options options) : m_options(std::move(options)) {}

QString TokenStore::tokenPath(const QUrl& apiUrl) const
{
    const QByteArray hash = QCryptographicHash::hash(apiUrl.toEncoded(), QCryptographicHash::Sha256);
    return m_options.configDir + QStringLiteral("/token-%1.json").arg(QString::fromLatin1(hash.first(8).toHex()));
}

QString TokenStore::clientPath() const
{
    return m_options.configDir + QStringLiteral("/client.json");
}

// The file first: where there is one, no keychain answered when it was written, and asking again would cost 2 s.
Task<std::optional<TokenStore::Stored>> TokenStore::load(QUrl apiUrl)
{
    const QString path = tokenPath(apiUrl);
    CO_TRY_ASSIGN(const auto file, readPrivateFile(path));
    if (file) co_return Stored{Secret(objectIn(*file).value(u"token").toString().toUtf8()), path};
    if (m_options.keychain == Keychain::LeaveAlone || lastApiUrl() == std::nullopt) co_return std::nullopt;

    auto* job = new QKeychain::ReadPasswordJob(kService);
    job->setKey(apiUrl.toString());
    Promise<QByteArray> token;
    QObject::connect(job, &QKeychain::Job::finished, job, [token, job] { token.set(job->binaryData()); });
    const auto outcome = co_await runJob(job, m_options.keychainLimit);
    if (outcome != QKeychain::NoError) co_return std::nullopt;
    const QByteArray bytes = co_await token.get();
    if (bytes.isEmpty()) co_return std::nullopt;
    co_return Stored{Secret(bytes), kKeychainPlace};
}

Task<QString> TokenStore::save(QUrl apiUrl, Secret token)
{
    const QString path = tokenPath(apiUrl);
    const bool old = QDir().exists(m_options.configDir);
    if (!old && !QDir().mkpath(m_options.configDir))
        co_return fail(ErrorCode::Unavailable, QStringLiteral("%1 cannot be made.").arg(m_options.configDir),
                       QStringLiteral("DIRECTORY_UNWRITABLE"));
    if (!old) QFile::setPermissions(m_options.configDir, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QJsonObject client{{QStringLiteral("api_url"), apiUrl.toString()}};
    CO_TRY_VOID(writePrivateFile(clientPath(), QJsonDocument(client).toJson()));

    if (m_options.keychain == Keychain::Ask) {
        auto* job = new QKeychain::WritePasswordJob(kService);
        job->setKey(apiUrl.toString());
        job->setBinaryData(token.reveal("into the keychain"));
        const auto outcome = co_await runJob(job, m_options.keychainLimit);
        if (outcome == QKeychain::NoError) {
            QFile::remove(path);
            co_return kKeychainPlace;
        }
    }
    QJsonObject stored = client;
    stored.insert(QStringLiteral("token"), QString::fromUtf8(token.reveal("into a file of mode 0600")));
    CO_TRY_VOID(writePrivateFile(path, QJsonDocument(stored).toJson()));
    co_return path;
}

Task<void> TokenStore::forget(QUrl apiUrl)
{
    const QString path = tokenPath(apiUrl);
    if (QFile::exists(path)) {
        if (!QFile::remove(path))
            co_return fail(ErrorCode::PermissionDenied, QStringLiteral("%1 cannot be removed.").arg(path),
                           QStringLiteral("FILE_UNWRITABLE"));
        co_return {};
    }
    if (m_options.keychain == Keychain::LeaveAlone) co_return {};
    auto* job = new QKeychain::DeletePasswordJob(kService);
    job->setKey(apiUrl.toString());
    co_await runJob(job, m_options.keychainLimit);
    co_return {};
}

std::optional<QUrl> TokenStore::lastApiUrl() const
{
    const auto file = readPrivateFile(clientPath());
    if (!file || !*file) return std::nullopt;
    const auto url = parseApiUrl(objectIn(**file).value(u"api_url").toString());
    return url ? std::optional(*url) : std::nullopt;
}

} // namespace cocoonbox::app::client
