// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/gate.h"

#include <algorithm>
#include <array>

namespace cocoonbox::api::edge {

namespace {

using namespace std::string_view_literals;

constexpr auto kAgentPackage = "cocoonbox.agent.v1."sv;
constexpr auto kScreenPath = "/cocoonbox.agent.v1.Session/Screen"sv;
// The api drives these itself; a user who could would save and plan behind its back.
constexpr std::array kPrivateServices = {"State"sv, "RoutineControl"sv};
constexpr auto kReflectionPrefix = "/grpc.reflection."sv;

} // namespace

Destination destinationOf(std::string_view path)
{
    if (path.starts_with(kReflectionPrefix)) return Destination::Private;
    if (!path.starts_with('/') || !path.substr(1).starts_with(kAgentPackage)) return Destination::Control;
    if (path == kScreenPath) return Destination::Screen;
    const std::string_view service = path.substr(1 + kAgentPackage.size());
    const std::string_view name = service.substr(0, service.find('/'));
    return std::ranges::contains(kPrivateServices, name) ? Destination::Private : Destination::Agent;
}

Result<Admission> Gate::admit(Destination destination, std::string_view authorization, std::string_view boxId) const
{
    TRY_ASSIGN(
        const users::Actor actor,
        users::authorise(m_tokens, QByteArrayView(authorization.data(), static_cast<qsizetype>(authorization.size()))));
    if (destination == Destination::Private)
        return fail(ErrorCode::PermissionDenied,
                    QStringLiteral("This service is not for users: the api calls it itself. Use the services of "
                                   "cocoonbox.control.v1, which do the same with your rights."),
                    QStringLiteral("SERVICE_PRIVATE"));
    if (boxId.empty())
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("The call names no box. Put its id into the metadata x-cocoonbox-box; "
                                   "`cocoonbox status` lists your boxes."),
                    QStringLiteral("BOX_MISSING"));
    const QString id = QString::fromLatin1(boxId.data(), static_cast<qsizetype>(boxId.size()));
    TRY_ASSIGN(boxes::Route route, m_boxes.route(actor.userId, id));
    return Admission{actor.userId, std::move(route)};
}

Result<boxes::Route> Gate::routeAgain(const Admission& admission) const
{
    return m_boxes.route(admission.userId, admission.route.boxId);
}

} // namespace cocoonbox::api::edge
