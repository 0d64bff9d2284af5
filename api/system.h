// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/api_config.h"
#include "common/async/task.h"
#include "common/base/secret.h"

#include <memory>

// The composition root: makes the parts in the order in which they need each other and ends them in reverse.
namespace cocoonbox::api {

// Makes the folder and the database where there are none, and lets nobody else serve from the same folder.
class System final {
public:
    // Everything, listening. FailedPrecondition: API_RUNNING; and the errors of the parts.
    static Task<std::unique_ptr<System>> start(ApiConfig config);
    ~System();

    QString address() const;
    // Tokens made by another process are known from here on.
    Task<void> reload();
    // What boxes may reach, from their next connection on. PREFIX_INVALID.
    Result<void> changeEgress(const EgressConfig& config);
    // Takes no new calls, puts the boxes to sleep, closes. Within 28 s.
    QCoro::Task<void> stop();

    // Without serving: makes a user, or another token for one. A serving api on this machine is told.
    static Task<Secret> createUser(ApiConfig config, QString name);
    static Task<Secret> createToken(ApiConfig config, QString name);

private:
    struct Parts;
    explicit System(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> m_parts;
};

} // namespace cocoonbox::api
