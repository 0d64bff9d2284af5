// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/counted_stream.h"
#include "app/gui/lock_keys.h"
#include "app/gui/text_channel.h"
#include "app/rfb/rfb_session.h"

#include <QTimer>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

// The screen of a box: its picture, and who holds mouse and keyboard.
//
// Invariants: input reaches the box only while `control` is Mine. Losing it, by hand-back, by another viewer, or by the
// connection, releases every key and button first. Keys that are typed behind a text arrive behind it.
class ScreenModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(Picture picture READ picture NOTIFY pictureChanged FINAL)
    Q_PROPERTY(bool hasPicture READ hasPicture NOTIFY pictureChanged FINAL)
    Q_PROPERTY(QSize desktopSize READ desktopSize NOTIFY desktopSizeChanged FINAL)
    Q_PROPERTY(QString message READ message NOTIFY pictureChanged FINAL)
    Q_PROPERTY(Control control READ control NOTIFY controlChanged FINAL)
    Q_PROPERTY(QString holder READ holder NOTIFY controlChanged FINAL)
    Q_PROPERTY(QString controlError READ controlError NOTIFY controlErrorChanged FINAL)
public:
    enum class Picture { Off, Connecting, Live, Lost }; // Lost: the last picture stands while it is tried again
    Q_ENUM(Picture)
    // Watching: nobody acts. Agent: `holder` is the agent at work. Theirs: `holder` is the person who holds the screen.
    enum class Control { Watching, Agent, Asking, Mine, Theirs };
    Q_ENUM(Control)

    explicit ScreenModel(QObject* parent = nullptr);
    ~ScreenModel() override;

    Picture picture() const { return m_picture; }
    bool hasPicture() const { return !m_size.isEmpty(); }
    QSize desktopSize() const { return m_size; }
    QString message() const { return m_message; }
    Control control() const { return m_control; }
    QString holder() const { return m_holder; }
    QString controlError() const { return m_controlError; }

    // Shows the screen of the box while the link is connected. nullptr: none, and the picture goes.
    void setLink(BoxLink* link);
    BoxLink* link() const { return m_link; }
    // How others see who holds the screen; an empty one changes nothing.
    void setLabel(const QString& label);
    // The agent that may act on the screen now; empty: none is at work.
    void setAgentAtWork(const QString& title);
    // Where the box's pointer is, as far as it is told.
    void showPointer(QPoint position);

    // With `steal` also when another viewer holds it.
    Q_INVOKABLE void takeOver(bool steal = false);
    Q_INVOKABLE void handBack();
    Q_INVOKABLE void dismissControlError() { setControlError({}); }

    // For the view. Each input is dropped unless `control` is Mine.
    rfb::Frame takeFrame();
    const rfb::CursorShape& cursor() const { return m_cursor; }
    std::optional<QPoint> pointer() const { return m_pointer; }
    const Traffic& traffic() const { return *m_traffic; }
    std::optional<Locks> locks() const { return m_locks; } // of the box, where it tells
    void assumeLocks(const Locks& locks) { m_locks = locks; }
    void sendKey(quint32 keysym, quint32 xtCode, bool down);
    void sendPointer(QPoint position, quint16 buttons);
    // Text that is not keys (an input method's, a paste); `controlError` says when it could not be inserted.
    Q_INVOKABLE void sendText(const QString& text);
    // Presses the keys in their order and lets them go in the opposite one; X keysyms.
    Q_INVOKABLE void pressTogether(const QList<int>& keysyms);
    void offerClipboard(const QString& text);
    void releaseAll();

signals:
    void pictureChanged();
    void desktopSizeChanged();
    void controlChanged();
    void controlErrorChanged();
    void frameReady();
    void cursorChanged();
    void pointerChanged();
    void clipboardReceived(const QString& text);

private:
    void onLinkState();
    void openScreen();
    void closeScreen();
    void onEnded(const Error& error);
    void onBaton();
    Task<void> take(bool steal);
    void setPicture(Picture picture, const QString& message);
    void setSize(QSize size);
    void setControl(Control control, const QString& holder);
    void setControlError(const QString& message);

    QPointer<BoxLink> m_link;
    std::unique_ptr<rfb::RfbSession> m_session;
    std::shared_ptr<Traffic> m_traffic = std::make_shared<Traffic>();
    QString m_label = QStringLiteral("cocoonbox-app");
    Picture m_picture = Picture::Off;
    QString m_message;
    QSize m_size;
    rfb::CursorShape m_cursor;
    std::optional<QPoint> m_pointer;
    std::optional<Locks> m_locks;
    TextChannel m_text;
    QString m_agent; // at work
    Control m_control = Control::Watching;
    QString m_holder;
    QString m_controlError;
    QTimer m_retryTimer;
    int m_failures = 0; // since the last picture
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
