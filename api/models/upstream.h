// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/base/secret.h"

#include <QByteArray>
#include <QString>

namespace cocoonbox::api::models {

// Where models are: "https://api.example.com" or "http://127.0.0.1:8080/openai". A trailing "/v1" is allowed and means
// the same as without.
struct Upstream {
    bool isEncrypted = true;
    QString host;
    quint16 port = 443;
    QByteArray hostField;  // of the Host header
    QByteArray pathPrefix; // "" or "/openai"
    Secret key;            // may be empty: a local model needs none

    // InvalidArgument: MODELS_BASE_URL_INVALID, MODELS_KEY_UNREADABLE. The key file's first line is the key.
    static Result<Upstream> create(const QString& baseUrl, const QString& keyFile);
};

} // namespace cocoonbox::api::models
