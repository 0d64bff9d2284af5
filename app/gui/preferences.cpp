// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/preferences.h"

namespace cocoonbox::app::gui {

namespace {
constexpr int kAppearanceMax = 2;
constexpr int kChatWidthMax = 4096;
const QString kAppearance = QStringLiteral("appearance");
const QString kFitsPicture = QStringLiteral("fits-picture");
const QString kChatWidth = QStringLiteral("chat-width");
} // namespace

Preferences::Preferences(const QString& file, QObject* parent) : QObject(parent), m_settings(file, QSettings::IniFormat)
{
}

int Preferences::appearance() const
{
    const int value = m_settings.value(kAppearance).toInt();
    return value >= 0 && value <= kAppearanceMax ? value : 0;
}

void Preferences::setAppearance(int appearance)
{
    if (appearance == this->appearance()) return;
    m_settings.setValue(kAppearance, appearance);
    emit appearanceChanged();
}

bool Preferences::fitsPicture() const
{
    return m_settings.value(kFitsPicture, true).toBool();
}

void Preferences::setFitsPicture(bool fits)
{
    if (fits == fitsPicture()) return;
    m_settings.setValue(kFitsPicture, fits);
    emit fitsPictureChanged();
}

int Preferences::chatWidth() const
{
    const int value = m_settings.value(kChatWidth).toInt();
    return value >= 0 && value <= kChatWidthMax ? value : 0;
}

void Preferences::setChatWidth(int width)
{
    if (width == chatWidth()) return;
    m_settings.setValue(kChatWidth, width);
    emit chatWidthChanged();
}

} // namespace cocoonbox::app::gui
