// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/forward.h"

namespace cocoonbox::net::http {

QCoro::Task<void> passBody(std::shared_ptr<Exchange> from, std::shared_ptr<ClientExchange> to)
{
    for (;;) {
        const Result<std::optional<QByteArray>> piece = co_await from->next();
        if (!piece) co_return to->cancel();
        if (!*piece) co_return to->finishBody();
        if (!co_await to->send(**piece)) co_return;
    }
}

Task<void> passReply(std::shared_ptr<ClientExchange> from, std::shared_ptr<Exchange> to)
{
    for (;;) {
        const Result<std::optional<QByteArray>> piece = co_await from->next();
        if (!piece) {
            to->abort();
            co_return std::unexpected(piece.error());
        }
        if (!*piece) {
            to->finish();
            co_return {};
        }
        if (!co_await to->send(**piece)) {
            from->cancel();
            co_return {};
        }
    }
}

} // namespace cocoonbox::net::http
