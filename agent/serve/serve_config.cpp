// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/serve.h"

#include "common/config/document.h"

#include <QFile>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve {

namespace {

// The variables of serve; toolhost and relay have others under the same prefix.
QStringList oursOf(const QStringList& environment)
{
    static const QStringList names{u"RUN_DIR"_s,     u"STATE_DIR"_s,  u"IDENTITY"_s,    u"TOOLS_USER"_s,
                                   u"MODEL__NAME"_s, u"MODEL__URL"_s, u"MODEL__PROXY"_s};
    QStringList ours;
    for (const QString& variable : environment) {
        // The short name that people type; the long one wins when both are there.
        if (variable.startsWith("COCOONBOX_MODEL="_L1))
            ours.prepend(u"COCOONBOX_AGENT__MODEL__NAME="_s + variable.mid(16));
        const QString name = variable.section(u'=', 0, 0);
        if (name.startsWith("COCOONBOX_AGENT__"_L1) && names.contains(name.mid(17))) ours.append(variable);
    }
    return ours;
}

} // namespace

Result<ServeOptions> loadServeOptions(const QString& configFile, const QStringList& environment)
{
    const QString file = configFile.isEmpty() ? u"/etc/cocoonbox/agent.toml"_s : configFile;
    const bool hasFile = !configFile.isEmpty() || QFile::exists(file);
    TRY_ASSIGN(config::Document document, hasFile ? config::Document::load(file) : config::Document::parse({}, file));
    document.applyEnvironment(u"COCOONBOX_AGENT"_s, oursOf(environment));
    ServeOptions options;
    config::Section root = document.root();
    root.read("run-dir", options.runDir);
    root.read("state-dir", options.stateDir);
    root.read("identity", options.identityFile);
    root.read("tools-user", options.toolsUser);
    config::Section model = root.section("model");
    model.read("name", options.model);
    model.read("url", options.modelUrl);
    model.read("proxy", options.modelProxy);
    TRY_VOID(document.finish());
    return options;
}

} // namespace cocoonbox::agent::serve
