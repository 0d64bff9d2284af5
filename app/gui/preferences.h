// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QObject>
#include <QSettings>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

// What the user set up in the window, kept in an ini file in the config directory. Values out of range are ignored.
class Preferences : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(int appearance READ appearance WRITE setAppearance NOTIFY appearanceChanged FINAL)
    Q_PROPERTY(int zoom READ zoom WRITE setZoom NOTIFY zoomChanged FINAL)
    Q_PROPERTY(int macKeys READ macKeys WRITE setMacKeys NOTIFY macKeysChanged FINAL)
    Q_PROPERTY(int chatWidth READ chatWidth WRITE setChatWidth NOTIFY chatWidthChanged FINAL)
public:
    explicit Preferences(const QString& file, QObject* parent = nullptr);

    int appearance() const; // of Theme.Appearance: 0 the system's, 1 light, 2 dark
    void setAppearance(int appearance);
    int zoom() const; // of the live picture: 0 fits, else percent
    void setZoom(int percent);
    int macKeys() const; // of MacKeys
    void setMacKeys(int keys);
    // Whether this computer and the box have one clipboard while the user is in control.
    bool sharesClipboard(const QString& boxId) const;
    void setSharesClipboard(const QString& boxId, bool shares);
    int chatWidth() const; // 0: not set
    void setChatWidth(int width);

signals:
    void appearanceChanged();
    void zoomChanged();
    void macKeysChanged();
    void sharesClipboardChanged();
    void chatWidthChanged();

private:
    QSettings m_settings;
};

} // namespace cocoonbox::app::gui
