// SPDX-License-Identifier: AGPL-3.0-only
#include "api/api_config.h"

#include "common/config/document.h"
#include "common/config/paths.h"

#include <QFileInfo>

namespace cocoonbox::api {

namespace {

void readEdge(config::Section section, EdgeConfig& edge)
{
    section.read("listen", edge.listen);
    section.read("certificate-file", edge.certificateFile);
    section.read("key-file", edge.keyFile);
    if (edge.certificateFile.isEmpty() != edge.keyFile.isEmpty())
        section.refuse(edge.keyFile.isEmpty() ? "certificate-file" : "key-file",
                       QStringLiteral("needs the other of certificate-file and key-file beside it."));
}

void readMachines(config::Section section, MachinesConfig& machines)
{
    section.readWord("backend", machines.backend, {QStringLiteral("podman"), QStringLiteral("memory")});
    section.read("image", machines.image);
    section.read("podman-root", machines.podmanRoot);
    section.read("podman-runroot", machines.podmanRunroot);
    section.readWord("runtime", machines.runtime, {QString(), QStringLiteral("runc"), QStringLiteral("crun")});
}

void readModels(config::Section section, ModelsConfig& models)
{
    section.read("base-url", models.baseUrl);
    section.read("api-key-file", models.apiKeyFile);
    section.read("default-model", models.defaultModel);
    if (models.defaultModel.size() > 128)
        section.refuse("default-model", QStringLiteral("is longer than 128 characters."));
}

void readBoxes(config::Section section, config::Section flavors, BoxesConfig& boxes)
{
    section.read("keep-running", boxes.keepRunning);
    section.read("default-flavor", boxes.defaultFlavor);
    for (const QString& name : flavors.names())
        boxes.flavors.insert(name, {});
    for (const auto& [name, flavor] : boxes.flavors.asKeyValueRange()) {
        config::Section one = flavors.section(name);
        one.read("cpus", flavor.cpus, {1, 256});
        one.read("memory-mib", flavor.memoryMib, {512, 4 * 1024 * 1024});
        one.read("pids", flavor.pids, {128, 1'000'000});
    }
    if (!boxes.flavors.contains(boxes.defaultFlavor))
        section.refuse(
            "default-flavor",
            QStringLiteral("is none of the flavors: %1.").arg(QStringList(boxes.flavors.keys()).join(u", ")));
}

} // namespace

Result<ApiConfig> ApiConfig::load(const QString& file, const QStringList& environment)
{
    TRY_ASSIGN(config::Document document, config::Document::load(file));
    document.applyEnvironment(QStringLiteral("COCOONBOX_API"), environment);
    ApiConfig config;
    config.dataDir = config::stateDir() + QStringLiteral("/api");
    config::Section root = document.root();
    root.read("data-dir", config.dataDir);
    root.read("database-url", config.databaseUrl);
    if (!config.dataDir.startsWith(u'/')) root.refuse("data-dir", QStringLiteral("must be an absolute path."));
    if (config.databaseUrl.isEmpty()) config.databaseUrl = QStringLiteral("sqlite:%1/api.db").arg(config.dataDir);
    readEdge(document.section(QStringLiteral("edge")), config.edge);
    readMachines(document.section(QStringLiteral("machines")), config.machines);
    readModels(document.section(QStringLiteral("models")), config.models);
    readEgress(document.section(QStringLiteral("egress")), config.egress);
    readBoxes(document.section(QStringLiteral("boxes")), document.section(QStringLiteral("flavors")), config.boxes);
    TRY_VOID(document.finish());
    config.effective = document.effective();
    return config;
}

} // namespace cocoonbox::api
