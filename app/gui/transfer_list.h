// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/links.h"
#include "common/async/task_scope.h"

#include <memory>
#include <QAbstractListModel>
#include <QElapsedTimer>
#include <QPointer>
#include <QtQmlIntegration>
#include <QUrl>
#include <stop_token>
#include <vector>

namespace cocoonbox::app::gui {

// Files on their way into the box and out of it, newest last. At most kRunningMax move at a time, the others wait. What
// is done leaves the list when something new comes; what failed stays until it is dismissed.
//
// A file that is saved here appears under its name when it is whole; what was there is replaced then and not before.
class TransferList : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
public:
    enum class State { Waiting, Running, Done, Failed };
    Q_ENUM(State)
    enum Role { NameRole = Qt::UserRole + 1, UploadRole, StateRole, PartRole, TextRole };

    static constexpr int kRunningMax = 2;
    static constexpr int kTransfersMax = 256;

    explicit TransferList(QObject* parent = nullptr);
    ~TransferList() override;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    int count() const { return static_cast<int>(m_transfers.size()); }

    // Another box, or none: what runs is stopped, and the list is empty.
    void setLink(BoxLink* link);

    // Local files; to /workspace/Uploads. Those beyond kTransfersMax are refused by one failed entry that counts them.
    Q_INVOKABLE void upload(const QList<QUrl>& files);
    // Where the box's file would be saved: where the last one was, at first among the downloads.
    Q_INVOKABLE QUrl suggestedTarget(const QString& boxPath) const;
    // A file of the box, to a local one.
    Q_INVOKABLE void save(const QString& boxPath, const QUrl& target);
    // Stops one that moves or waits, and takes any off the list.
    Q_INVOKABLE void remove(int row);

signals:
    void countChanged();

private:
    struct Transfer {
        quint64 key = 0;
        QString name;
        bool upload = false;
        QString boxPath; // of a download; of an upload when it is done
        QString localPath;
        State state = State::Waiting;
        qint64 moved = 0;
        qint64 total = -1;
        QString text; // what became of it
        std::stop_source stop;
        QElapsedTimer told; // when its progress was shown last
    };
    void removeDone();
    void removeAt(int row);
    void add(Transfer transfer);
    void refuse(qsizetype files);
    void startNext();
    Task<void> run(quint64 key);
    client::BoxSession::Progress progressOf(quint64 key);
    Task<client::FileEntry> move(Transfer transfer);
    Task<client::FileEntry> send(Transfer transfer);
    Task<client::FileEntry> fetch(Transfer transfer);
    int rowOf(quint64 key) const;
    void onProgress(quint64 key, qint64 moved, qint64 total);
    void finish(quint64 key, State state, const QString& text);
    void changed(int row);

    QPointer<BoxLink> m_link;
    std::vector<Transfer> m_transfers;
    QString m_lastFolder; // that was saved to
    quint64 m_lastKey = 0;
    quint64 m_refusedKey = 0; // the entry that says what was not taken; 0: never was one
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
