// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/links.h"
#include "common/async/task_scope.h"

#include <deque>
#include <variant>

namespace cocoonbox::app::gui {

// Text for the box that is not typed by keys: what an input method commits, dictation, emoji, a paste. It goes to the
// box's agent, whole and in order; keys typed behind it wait until it is in, so that nothing overtakes.
class TextChannel final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kTextMax = 1024 * 1024; // UTF-16 code units of one text
    static constexpr qsizetype kPieceMax = 16 * 1024;  // of one call: never more than its 64 KiB of UTF-8
    static constexpr size_t kWaitingMax = 1024;        // keys and pieces; beyond them nothing more is taken

    struct Key {
        quint32 keysym = 0;
        quint32 xtCode = 0;
        bool down = false;
        bool operator==(const Key&) const = default;
    };

    explicit TextChannel(QObject* parent = nullptr);
    ~TextChannel() override;

    // Another box, or none: what waits is dropped.
    void setLink(BoxLink* link);
    void sendText(const QString& text);
    // True when the key waits behind a text; it comes as `keyDue`.
    bool queue(const Key& key);
    void dropKeys();
    void clear();

    // Line ends as one newline, without the control characters that are no text.
    static QString sendable(const QString& text);
    static QStringList piecesOf(const QString& text);

signals:
    void keyDue(const cocoonbox::app::gui::TextChannel::Key& key);
    void sent();
    void failed(const QString& message);

private:
    struct Piece {
        QString text;
        quint64 whole = 0; // the text that it is a piece of
    };
    Task<void> run(quint64 round);
    void dropWhole(quint64 whole);

    QPointer<BoxLink> m_link;
    std::deque<std::variant<Key, Piece>> m_waiting;
    bool m_running = false;
    quint64 m_round = 0; // of the runner that may go on
    quint64 m_lastWhole = 0;
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
