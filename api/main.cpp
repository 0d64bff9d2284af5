// SPDX-License-Identifier: AGPL-3.0-only
// cocoonbox-api, the control plane and edge. Start reading at system.cpp, which makes the parts.
#include "api/commands.h"

#include <cstdio>
#include <exception>
#include <QCoreApplication>

int main(int argc, char* argv[])
{
    try {
        QCoreApplication app(argc, argv);
        QCoreApplication::setApplicationName(QStringLiteral("cocoonbox-api"));
        return cocoonbox::api::runCommand(app.arguments().mid(1));
    } catch (const std::exception& exception) {
        // Only third-party code throws; each place that may is wrapped, so this is a fault of ours.
        std::fprintf(stderr, "cocoonbox-api: internal error: %s\n", exception.what());
        return 70;
    }
}
