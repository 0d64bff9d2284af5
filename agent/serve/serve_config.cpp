// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/serve.h"

#include "common/config/document.h"

#include <QFile>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve {

Result<ServeOptions> loadServeOptions(const QString& configFile, const QStringList& environment)
{
    const bool hasFile = !configFile.isEmpty() && QFile::exists(configFile);
    TRY_ASSIGN(config::Document document,
               hasFile ? config::Document::load(configFile) : config::Document::parse({}, u"(no file)"_s));
    QStringList ours;
    for (const QString& variable : environment) {
        if (variable.startsWith("COCOONBOX_AGENT__"_L1)) ours.append(variable);
        // The short name that people type; the long one wins when both are there.
        if (variable.startsWith("COCOONBOX_MODEL="_L1)) ours.prepend(u"COCOONBOX_AGENT__MODEL__NAME="_s + variable.mid(16));
    }
    document.applyEnvironment("COCOONBOX_AGENT"_L1, ours);
    ServeOptions options;
    config::Section root = document.root();
    root.read("run-dir", options.runDir);
    root.read("state-dir", options.stateDir);
    root.read("identity", options.identityFile);
    root.read("tools-user", options.toolsUser);
    QString workspace;   // toolhost's; one set of variables serves both
    root.read("workspace", workspace);
    config::Section model = root.section("model");
    model.read("name", options.model);
    model.read("url", options.modelUrl);
    model.read("proxy", options.modelProxy);
    TRY_VOID(document.finish());
    return options;
}

} // namespace cocoonbox::agent::serve
