// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/command.h"
#include "app/client/token_store.h"

#include <algorithm>

namespace cocoonbox::app::cli {

client::ClientName clientName()
{
    return {QStringLiteral("cocoonbox"), QStringLiteral(COCOONBOX_VERSION)};
}

Task<client::Account> Invocation::account() const
{
    client::TokenStore store(client::TokenStore::optionsFrom(environment));
    co_return co_await client::resolveAccount(store, arguments.value(QStringLiteral("api-url")), environment);
}

Task<void> Invocation::signIn()
{
    CO_TRY_ASSIGN(client::Account who, co_await account());
    CO_TRY_ASSIGN(api, client::ApiClient::create(std::move(who), clientName()));
    co_return {};
}

Task<client::Box> Invocation::findBox(QString named)
{
    if (named.isEmpty()) named = arguments.value(QStringLiteral("box"));
    if (named.isEmpty()) named = environment.value(QStringLiteral("COCOONBOX_BOX"));
    if (!api) {
        CO_TRY_VOID(co_await signIn());
    }
    CO_TRY_ASSIGN(const QList<client::Box> boxes, co_await api->listBoxes());
    if (boxes.isEmpty() && named.isEmpty())
        co_return fail(ErrorCode::NotFound, QStringLiteral("You have no box yet."), QStringLiteral("BOX_NONE"));
    if (named.isEmpty() && boxes.size() == 1) co_return boxes.first();
    const QString wanted = named.isEmpty() ? QStringLiteral("main") : named;
    const auto found =
        std::ranges::find_if(boxes, [&](const client::Box& box) { return box.name == wanted || box.boxId == wanted; });
    if (found != boxes.end()) co_return *found;
    if (named.isEmpty())
        co_return fail(ErrorCode::InvalidArgument, QStringLiteral("You have several boxes and none is called main."),
                       QStringLiteral("BOX_AMBIGUOUS"));
    co_return fail(ErrorCode::NotFound, QStringLiteral("You have no box called %1.").arg(named),
                   QStringLiteral("BOX_UNKNOWN"));
}

Task<std::unique_ptr<client::BoxSession>> Invocation::openBox()
{
    CO_TRY_ASSIGN(const client::Box box, co_await findBox());
    co_return api->openBox(box.boxId);
}

Task<client::Agent> Invocation::findAgent(client::BoxSession* box, QString agentId)
{
    CO_TRY_ASSIGN(const QList<client::Agent> agents, co_await box->listAgents());
    if (agents.isEmpty())
        co_return fail(ErrorCode::NotFound, QStringLiteral("The box has no agent yet."), QStringLiteral("AGENT_NONE"));
    if (agentId.isEmpty()) co_return agents.first();
    const auto found = std::ranges::find(agents, agentId, &client::Agent::agentId);
    if (found != agents.end()) co_return *found;
    co_return fail(ErrorCode::NotFound, QStringLiteral("The box has no agent %1.").arg(agentId),
                   QStringLiteral("AGENT_UNKNOWN"));
}

} // namespace cocoonbox::app::cli
