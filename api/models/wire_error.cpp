// SPDX-License-Identifier: AGPL-3.0-only
#include "api/models/wire_error.h"

#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::models {

void replyError(net::http::Exchange& exchange, Wire wire, int status, const Error& error)
{
    QJsonObject inner{{u"message"_s, error.message}};
    QJsonObject outer;
    if (wire == Wire::Messages) {
        inner[u"type"_s] = status == 404  ? u"not_found_error"_s
                           : status < 500 ? u"invalid_request_error"_s
                                          : u"api_error"_s;
        outer = {{u"type"_s, u"error"_s}, {u"error"_s, inner}};
    } else {
        inner[u"type"_s] = status < 500 ? u"invalid_request_error"_s : u"server_error"_s;
        inner[u"code"_s] = error.reason.toLower();
        outer = {{u"error"_s, inner}};
    }
    exchange.reply(status, {{"Content-Type", "application/json"}, {"X-Cocoonbox-Reason", error.reason.toLatin1()}},
                   QJsonDocument(outer).toJson(QJsonDocument::Compact));
}

} // namespace cocoonbox::api::models
