// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress_config.h"
#include "common/base/result.h"

#include <QMap>
#include <QString>

// Everything the api can be told: a TOML file, over it the environment (COCOONBOX_API__EDGE__LISTEN). `--print-config`
// shows it all as it is in force.
namespace cocoonbox::api {

struct EdgeConfig {
    QString listen = QStringLiteral("127.0.0.1:7400");
    QString certificateFile; // PEM; with key-file: TLS, and any address
    QString keyFile;
};

struct MachinesConfig {
    QString backend = QStringLiteral("podman"); // or memory: boxes that run nothing, for tests
    QString image = QStringLiteral("localhost/cocoonbox-box:current");
    QString podmanRoot; // empty: podman's own place
    QString podmanRunroot;
    QString runtime; // runc or crun; empty: the one that fits the host
};

struct ModelsConfig {
    QString baseUrl; // empty: agents are told that no model is configured
    QString apiKeyFile;
    QString defaultModel; // what agents ask for, from a box's next wake on; empty: each box's own, "default"
};

struct FlavorConfig {
    int cpus = 2;
    int memoryMib = 4096;
    int pids = 2048;
};

struct BoxesConfig {
    bool keepRunning = false; // boxes outlive the api
    QString defaultFlavor = QStringLiteral("small");
    QMap<QString, FlavorConfig> flavors = {{QStringLiteral("small"), {}}};
};

struct ApiConfig {
    QString dataDir;     // empty: $XDG_STATE_HOME/cocoonbox/api
    QString databaseUrl; // empty: SQLite in data-dir
    EdgeConfig edge;
    MachinesConfig machines;
    ModelsConfig models;
    EgressConfig egress;
    BoxesConfig boxes;
    QByteArray effective; // all of the above as TOML

    // InvalidArgument: CONFIG_UNREADABLE, CONFIG_SYNTAX, CONFIG_INVALID, each with file:line.
    static Result<ApiConfig> load(const QString& file, const QStringList& environment);
};

} // namespace cocoonbox::api
