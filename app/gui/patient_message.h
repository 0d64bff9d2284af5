// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <chrono>
#include <QObject>
#include <QTimer>

namespace cocoonbox::app::gui {

// A message of trouble that is shown only when the trouble lasts: connecting takes a moment, and a banner that flashes
// says nothing. Gone at once when the trouble is.
class PatientMessage final : public QObject {
    Q_OBJECT
public:
    static constexpr std::chrono::milliseconds kPatience{1000};

    explicit PatientMessage(QObject* parent = nullptr);

    void set(const QString& message);
    QString shown() const { return m_shown; }

signals:
    void shownChanged();

private:
    void show(const QString& message);

    QString m_newest;
    QString m_shown;
    QTimer m_timer;
};

} // namespace cocoonbox::app::gui
