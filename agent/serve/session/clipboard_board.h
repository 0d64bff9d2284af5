// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QList>
#include <QObject>
#include <QString>

namespace cocoonbox::agent::serve::session {

struct ClipboardKind {
    QString type;
    qint64 sizeBytes = 0; // 0: not known
    bool operator==(const ClipboardKind&) const = default;
};
struct ClipboardState {
    QList<ClipboardKind> kinds; // the richest first; empty: nothing
};

// What the box's clipboard holds, for those who follow it. Nobody looks at the clipboard while nobody follows: the
// looking costs a process in the box. Domain thread.
class ClipboardBoard final : public QObject {
    Q_OBJECT
public:
    const ClipboardState& state() const { return m_state; }
    // Grows with every change; 0: not known yet.
    quint64 generation() const { return m_generation; }
    void set(ClipboardState state)
    {
        m_state = std::move(state);
        ++m_generation;
        emit changed();
    }

    bool isFollowed() const { return m_followers > 0; }
    void follow()
    {
        if (++m_followers == 1) emit followedChanged();
    }
    void unfollow()
    {
        if (--m_followers == 0) emit followedChanged();
    }

signals:
    void changed();
    void followedChanged();

private:
    ClipboardState m_state;
    quint64 m_generation = 0;
    int m_followers = 0;
};

} // namespace cocoonbox::agent::serve::session
