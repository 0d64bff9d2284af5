// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/transcript.h"

#include <QAbstractListModel>
#include <QSet>
#include <QTimer>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

// One agent's transcript as rows, oldest first; what the model writes now is the last row while there is any. Which
// tool calls are unfolded is kept here, so that scrolling away and back does not fold them.
//
// A draft grows with every token; its row changes at most every kDraftPause, so that laying out a long reply again and
// again stays cheap.
class TranscriptModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
public:
    enum class Kind { Unknown, Prompt, Reply, ToolCall, Notice, Error };
    Q_ENUM(Kind)
    enum class Tool { Unknown, Running, Waiting, Done, Failed, Cancelled };
    Q_ENUM(Tool)
    enum Role {
        KindRole = Qt::UserRole + 1,
        TextRole,
        IsDraftRole,
        StartsTurnRole,
        TimeTextRole,
        ToolRole,
        SummaryRole,
        ArgumentsRole,
        OutputRole,
        ToolStateRole,
        DurationRole,
        UnfoldedRole,
    };
    static constexpr std::chrono::milliseconds kDraftPause{60};

    explicit TranscriptModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    int count() const { return static_cast<int>(m_entries.size()) + (m_draft.isEmpty() ? 0 : 1); }

    void clear();
    void setTranscript(const client::Transcript& transcript);
    // `transcript` is the whole after the change of the entry at `index`.
    void addEntry(const client::Transcript& transcript, qsizetype index);
    void changeEntry(const client::Transcript& transcript, qsizetype index);
    void setDraft(const client::Draft& draft);

    Q_INVOKABLE void toggleFold(int row);

signals:
    void countChanged();

private:
    QVariant entryField(const client::Entry& entry, int role) const;
    void flushDraft();
    bool startsTurn(int row) const;

    QList<client::Entry> m_entries;
    client::Draft m_draft;       // as shown
    client::Draft m_newestDraft; // as known; shown at the next tick
    QSet<qint64> m_unfolded;     // by seq
    QTimer m_draftTimer;
};

// The arguments of a tool call as lines "name: value" when they are a flat object, else as indented JSON.
QString argumentsText(const QString& argumentsJson);

} // namespace cocoonbox::app::gui
