// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/patient_message.h"

namespace cocoonbox::app::gui {

PatientMessage::PatientMessage(QObject* parent) : QObject(parent)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(kPatience);
    connect(&m_timer, &QTimer::timeout, this, [this] { show(m_newest); });
}

void PatientMessage::set(const QString& message)
{
    m_newest = message;
    if (message.isEmpty()) m_timer.stop();
    if (message.isEmpty() || !m_shown.isEmpty()) return show(message);
    if (!m_timer.isActive()) m_timer.start();
}

void PatientMessage::show(const QString& message)
{
    if (message == m_shown) return;
    m_shown = message;
    emit shownChanged();
}

} // namespace cocoonbox::app::gui
