// SPDX-License-Identifier: AGPL-3.0-only
#include "api/api_config.h"

#include "api/egress/address_guard.h"
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

egress::Rule ruleOf(const QString& name, const EgressRuleConfig& config)
{
    egress::Rule rule{name, config.host.toUtf8(), {}, config.ports};
    for (const QString& method : config.methods)
        rule.methods.append(method.toUtf8());
    return rule;
}

void readEgress(config::Section section, EgressConfig& egress)
{
    section.read("socks5", egress.socks5);
    section.read("internal-allow", egress.internalAllow);
    if (const auto guard = egress::AddressGuard::create(egress.internalAllow); !guard)
        section.refuse("internal-allow", QStringLiteral("has a bad entry. ") + guard.error().message);
    config::Section rules = section.section(QStringLiteral("rules"));
    for (const QString& name : rules.names()) {
        config::Section one = rules.section(name);
        EgressRuleConfig rule;
        one.read("host", rule.host);
        one.read("methods", rule.methods);
        one.read("ports", rule.ports, {1, 65535});
        if (const auto problem = egress::problemOf(ruleOf(name, rule))) one.refuse(problem->key, problem->why);
        egress.rules.insert(name, rule);
    }
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

egress::Policy policyOf(const EgressConfig& config)
{
    QList<egress::Rule> rules;
    for (const auto& [name, rule] : config.rules.asKeyValueRange())
        rules.append(ruleOf(name, rule));
    return egress::Policy(std::move(rules), config.socks5);
}

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
