// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/transcript_model.h"

#include "app/gui/words.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace cocoonbox::app::gui {

TranscriptModel::TranscriptModel(QObject* parent) : QAbstractListModel(parent)
{
    m_draftTimer.setSingleShot(true);
    m_draftTimer.setInterval(kDraftPause);
    connect(&m_draftTimer, &QTimer::timeout, this, &TranscriptModel::flushDraft);
}

int TranscriptModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : count();
}

QVariant TranscriptModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const int row = index.row();
    if (role == StartsTurnRole) return startsTurn(row);
    const bool isDraft = row >= m_entries.size();
    if (role == IsDraftRole) return isDraft;
    if (!isDraft) return entryField(m_entries.at(row), role);
    if (role == KindRole) return QVariant::fromValue(Kind::Reply);
    if (role == TextRole || role == Qt::DisplayRole) return m_draft.text;
    if (role == ToolStateRole) return QVariant::fromValue(Tool::Unknown);
    if (role == UnfoldedRole) return false;
    return QString();
}

QVariant TranscriptModel::entryField(const client::Entry& entry, int role) const
{
    const client::ToolCall& call = entry.toolCall;
    switch (role) {
    case KindRole: return QVariant::fromValue(static_cast<Kind>(entry.kind));
    case Qt::DisplayRole:
    case TextRole: return entry.text;
    case TimeTextRole: return timeText(entry.atMs);
    case ToolRole: return call.tool;
    case SummaryRole: return call.summary.isEmpty() ? call.tool : call.summary;
    case ArgumentsRole: return argumentsText(call.argumentsJson);
    case OutputRole: return call.output;
    case ToolStateRole: return QVariant::fromValue(static_cast<Tool>(call.state));
    case DurationRole: return call.endedAtMs > 0 ? durationText(call.endedAtMs - call.startedAtMs) : QString();
    case UnfoldedRole: return m_unfolded.contains(entry.seq);
    default: return {};
    }
}

QHash<int, QByteArray> TranscriptModel::roleNames() const
{
    return {{KindRole, "kind"},         {TextRole, "text"},
            {IsDraftRole, "isDraft"},   {StartsTurnRole, "startsTurn"},
            {TimeTextRole, "timeText"}, {ToolRole, "tool"},
            {SummaryRole, "summary"},   {ArgumentsRole, "argumentText"},
            {OutputRole, "output"},     {ToolStateRole, "toolState"},
            {DurationRole, "duration"}, {UnfoldedRole, "unfolded"}};
}

bool TranscriptModel::startsTurn(int row) const
{
    return row > 0 && row < m_entries.size() && m_entries.at(row).kind == client::EntryKind::Prompt;
}

void TranscriptModel::clear()
{
    setTranscript({});
}

void TranscriptModel::setTranscript(const client::Transcript& transcript)
{
    m_draftTimer.stop();
    beginResetModel();
    m_entries = transcript.entries();
    m_draft = m_newestDraft = transcript.draft();
    m_unfolded.removeIf([&](qint64 seq) {
        return std::ranges::none_of(m_entries, [seq](const client::Entry& entry) { return entry.seq == seq; });
    });
    endResetModel();
    emit countChanged();
}

void TranscriptModel::addEntry(const client::Transcript& transcript, qsizetype index)
{
    const bool appended = transcript.entries().size() == m_entries.size() + 1 && index <= m_entries.size();
    if (!appended) return setTranscript(transcript); // older entries were dropped at the limit
    const auto row = static_cast<int>(index);
    beginInsertRows({}, row, row);
    m_entries.insert(index, transcript.entries().at(index));
    endInsertRows();
    emit countChanged();
    setDraft(transcript.draft());
}

void TranscriptModel::changeEntry(const client::Transcript& transcript, qsizetype index)
{
    if (transcript.entries().size() != m_entries.size()) return setTranscript(transcript);
    m_entries[index] = transcript.entries().at(index);
    const QModelIndex changed = this->index(static_cast<int>(index));
    emit dataChanged(changed, changed);
}

void TranscriptModel::setDraft(const client::Draft& draft)
{
    m_newestDraft = draft;
    // The first words and the end are shown at once, what comes between in steps.
    if (draft.isEmpty() != m_draft.isEmpty()) return flushDraft();
    if (!draft.isEmpty() && !m_draftTimer.isActive()) m_draftTimer.start();
}

void TranscriptModel::flushDraft()
{
    m_draftTimer.stop();
    const int row = static_cast<int>(m_entries.size());
    if (m_draft.isEmpty() && !m_newestDraft.isEmpty()) {
        beginInsertRows({}, row, row);
        m_draft = m_newestDraft;
        endInsertRows();
        emit countChanged();
    } else if (!m_draft.isEmpty() && m_newestDraft.isEmpty()) {
        beginRemoveRows({}, row, row);
        m_draft = {};
        endRemoveRows();
        emit countChanged();
    } else if (m_draft.text != m_newestDraft.text) {
        m_draft = m_newestDraft;
        emit dataChanged(index(row), index(row), {TextRole, Qt::DisplayRole});
    }
}

void TranscriptModel::toggleFold(int row)
{
    if (row < 0 || row >= m_entries.size()) return;
    const qint64 seq = m_entries.at(row).seq;
    if (!m_unfolded.remove(seq)) m_unfolded.insert(seq);
    emit dataChanged(index(row), index(row), {UnfoldedRole});
}

QString argumentsText(const QString& argumentsJson)
{
    const QJsonDocument document = QJsonDocument::fromJson(argumentsJson.toUtf8());
    if (document.isNull()) return argumentsJson;
    const QJsonObject object = document.object();
    QStringList lines;
    for (auto field = object.begin(); field != object.end(); ++field) {
        if (field->isObject() || field->isArray())
            return QString::fromUtf8(document.toJson(QJsonDocument::Indented)).trimmed();
        lines.append(field.key() + QStringLiteral(": ") + field->toVariant().toString());
    }
    return lines.join(u'\n');
}

} // namespace cocoonbox::app::gui
