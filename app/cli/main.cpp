// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/runner.h"
#include "common/log/log.h"

#include <cstdlib>
#include <QCoreApplication>

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("cocoonbox"));
    cocoonbox::log::installLog(cocoonbox::log::LogFormat::Text, QStringLiteral("cocoonbox"));
    const int code = cocoonbox::app::cli::runCommandLine(QCoreApplication::arguments().sliced(1),
                                                         QProcessEnvironment::systemEnvironment());
    std::exit(code);
}
