// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/transfer_list.h"

#include "app/gui/words.h"

#include <algorithm>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>
#include <utility>

namespace cocoonbox::app::gui {

namespace {

constexpr qint64 kShownEveryMs = 100;

auto cannotRead(const QString& why)
{
    return fail(ErrorCode::FailedPrecondition, TransferList::tr("Cannot be read: %1").arg(why),
                QStringLiteral("FILE_UNREADABLE"));
}

auto cannotWrite(const QSaveFile& file)
{
    return fail(ErrorCode::FailedPrecondition,
                TransferList::tr("Cannot be written to %1: %2").arg(file.fileName(), file.errorString()),
                QStringLiteral("FILE_UNWRITABLE"));
}

} // namespace

TransferList::TransferList(QObject* parent) : QAbstractListModel(parent) {}

TransferList::~TransferList()
{
    m_scope.requestStop();
    for (Transfer& transfer : std::exchange(m_transfers, {}))
        transfer.stop.request_stop();
}

int TransferList::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : count();
}

QVariant TransferList::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= count()) return {};
    const Transfer& transfer = m_transfers[static_cast<size_t>(index.row())];
    switch (role) {
    case NameRole: return transfer.name;
    case UploadRole: return transfer.upload;
    case StateRole: return QVariant::fromValue(transfer.state);
    case PartRole:
        if (transfer.state == State::Done) return 1.0;
        return transfer.total > 0 ? static_cast<double>(transfer.moved) / static_cast<double>(transfer.total) : 0.0;
    case TextRole:
        if (transfer.state == State::Waiting) return tr("Waits");
        if (transfer.state != State::Running) return transfer.text;
        return transfer.total > 0 ? tr("%1 of %2").arg(bytesText(transfer.moved), bytesText(transfer.total))
                                  : bytesText(transfer.moved);
    default: return {};
    }
}

QHash<int, QByteArray> TransferList::roleNames() const
{
    return {{NameRole, "name"},
            {UploadRole, "upload"},
            {StateRole, "transferState"},
            {PartRole, "part"},
            {TextRole, "words"}};
}

void TransferList::setLink(BoxLink* link)
{
    if (link == m_link) return;
    m_link = link;
    if (m_transfers.empty()) return;
    beginResetModel();
    std::vector<Transfer> gone = std::exchange(m_transfers, {});
    endResetModel();
    // Only now: one that ends finds itself off the list and starts no other.
    for (Transfer& transfer : gone)
        transfer.stop.request_stop();
    emit countChanged();
}

void TransferList::removeDone()
{
    for (int row = count() - 1; row >= 0; --row)
        if (m_transfers[static_cast<size_t>(row)].state == State::Done) removeAt(row);
}

void TransferList::removeAt(int row)
{
    beginRemoveRows({}, row, row);
    m_transfers.erase(m_transfers.begin() + row);
    endRemoveRows();
    emit countChanged();
}

void TransferList::add(Transfer transfer)
{
    transfer.key = ++m_lastKey;
    beginInsertRows({}, count(), count());
    m_transfers.push_back(std::move(transfer));
    endInsertRows();
    emit countChanged();
}

void TransferList::upload(const QList<QUrl>& files)
{
    if (!m_link || files.isEmpty()) return;
    removeDone();
    const qsizetype taken = std::min<qsizetype>(files.size(), std::max(0, kTransfersMax - count()));
    for (const QUrl& url : files.first(taken)) {
        Transfer transfer;
        transfer.upload = true;
        transfer.localPath = url.toLocalFile();
        transfer.name = transfer.localPath.isEmpty() ? url.toDisplayString() : QFileInfo(transfer.localPath).fileName();
        add(std::move(transfer));
    }
    if (taken < files.size()) refuse(files.size() - taken);
    startNext();
}

void TransferList::refuse(qsizetype files)
{
    if (const int row = rowOf(m_refusedKey); row >= 0) removeAt(row);
    Transfer refused;
    refused.name = files == 1 ? tr("1 more file") : tr("%1 more files").arg(files);
    refused.state = State::Failed;
    refused.text = tr("Not taken: the list holds %1. Try again when some are done.").arg(kTransfersMax);
    add(std::move(refused));
    m_refusedKey = m_lastKey;
}

QUrl TransferList::suggestedTarget(const QString& boxPath) const
{
    const QString folder =
        m_lastFolder.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::DownloadLocation) : m_lastFolder;
    return QUrl::fromLocalFile(folder + u'/' + boxPath.section(u'/', -1));
}

void TransferList::save(const QString& boxPath, const QUrl& target)
{
    if (!m_link) return;
    removeDone();
    if (count() >= kTransfersMax) return refuse(1);
    Transfer transfer;
    transfer.boxPath = boxPath;
    transfer.localPath = target.toLocalFile();
    transfer.name = boxPath.section(u'/', -1);
    m_lastFolder = QFileInfo(transfer.localPath).path();
    add(std::move(transfer));
    startNext();
}

void TransferList::remove(int row)
{
    if (row < 0 || row >= count()) return;
    std::stop_source stop = m_transfers[static_cast<size_t>(row)].stop;
    removeAt(row);
    stop.request_stop();
    startNext();
}

void TransferList::startNext()
{
    auto running = std::ranges::count(m_transfers, State::Running, &Transfer::state);
    for (Transfer& transfer : m_transfers) {
        if (running >= kRunningMax) return;
        if (transfer.state != State::Waiting) continue;
        transfer.state = State::Running;
        ++running;
        changed(rowOf(transfer.key));
        m_scope.spawn(run(transfer.key), QStringLiteral("moving a file"));
        return startNext(); // the list may be another one now
    }
}

Task<void> TransferList::run(quint64 key)
{
    const QPointer self(this);
    const Transfer transfer = m_transfers[static_cast<size_t>(rowOf(key))];
    const Result<client::FileEntry> moved = co_await move(transfer);
    if (!self || rowOf(key) < 0) co_return {};
    if (moved)
        finish(key, State::Done,
               transfer.upload ? tr("Stored as %1").arg(moved->path) : tr("Saved as %1").arg(transfer.localPath));
    else
        finish(key, State::Failed, moved.error().message);
    co_return {};
}

client::BoxSession::Progress TransferList::progressOf(quint64 key)
{
    return [self = QPointer(this), key](qint64 moved, qint64 total) {
        if (self) self->onProgress(key, moved, total);
    };
}

Task<client::FileEntry> TransferList::move(Transfer transfer)
{
    return transfer.upload ? send(std::move(transfer)) : fetch(std::move(transfer));
}

Task<client::FileEntry> TransferList::send(Transfer transfer)
{
    const QFileInfo file(transfer.localPath);
    if (transfer.localPath.isEmpty() || !file.exists())
        co_return cannotRead(tr("there is no such file on this computer."));
    if (file.isDir()) co_return cannotRead(tr("it is a folder. Pack it into one file first."));
    if (!file.isFile()) co_return cannotRead(tr("it is a device or a pipe, not a file."));
    auto source = std::make_shared<QFile>(transfer.localPath);
    if (!source->open(QIODevice::ReadOnly)) co_return cannotRead(source->errorString());
    co_return co_await m_link->upload({transfer.name, {}, source}, progressOf(transfer.key), transfer.stop.get_token());
}

Task<client::FileEntry> TransferList::fetch(Transfer transfer)
{
    auto target = std::make_shared<QSaveFile>(transfer.localPath);
    if (!target->open(QIODevice::WriteOnly)) co_return cannotWrite(*target);
    Result<client::FileEntry> got =
        co_await m_link->download(transfer.boxPath, target, progressOf(transfer.key), transfer.stop.get_token());
    if (got && !target->commit()) co_return cannotWrite(*target);
    co_return Result<client::FileEntry>(got);
}

int TransferList::rowOf(quint64 key) const
{
    const auto found = std::ranges::find(m_transfers, key, &Transfer::key);
    return found == m_transfers.end() ? -1 : static_cast<int>(found - m_transfers.begin());
}

void TransferList::onProgress(quint64 key, qint64 moved, qint64 total)
{
    const int row = rowOf(key);
    if (row < 0) return;
    Transfer& transfer = m_transfers[static_cast<size_t>(row)];
    transfer.moved = moved;
    transfer.total = total;
    if (transfer.told.isValid() && transfer.told.elapsed() < kShownEveryMs) return;
    transfer.told.start();
    changed(row);
}

void TransferList::finish(quint64 key, State state, const QString& text)
{
    const int row = rowOf(key);
    Transfer& transfer = m_transfers[static_cast<size_t>(row)];
    transfer.state = state;
    transfer.text = text;
    changed(row);
    startNext();
}

void TransferList::changed(int row)
{
    emit dataChanged(index(row), index(row));
}

} // namespace cocoonbox::app::gui
