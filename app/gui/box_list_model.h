// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/box_model.h"

#include <QAbstractListModel>
#include <vector>

namespace cocoonbox::app::gui {

// The user's boxes by name. A box keeps its BoxModel for as long as it is in the list.
class BoxListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
public:
    enum Role { BoxRole = Qt::UserRole + 1 };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    int count() const { return static_cast<int>(m_boxes.size()); }

    // Adds, removes and changes rows so that the list says what `boxes` says.
    void setBoxes(ApiLink& api, const QList<client::Box>& boxes, const QString& userName);
    void clear();
    BoxModel* find(const QString& boxId) const;
    BoxModel* at(int row) const { return m_boxes.at(static_cast<std::size_t>(row)).get(); }

signals:
    void countChanged();
    void aboutToRemove(cocoonbox::app::gui::BoxModel* box);

private:
    std::vector<std::unique_ptr<BoxModel>> m_boxes;
};

} // namespace cocoonbox::app::gui
