// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/preferences.h"

#include "app/gui/mac_keys.h"
#include "app/gui/viewport.h"

namespace cocoonbox::app::gui {

namespace {
constexpr int kAppearanceMax = 2;
constexpr int kChatWidthMax = 4096;
const QString kAppearance = QStringLiteral("appearance");
const QString kZoom = QStringLiteral("zoom");
const QString kMacKeys = QStringLiteral("mac-keys");
const QString kClipboardOff = QStringLiteral("clipboard-off/"); // and the box: what is kept is who wants none
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

int Preferences::zoom() const
{
    const int value = m_settings.value(kZoom).toInt();
    return value >= Viewport::kZoomMin && value <= Viewport::kZoomMax ? value : Viewport::kFit;
}

void Preferences::setZoom(int percent)
{
    if (percent == zoom()) return;
    m_settings.setValue(kZoom, percent);
    emit zoomChanged();
}

int Preferences::macKeys() const
{
    const int value = m_settings.value(kMacKeys).toInt();
    return value >= 0 && value <= kMacKeysMax ? value : 0;
}

void Preferences::setMacKeys(int keys)
{
    if (keys == macKeys()) return;
    m_settings.setValue(kMacKeys, keys);
    emit macKeysChanged();
}

bool Preferences::sharesClipboard(const QString& boxId) const
{
    return !m_settings.value(kClipboardOff + boxId, false).toBool();
}

void Preferences::setSharesClipboard(const QString& boxId, bool shares)
{
    if (shares == sharesClipboard(boxId)) return;
    if (shares)
        m_settings.remove(kClipboardOff + boxId);
    else
        m_settings.setValue(kClipboardOff + boxId, true);
    emit sharesClipboardChanged();
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
