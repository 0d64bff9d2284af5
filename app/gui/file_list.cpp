// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/file_list.h"

#include "app/gui/words.h"

namespace cocoonbox::app::gui {

FileList::FileList(QObject* parent) : QAbstractListModel(parent) {}

FileList::~FileList()
{
    m_scope.requestStop();
}

int FileList::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_list.entries.size());
}

QVariant FileList::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= m_list.entries.size()) return {};
    const client::FileEntry& entry = m_list.entries.at(index.row());
    switch (role) {
    case NameRole: return entry.name;
    case PathRole: return entry.path;
    case FolderRole: return entry.kind == client::FileKind::Folder;
    case RegularRole: return entry.kind == client::FileKind::Regular;
    case DetailRole:
        if (entry.kind == client::FileKind::Regular) return bytesText(entry.sizeBytes);
        return entry.kind == client::FileKind::Link ? tr("link") : QString();
    default: return {};
    }
}

QHash<int, QByteArray> FileList::roleNames() const
{
    return {{NameRole, "name"},
            {PathRole, "path"},
            {FolderRole, "folder"},
            {RegularRole, "regular"},
            {DetailRole, "detail"}};
}

void FileList::setLink(BoxLink* link)
{
    if (link == m_link) return;
    m_link = link;
    ++m_round;
    beginResetModel();
    m_list = {};
    endResetModel();
    m_reading = false;
    m_failure.clear();
    emit changed();
}

void FileList::open(const QString& path)
{
    if (!m_link) return;
    m_reading = true;
    m_failure.clear();
    emit changed();
    m_scope.spawn(read(path, ++m_round), QStringLiteral("listing a folder"));
}

void FileList::openParent()
{
    const QString parent = m_list.path.section(u'/', 0, -2);
    open(parent.isEmpty() ? QStringLiteral("/") : parent);
}

Task<void> FileList::read(QString path, quint64 round)
{
    const QPointer self(this);
    const Result<client::FileList> list = co_await m_link->listFiles(path);
    if (!self || m_round != round) co_return {};
    m_reading = false;
    if (list) {
        beginResetModel();
        m_list = *list;
        endResetModel();
    } else {
        m_failure = list.error().message;
    }
    emit changed();
    co_return {};
}

} // namespace cocoonbox::app::gui
