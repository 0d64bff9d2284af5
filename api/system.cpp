// SPDX-License-Identifier: AGPL-3.0-only
#include "api/system.h"

#include "api/boxes/box_service.h"
#include "api/boxes/boxes_rpc.h"
#include "api/edge/edge.h"
#include "api/egress/doors.h"
#include "api/egress/gate.h"
#include "api/machines/memory/memory_machines.h"
#include "api/machines/podman/podman_machines.h"
#include "api/models/gateway.h"
#include "api/users/user_service.h"
#include "api/users/users_rpc.h"
#include "common/config/paths.h"
#include "common/sql/migrations.h"

#include <csignal>
#include <QFile>
#include <QLockFile>

namespace cocoonbox::api {

namespace {

constexpr auto kCallsLimit = std::chrono::seconds(2);
constexpr auto kBoxesLimit = std::chrono::seconds(24);

// The doors of the boxes are those of egress.
class EgressDoors final : public boxes::BoxDoors {
public:
    EgressDoors(std::shared_ptr<egress::Gate> gate, models::Gateway& gateway) : m_doors(std::move(gate), gateway) {}
    Result<void> open(const QString& boxId, const QString& ownerId, const QString& directory) override
    {
        return m_doors.openDoor(boxId, ownerId, directory);
    }
    void close(const QString& boxId) override { m_doors.closeDoor(boxId); }

private:
    egress::Doors m_doors;
};

QString lockFile(const ApiConfig& config)
{
    return config.dataDir + QStringLiteral("/api.lock");
}

Result<QByteArray> readFile(const QString& path)
{
    if (path.isEmpty()) return QByteArray();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::InvalidArgument, QStringLiteral("Cannot read %1: %2.").arg(path, file.errorString()),
                    QStringLiteral("FILE_UNREADABLE"));
    return file.readAll();
}

Task<std::unique_ptr<sql::Database>> openDatabase(ApiConfig config)
{
    CO_TRY_VOID(config::ensurePrivateDir(config.dataDir));
    CO_TRY_ASSIGN(std::unique_ptr<sql::Database> database,
                  co_await sql::Database::open({config.databaseUrl, /*syncEveryCommit=*/true}));
    CO_TRY_VOID(co_await sql::migrate(*database, {users::UserStore::migrations(), boxes::BoxStore::migrations()}));
    co_return std::move(database);
}

Task<std::unique_ptr<machines::Machines>> openMachines(ApiConfig config)
{
    if (config.machines.backend == u"memory") {
        CO_TRY_ASSIGN(std::unique_ptr<machines::Machines> memory, machines::MemoryMachines::create(config.dataDir));
        co_return std::move(memory);
    }
    machines::PodmanConfig podman;
    podman.dataDirectory = config.dataDir;
    podman.graphRoot = config.machines.podmanRoot;
    podman.runRoot = config.machines.podmanRunroot;
    podman.runtime = config.machines.runtime;
    CO_TRY_ASSIGN(std::unique_ptr<machines::Machines> machines, co_await machines::PodmanMachines::open(podman));
    co_return std::move(machines);
}

machines::Flavor flavorOf(const QString& name, const FlavorConfig& config)
{
    constexpr qint64 kMebi = 1024 * 1024;
    // A quarter of the memory for pictures between browser and X server, at most 1 GiB.
    const qint64 shm = std::min<qint64>(config.memoryMib / 4, 1024) * kMebi;
    return {name, config.cpus * 1000, config.memoryMib * kMebi, shm, config.pids};
}

boxes::BoxSettings boxSettings(const ApiConfig& config, const crypto::PublicKey& key)
{
    boxes::BoxSettings settings;
    settings.image = config.machines.image;
    for (const auto& [name, flavor] : config.boxes.flavors.asKeyValueRange())
        settings.flavors.insert(name, flavorOf(name, flavor));
    settings.defaultFlavor = config.boxes.defaultFlavor;
    settings.keepRunning = config.boxes.keepRunning;
    settings.keyId = key.keyId();
    settings.publicKey = key.raw();
    settings.model = config.models.defaultModel;
    return settings;
}

// The process that serves reads its tokens anew on SIGHUP.
void tellServingApi(const ApiConfig& config)
{
    QLockFile lock(lockFile(config));
    qint64 pid = 0;
    QString host;
    QString program;
    if (!lock.tryLock(0) && lock.error() == QLockFile::LockFailedError && lock.getLockInfo(&pid, &host, &program) &&
        pid > 0)
        ::kill(static_cast<pid_t>(pid), SIGHUP);
}

} // namespace

// In the order of making; destroyed from the end.
struct System::Parts {
    explicit Parts(const ApiConfig& config) : lock(lockFile(config)) {}

    SystemClock clock;
    QLockFile lock;
    std::unique_ptr<sql::Database> database;
    std::unique_ptr<users::UserService> users;
    std::unique_ptr<machines::Machines> machines;
    std::unique_ptr<models::Gateway> gateway;
    std::shared_ptr<egress::Gate> gate;
    std::unique_ptr<EgressDoors> doors;
    std::unique_ptr<boxes::AgentProbe> probe;
    std::unique_ptr<boxes::BoxService> boxes;
    std::shared_ptr<grpc::Service> usersRpc;
    std::shared_ptr<grpc::Service> boxesRpc;
    std::unique_ptr<edge::Edge> edge;
    QString host;
};

System::System(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}
System::~System() = default;

Task<std::unique_ptr<System>> System::start(ApiConfig config)
{
    CO_TRY_VOID(config::ensurePrivateDir(config.dataDir));
    auto parts = std::make_unique<Parts>(config);
    parts->lock.setStaleLockTime(0);
    if (!parts->lock.tryLock(0))
        co_return fail(
            ErrorCode::FailedPrecondition,
            QStringLiteral("Another cocoonbox-api serves from %1 already; stop that one first.").arg(config.dataDir),
            QStringLiteral("API_RUNNING"));
    CO_TRY_ASSIGN(const crypto::KeyPair key,
                  crypto::KeyPair::loadOrCreate(config.dataDir + QStringLiteral("/edge-key.pem")));
    CO_TRY_ASSIGN(parts->database, co_await openDatabase(config));
    parts->users = std::make_unique<users::UserService>(users::UserStore(*parts->database), parts->clock);
    CO_TRY_VOID(co_await parts->users->load());
    CO_TRY_ASSIGN(parts->machines, co_await openMachines(config));
    CO_TRY_ASSIGN(parts->gateway, models::Gateway::create(config.models.baseUrl, config.models.apiKeyFile));
    CO_TRY_ASSIGN(parts->gate, makeGate(config.egress, config.dataDir, parts->clock));
    parts->doors = std::make_unique<EgressDoors>(parts->gate, *parts->gateway);
    parts->probe = boxes::makeAgentProbe(key, parts->clock);
    parts->boxes =
        std::make_unique<boxes::BoxService>(boxes::BoxStore(*parts->database), *parts->machines, *parts->probe,
                                            *parts->doors, boxSettings(config, key.publicKey()), parts->clock);
    CO_TRY_VOID(co_await parts->boxes->open());
    parts->usersRpc = users::makeUsersRpc(*parts->users);
    parts->boxesRpc = boxes::makeBoxesRpc(*parts->users, *parts->boxes);

    edge::EdgeOptions options;
    options.address = config.edge.listen;
    CO_TRY_ASSIGN(options.certificatePem, readFile(config.edge.certificateFile));
    CO_TRY_ASSIGN(options.privateKeyPem, readFile(config.edge.keyFile));
    options.services = {parts->usersRpc.get(), parts->boxesRpc.get()};
    CO_TRY_ASSIGN(parts->edge, edge::Edge::start(options, *parts->users, *parts->boxes, key, parts->clock));
    parts->host = config.edge.listen.left(config.edge.listen.lastIndexOf(u':'));
    co_return std::unique_ptr<System>(new System(std::move(parts)));
}

QString System::address() const
{
    return QStringLiteral("%1:%2").arg(m_parts->host).arg(m_parts->edge->port());
}

Task<void> System::reload()
{
    return m_parts->users->load();
}

Result<void> System::changeEgress(const EgressConfig& config)
{
    return changeGate(*m_parts->gate, config);
}

QCoro::Task<void> System::stop()
{
    co_await m_parts->edge->stop(kCallsLimit);
    co_await m_parts->boxes->close(kBoxesLimit);
}

Task<Secret> System::createUser(ApiConfig config, QString name)
{
    CO_TRY_ASSIGN(const std::unique_ptr<sql::Database> database, co_await openDatabase(config));
    const SystemClock clock;
    users::UserService users(users::UserStore(*database), clock);
    CO_TRY_ASSIGN(const users::Grant grant, co_await users.createUser(name));
    tellServingApi(config);
    co_return grant.token;
}

Task<Secret> System::createToken(ApiConfig config, QString name)
{
    CO_TRY_ASSIGN(const std::unique_ptr<sql::Database> database, co_await openDatabase(config));
    const SystemClock clock;
    users::UserService users(users::UserStore(*database), clock);
    CO_TRY_ASSIGN(const users::Grant grant, co_await users.createToken(name));
    tellServingApi(config);
    co_return grant.token;
}

} // namespace cocoonbox::api
