// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QMap>
#include <QObject>
#include <QString>

namespace cocoonbox::agent::serve::session {

// What the models are writing right now, one draft an agent. Not kept: the entry that ends a draft holds its text.
class DraftBoard final : public QObject {
    Q_OBJECT
public:
    struct Draft {
        QString turnId;
        quint64 generation = 0; // a new one when the text began anew
        QString text;
    };

    void begin(const QString& agentId, const QString& turnId)
    {
        m_drafts.insert(agentId, {turnId, m_nextGeneration++, {}});
        emit changed();
    }
    void append(const QString& agentId, const QString& text)
    {
        const auto draft = m_drafts.find(agentId);
        if (draft == m_drafts.end() || text.isEmpty()) return;
        draft->text += text;
        emit changed();
    }
    void clear(const QString& agentId) { m_drafts.remove(agentId); }
    QString text(const QString& agentId) const { return m_drafts.value(agentId).text; }
    const QMap<QString, Draft>& drafts() const { return m_drafts; }

signals:
    void changed();

private:
    QMap<QString, Draft> m_drafts;
    quint64 m_nextGeneration = 1;
};

} // namespace cocoonbox::agent::serve::session
