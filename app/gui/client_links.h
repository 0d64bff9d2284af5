// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/token_store.h"
#include "app/gui/links.h"

namespace cocoonbox::app::gui {

// The links over app/client.
class ClientAccountLink final : public AccountLink {
public:
    explicit ClientAccountLink(const QProcessEnvironment& environment);

    Task<client::Account> resolve(QString urlFlag) override;
    Result<std::unique_ptr<ApiLink>> connect(client::Account account) override;
    Task<QString> remember(QUrl apiUrl, Secret token) override;
    Task<void> forget(QUrl apiUrl) override;

private:
    QProcessEnvironment m_environment;
    client::TokenStore m_store;
};

} // namespace cocoonbox::app::gui
