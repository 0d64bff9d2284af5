// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/screen_model.h"

#include <QImage>

class QClipboard;

namespace cocoonbox::app::gui {

// One clipboard for this computer and the box whose screen the user holds: what is copied on one side is on the other.
// Text and pictures go by the box's agent (UTF-8, PNG); a box whose agent knows no clipboard has text by RFB.
//
// Invariants: nothing of this computer's clipboard leaves it, and nothing of the box's comes, unless the user is in
// control and the box shares. What came from one side is never sent back to it.
class ClipboardBridge final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kTextBytesMax = 1024 * 1024;
    static constexpr qsizetype kImageBytesMax = 32 * 1024 * 1024;

    explicit ClipboardBridge(QClipboard& clipboard, QObject* parent = nullptr);
    ~ClipboardBridge() override;

    // nullptr: none.
    void follow(ScreenModel* screen, bool shares);
    // What is copied here, as text that the box takes.
    QString localText() const;

    // Line ends as one newline, no zero characters.
    static QString normalised(QString text);

signals:
    void problem(const QString& message);

private:
    bool isActive() const;
    void onControl();
    void onLocalChange();
    void onBoxChange();
    void takeText(const QString& text);
    void offerText(const QString& text);
    void offerImage(const QImage& image);
    Task<void> write(client::ClipboardContent content, quint64 round);
    Task<void> read(QString type, quint64 round);
    void showImage(const QByteArray& png, quint64 round);

    QClipboard& m_clipboard;
    QPointer<ScreenModel> m_screen;
    QPointer<BoxLink> m_link;
    bool m_shares = false;
    bool m_wasActive = false;
    bool m_agentSpoke = false; // it tells of the box's clipboard
    QString m_lastText;        // that both sides have
    QByteArray m_lastImage;    // SHA-256 of the PNG that both sides have
    qint64 m_localKey = 0;     // of the image that was set here
    quint64 m_round = 0;       // of the newest change: what comes late is dropped
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
