// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"
#include "common/base/result.h"

#include <chrono>
#include <functional>
#include <QByteArray>
#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

// A machine is what a backend runs for a box. The port below is all that the rest of the api sees of podman, of a VM or
// of a cluster; it knows no user and no protocol. What holds for every backend:
//
//   - a box has at most one machine; its disk lives from `claim` to `release` and over every hibernate and wake;
//   - an incarnation is one run from wake to its end. Its endpoint's key is unique: a key seen once never comes back;
//   - everything that comes from a machine is hostile: the backend never follows a link that a box made;
//   - calls for one machine take turns in the order they came (at most `kWaitersMax`, then ResourceExhausted
//     MACHINE_BUSY); calls for different machines run side by side;
//   - a call that returns an Error has left the machine as it was or as `machines()` then tells; repeating it is safe.
namespace cocoonbox::api::machines {

inline constexpr auto kCallDeadline = std::chrono::seconds(30); // one step of the backend
inline constexpr int kWaitersMax = 16;
inline constexpr int kMetaKeysMax = 32;
inline constexpr int kMetaKeyCharsMax = 64;     // [a-z0-9._-], at least one
inline constexpr int kMetaValueBytesMax = 4096; // UTF-8

// What a machine may use. A name is what people write in a configuration; the figures are the backend's limits.
struct Flavor {
    QString name;
    int cpuMillis = 0;      // 2000 is two cores
    qint64 memoryBytes = 0; // a box at the limit ends its own processes; it never swaps
    qint64 shmBytes = 0;    // /dev/shm: the browser and the X server share pictures there
    int pidsMax = 0;

    friend bool operator==(const Flavor&, const Flavor&) = default;
};

// small (1 core, 1 GiB), medium (2, 2 GiB), large (4, 8 GiB); InvalidArgument FLAVOR_UNKNOWN names them.
Result<Flavor> flavorNamed(QStringView name);

// What to make. `image` is the backend's name for it ("localhost/cocoonbox-box:current").
struct MachineSpec {
    QString boxId; // "box_…" as newId makes it; anything else is InvalidArgument BOX_ID_INVALID
    QString image;
    Flavor flavor;
};

enum class MachineState {
    Stopped,  // the disk is there, nothing runs
    Starting, // a wake is under way
    Running,  // an incarnation runs; whether its agent answers is for the caller to find out
    Stopping, // a hibernate is under way
    Failed,   // it ran and ended without being asked to; `reason` says how. The disk is there, `wake` starts it again
    Gone,     // released, or removed behind our back; the id is dead
};

QString machineStateName(MachineState state);

struct Machine {
    QString id; // the backend's, opaque, at most 64 characters; new at each claim that makes one
    QString boxId;
    QString image;
    QString flavor; // the name
    MachineState state = MachineState::Stopped;
    QString reason; // for people, set with Failed and Gone
    qint64 createdAtMs = 0;

    friend bool operator==(const Machine&, const Machine&) = default;
};

// What the box is told about itself; nothing in it is secret. The box reads it as
// /run/cocoonbox-identity/identity and cannot write it.
struct Identity {
    QString boxId;
    QString wakeId;
    QString keyId;
    QByteArray publicKey; // ed25519, 32 raw bytes
    QString model;        // what its agents ask the model gateway for; empty: the box's own setting
};

// Where a box listens for the host.
enum class Channel { Agent, Screen };

// How to reach one incarnation. A value: copy it into any snapshot, call it on any thread, keep it as long as you like.
struct Endpoint {
    QString key;
    std::function<Result<int>(Channel)> dialer;

    // A connected, non-blocking, close-on-exec stream socket that the caller closes. Never waits. Errors, all worth a
    // later try but the last two: Unavailable CHANNEL_NOT_READY (the box does not listen yet, or its backlog is full),
    // Unavailable ENDPOINT_STALE (this incarnation has ended: ask `endpoint` again), PermissionDenied CHANNEL_HOSTILE
    // (what the box put there is a link or no socket), Internal.
    Result<int> dial(Channel channel) const { return dialer(channel); }
};

// The port. Domain thread only, but for `Endpoint::dial`. Every call ends within `kCallDeadline` of its turn, with
// DeadlineExceeded MACHINE_TIMEOUT at worst; a step that the deadline cut may still happen, and `changed` then tells.
// `id` not known to the backend: NotFound MACHINE_UNKNOWN.
class Machines : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~Machines() override;

    // Makes a Stopped machine for the box, or answers the one the box has already, as it is: compare `image` and
    // `flavor` to see whether it is what you would make now. FailedPrecondition IMAGE_MISSING; ResourceExhausted
    // DISK_FULL.
    virtual Task<Machine> claim(MachineSpec spec) = 0;

    // Starts it. Already Running: nothing happens, the endpoint keeps its key. Otherwise a new incarnation with a new
    // key. Succeeds once the machine's first program runs; its agent needs a while longer.
    virtual Task<void> wake(QString id) = 0;

    // Stops it: asks its programs to end, ends them after 10 s, keeps the disk. Not running: nothing happens.
    virtual Task<void> hibernate(QString id) = 0;

    // Removes it for good, running or not: disk, channels, meta. Unknown id: nothing happens.
    virtual Task<void> release(QString id) = 0;

    // Asks the backend anew for all machines that are ours (of this data directory), in order of creation: for use
    // after a restart of the api. Emits `changed` for what differs from what was known.
    virtual Task<QList<Machine>> list() = 0;

    // What is known now, without asking: the last list with every change since. Gone machines are not in it.
    virtual QList<Machine> machines() const = 0;

    // The running incarnation. FailedPrecondition MACHINE_NOT_RUNNING in any other state.
    virtual Result<Endpoint> endpoint(const QString& id) const = 0;

    // Writes what the next incarnation reads, all or nothing; the last one delivered holds. Call it before `wake`: a
    // running box may read it at any time. InvalidArgument IDENTITY_INVALID when it names another box, a field is
    // empty (but for the model) or over 128 characters, or the key is not 32 bytes.
    virtual Task<void> deliver(QString id, Identity identity) = 0;

    // Small values kept with the machine until its release, over restarts of the api; never secrets: the box may be
    // shown them. An empty value removes the key. InvalidArgument META_INVALID, ResourceExhausted META_FULL.
    virtual Task<QHash<QString, QString>> meta(QString id) = 0;
    virtual Task<void> setMeta(QString id, QString key, QString value) = 0;

    // The directory where the host's listeners for this box belong: http.sock and socks.sock, each replaced by a
    // rename or an unlink and bind at any time. The box sees it read-only as /run/cocoonbox/door. The directory lets
    // only the box's agent account (gid 990) through, so the sockets themselves are made mode 0666. It stands from
    // `claim` to `release`, also while the machine is stopped. NotFound MACHINE_UNKNOWN without a machine.
    virtual Result<QString> doorDirectory(const QString& boxId) const = 0;

signals:
    // After every change of a machine's state, each once and in order; deaths come from the backend by themselves,
    // within a second. `Gone` is the last of a machine. State is what `machines()` answers when the slot runs.
    void changed(const cocoonbox::api::machines::Machine& machine);
};

} // namespace cocoonbox::api::machines
