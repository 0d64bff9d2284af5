// SPDX-License-Identifier: AGPL-3.0-only
#include "api/commands.h"

#include "api/signals.h"
#include "api/system.h"
#include "common/log/log.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QCoroTask>
#include <QEventLoop>
#include <QProcess>
#include <QTextStream>

namespace cocoonbox::api {

Q_LOGGING_CATEGORY(apiLog, "cocoonbox.api", QtInfoMsg)

namespace {

constexpr char kUsage[] = "usage: cocoonbox-api serve --config FILE [--check-config | --print-config]\n"
                          "       cocoonbox-api user create NAME --config FILE\n"
                          "       cocoonbox-api token create NAME --config FILE\n"
                          "       cocoonbox-api version\n";

void say(const QString& text)
{
    QTextStream(stderr) << text << Qt::endl;
}

void print(const QByteArray& text)
{
    QTextStream(stdout) << text << Qt::flush;
}

int failed(const Error& error)
{
    say(QStringLiteral("cocoonbox-api: %1%2")
            .arg(error.message, error.detail.isEmpty() ? QString() : u'\n' + error.detail));
    return 1;
}

// What a running api takes up from its configuration; the rest waits for a restart.
Result<void> changeEgress(System& system, const QString& file)
{
    TRY_ASSIGN(const ApiConfig config, ApiConfig::load(file, QProcess::systemEnvironment()));
    return system.changeEgress(config.egress);
}

QCoro::Task<void> reload(System* system, QString file)
{
    if (const Result<void> changed = changeEgress(*system, file); !changed)
        qCWarning(apiLog).noquote() << "What boxes may reach stays as it was:" << changed.error().message;
    const Result<void> loaded = co_await system->reload();
    if (!loaded)
        qCWarning(apiLog).noquote() << "New tokens are not known yet:" << loaded.error().message
                                    << loaded.error().detail;
}

int serve(const ApiConfig& config, const QString& file)
{
    Signals source; // before the threads: they inherit the mask
    // A loop of its own: QCoreApplication::quit would also end the one in which the parts start or stop.
    QEventLoop loop;
    bool isStopAsked = false;
    QObject::connect(&source, &Signals::stopAsked, &loop, [&loop, &isStopAsked] {
        isStopAsked = true;
        loop.quit();
    });
    log::installLog(log::LogFormat::Json, QStringLiteral("cocoonbox-api"));
    Result<std::unique_ptr<System>> system = QCoro::waitFor(System::start(config));
    if (!system) return failed(system.error());
    say(QStringLiteral("cocoonbox-api listens on %1").arg((*system)->address()));
    QObject::connect(&source, &Signals::reloadAsked, &loop, [&] { reload(system->get(), file); });
    if (!isStopAsked) loop.exec();
    qCInfo(apiLog) << "Stopping.";
    QCoro::waitFor((*system)->stop());
    return 0;
}

int printToken(const Result<Secret>& token)
{
    if (!token) return failed(token.error());
    print(token->reveal("shown once, to the person who asked") + '\n');
    say(QStringLiteral("Keep this token: it is not shown again."));
    return 0;
}

} // namespace

int runCommand(const QStringList& arguments)
{
    QCommandLineParser parser;
    const QCommandLineOption configOption(QStringLiteral("config"), {}, QStringLiteral("FILE"));
    const QCommandLineOption checkOption(QStringLiteral("check-config"));
    const QCommandLineOption printOption(QStringLiteral("print-config"));
    parser.addOptions({configOption, checkOption, printOption});
    const bool parsed = parser.parse(QStringList{QStringLiteral("cocoonbox-api")} + arguments);
    const QStringList words = parser.positionalArguments();
    if (parsed && words == QStringList{QStringLiteral("version")}) {
        print("cocoonbox-api " COCOONBOX_VERSION "\n");
        return 0;
    }
    const bool isServe = words == QStringList{QStringLiteral("serve")};
    const bool isCreate = words.size() == 3 && words[1] == u"create" && (words[0] == u"user" || words[0] == u"token");
    if (!parsed || !parser.isSet(configOption) || (!isServe && !isCreate)) {
        say(parser.errorText().isEmpty() ? QString::fromLatin1(kUsage)
                                         : parser.errorText() + u'\n' + QLatin1StringView(kUsage));
        return 2;
    }
    const Result<ApiConfig> config = ApiConfig::load(parser.value(configOption), QProcess::systemEnvironment());
    if (!config) return failed(config.error());
    if (parser.isSet(printOption)) {
        print(config->effective);
        return 0;
    }
    if (parser.isSet(checkOption)) return 0;
    if (isServe) return serve(*config, parser.value(configOption));
    log::installLog(log::LogFormat::Text, QStringLiteral("cocoonbox-api"));
    return printToken(words[0] == u"user" ? QCoro::waitFor(System::createUser(*config, words[2]))
                                          : QCoro::waitFor(System::createToken(*config, words[2])));
}

} // namespace cocoonbox::api
