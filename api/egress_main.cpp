// SPDX-License-Identifier: AGPL-3.0-only
// cocoonbox-egress, the guarded way out alone: one door, for a sandbox that is not a box of ours, and for tests.
//
//   cocoonbox-egress --config FILE --door DIRECTORY
//
// Opens http.sock and socks.sock in the directory (egress/doors.h), until SIGTERM or SIGINT. FILE is TOML: `audit-dir`,
// where egress.jsonl goes, and `[egress]` as cocoonbox-api has it; SIGHUP reads that table again. There are no models.
#include "api/egress/doors.h"
#include "api/egress/gate.h"
#include "api/egress_config.h"
#include "api/models/gateway.h"
#include "api/signals.h"
#include "common/log/log.h"

#include <cstdio>
#include <exception>
#include <QCommandLineParser>
#include <QCoreApplication>
#include <QProcess>

using namespace Qt::StringLiterals;

namespace cocoonbox::api {

namespace {

Q_LOGGING_CATEGORY(aloneLog, "cocoonbox.egress", QtInfoMsg)

struct AloneConfig {
    QString auditDir;
    EgressConfig egress;
};

Result<AloneConfig> load(const QString& file)
{
    TRY_ASSIGN(config::Document document, config::Document::load(file));
    document.applyEnvironment(u"COCOONBOX_EGRESS"_s, QProcess::systemEnvironment());
    AloneConfig config;
    config::Section root = document.root();
    root.read("audit-dir", config.auditDir);
    if (!config.auditDir.startsWith(u'/')) root.refuse("audit-dir", u"must be an absolute path."_s);
    readEgress(document.section(u"egress"_s), config.egress);
    TRY_VOID(document.finish());
    return config;
}

Result<void> reload(egress::Gate& gate, const QString& file)
{
    TRY_ASSIGN(const AloneConfig config, load(file));
    return changeGate(gate, config.egress);
}

// Until it is asked to stop.
Result<void> serve(const QString& file, const QString& directory)
{
    Signals source; // before the threads: they inherit the mask
    log::installLog(log::LogFormat::Json, u"cocoonbox-egress"_s);
    const SystemClock clock;
    TRY_ASSIGN(const AloneConfig config, load(file));
    TRY_ASSIGN(const std::shared_ptr<egress::Gate> gate, makeGate(config.egress, config.auditDir, clock));
    models::Gateway gateway(std::nullopt);
    egress::Doors doors(gate, gateway);
    TRY_VOID(doors.openDoor(u"sandbox"_s, u"operator"_s, directory));
    QObject::connect(&source, &Signals::stopAsked, qApp, &QCoreApplication::quit);
    QObject::connect(&source, &Signals::reloadAsked, qApp, [&gate, file] {
        if (const Result<void> reloaded = reload(*gate, file); !reloaded)
            qCWarning(aloneLog).noquote() << "What may be reached stays as it was:" << reloaded.error().message;
    });
    qCInfo(aloneLog).noquote() << "The doors are open in" << directory;
    QCoreApplication::exec();
    return {};
}

int run(const QStringList& arguments)
{
    QCommandLineParser parser;
    const QCommandLineOption configOption(u"config"_s, {}, u"FILE"_s);
    const QCommandLineOption doorOption(u"door"_s, {}, u"DIRECTORY"_s);
    parser.addOptions({configOption, doorOption});
    if (!parser.parse(arguments) || !parser.isSet(configOption) || !parser.isSet(doorOption) ||
        !parser.positionalArguments().isEmpty()) {
        std::fputs("usage: cocoonbox-egress --config FILE --door DIRECTORY\n", stderr);
        return 2;
    }
    const Result<void> served = serve(parser.value(configOption), parser.value(doorOption));
    if (served) return 0;
    std::fprintf(stderr, "cocoonbox-egress: %s\n", qPrintable(served.error().message));
    return 1;
}

} // namespace

} // namespace cocoonbox::api

int main(int argc, char* argv[])
{
    try {
        QCoreApplication app(argc, argv);
        return cocoonbox::api::run(app.arguments());
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "cocoonbox-egress: internal error: %s\n", exception.what());
        return 70;
    }
}
