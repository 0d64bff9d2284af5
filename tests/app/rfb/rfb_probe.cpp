// SPDX-License-Identifier: AGPL-3.0-only
// rfb_probe PORT SECONDS [FILE.png]: connects to 127.0.0.1:PORT, prints frames, size and how it ended, exits 0.
#include "app/rfb/rfb_session.h"
#include "app/rfb/socket_stream.h"

#include <cstdio>
#include <QCoreApplication>
#include <QTimer>

using namespace cocoonbox;
using namespace cocoonbox::app::rfb;

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    if (argc < 3) return 2;
    const auto stream =
        connectTcp(QStringLiteral("127.0.0.1"), static_cast<quint16>(atoi(argv[1])), std::chrono::seconds(2));
    if (!stream) {
        std::printf("%s\n", qPrintable(stream.error().message));
        return 1;
    }
    RfbSession session(*stream);
    int frames = 0;
    QImage image;
    QObject::connect(&session, &RfbSession::frameReady, &app, [&] {
        ++frames;
        image = session.takeFrame().image;
    });
    QObject::connect(&session, &RfbSession::ended, &app, [&](const Error& error) {
        std::printf("ended %s: %s\n", qPrintable(error.reason), qPrintable(error.message));
        app.quit();
    });
    QTimer::singleShot(std::chrono::seconds(atoi(argv[2])), &app, [&] {
        std::printf("alive\n");
        app.quit();
    });
    session.start();
    app.exec();
    std::printf("frames %d size %dx%d\n", frames, image.width(), image.height());
    if (argc > 3 && !image.isNull()) image.save(QString::fromLocal8Bit(argv[3]));
    return 0;
}
