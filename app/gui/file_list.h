// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/links.h"
#include "common/async/task_scope.h"

#include <QAbstractListModel>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

// One folder of the box, to choose a file from.
class FileList : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(QString path READ path NOTIFY changed FINAL)
    Q_PROPERTY(bool isReading READ isReading NOTIFY changed FINAL)
    Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY changed FINAL)
    Q_PROPERTY(bool isCut READ isCut NOTIFY changed FINAL)
    Q_PROPERTY(QString failure READ failure NOTIFY changed FINAL)
public:
    enum Role { NameRole = Qt::UserRole + 1, PathRole, FolderRole, RegularRole, DetailRole };

    explicit FileList(QObject* parent = nullptr);
    ~FileList() override;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    QString path() const { return m_list.path; }
    bool isReading() const { return m_reading; }
    bool isEmpty() const { return m_list.entries.isEmpty(); }
    bool isCut() const { return m_list.truncated; } // there are more than are listed
    QString failure() const { return m_failure; }

    void setLink(BoxLink* link);
    // Empty: /workspace. The folder that was open stays where the other cannot be read.
    Q_INVOKABLE void open(const QString& path = {});
    Q_INVOKABLE void openParent();

signals:
    void changed();

private:
    Task<void> read(QString path, quint64 round);

    QPointer<BoxLink> m_link;
    client::FileList m_list;
    QString m_failure;
    bool m_reading = false;
    quint64 m_round = 0;
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
