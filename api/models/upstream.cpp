// SPDX-License-Identifier: AGPL-3.0-only
#include "api/models/upstream.h"

#include <QFile>
#include <QUrl>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::models {

namespace {

constexpr qint64 kKeyBytesMax = 8 * 1024;

Result<Secret> readKey(const QString& keyFile)
{
    QFile file(keyFile);
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::InvalidArgument,
                    u"The file with the model key (models.api-key-file) cannot be read: %1."_s.arg(file.errorString()),
                    u"MODELS_KEY_UNREADABLE"_s);
    const QByteArray key = file.readLine(kKeyBytesMax).trimmed();
    for (const char c : key)
        if (c <= ' ' || c > '~')
            return fail(ErrorCode::InvalidArgument,
                        u"The file with the model key (models.api-key-file) does not hold a key in its first line."_s,
                        u"MODELS_KEY_UNREADABLE"_s);
    return Secret(key);
}

} // namespace

Result<Upstream> Upstream::create(const QString& baseUrl, const QString& keyFile)
{
    const QUrl url(baseUrl, QUrl::StrictMode);
    const bool isHttp = url.scheme() == "http"_L1;
    if (!url.isValid() || url.host().isEmpty() || (!isHttp && url.scheme() != "https"_L1) || url.hasQuery() ||
        url.hasFragment() || !url.userInfo().isEmpty())
        return fail(
            ErrorCode::InvalidArgument,
            u"models.base-url must look like https://api.example.com or http://127.0.0.1:8080/prefix, with no user, query or fragment."_s,
            u"MODELS_BASE_URL_INVALID"_s);
    Upstream upstream;
    upstream.isEncrypted = !isHttp;
    upstream.host = url.host(QUrl::FullyEncoded);
    upstream.port = static_cast<quint16>(url.port(isHttp ? 80 : 443));
    upstream.hostField = url.authority(QUrl::FullyEncoded).toLatin1();
    upstream.pathPrefix = url.path(QUrl::FullyEncoded).toLatin1();
    while (upstream.pathPrefix.endsWith('/'))
        upstream.pathPrefix.chop(1);
    if (upstream.pathPrefix.endsWith("/v1")) upstream.pathPrefix.chop(3);
    if (!keyFile.isEmpty()) {
        TRY_ASSIGN(upstream.key, readKey(keyFile));
    }
    return upstream;
}

} // namespace cocoonbox::api::models
