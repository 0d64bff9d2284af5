// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QObject>
#include <QSocketNotifier>

namespace cocoonbox::api {

// SIGTERM, SIGINT and SIGHUP as Qt signals, by a signalfd. Make it before any thread: they inherit the blocked signals.
class Signals final : public QObject {
    Q_OBJECT
public:
    Signals();
    ~Signals() override;

signals:
    void stopAsked();   // SIGTERM, SIGINT
    void reloadAsked(); // SIGHUP

private:
    void read();

    int m_fd;
    QSocketNotifier m_notifier;
};

} // namespace cocoonbox::api
