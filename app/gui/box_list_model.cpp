// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/box_list_model.h"

#include <algorithm>

namespace cocoonbox::app::gui {

int BoxListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : count();
}

QVariant BoxListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    if (role == BoxRole) return QVariant::fromValue(at(index.row()));
    if (role == Qt::DisplayRole) return at(index.row())->name();
    return {};
}

QHash<int, QByteArray> BoxListModel::roleNames() const
{
    return {{BoxRole, "box"}};
}

void BoxListModel::setBoxes(ApiLink& api, const QList<client::Box>& boxes, const QString& userName)
{
    const int countBefore = count();
    for (int row = count() - 1; row >= 0; --row) {
        if (std::ranges::contains(boxes, at(row)->boxId(), &client::Box::boxId)) continue;
        emit aboutToRemove(at(row));
        beginRemoveRows({}, row, row);
        at(row)->deleteLater(); // a view may still show it until it has heard of the removal
        m_boxes[static_cast<std::size_t>(row)].release();
        m_boxes.erase(m_boxes.begin() + row);
        endRemoveRows();
    }
    for (int row = 0; row < boxes.size(); ++row) {
        const client::Box& box = boxes.at(row);
        if (BoxModel* known = find(box.boxId)) {
            known->setBox(box);
            known->screen()->setLabel(userName);
            continue;
        }
        const int to = std::min(row, count());
        beginInsertRows({}, to, to);
        m_boxes.insert(m_boxes.begin() + to, std::make_unique<BoxModel>(api, box, userName));
        endInsertRows();
    }
    if (count() != countBefore) emit countChanged();
}

void BoxListModel::clear()
{
    if (m_boxes.empty()) return;
    for (const auto& box : m_boxes)
        emit aboutToRemove(box.get());
    beginResetModel();
    m_boxes.clear();
    endResetModel();
    emit countChanged();
}

BoxModel* BoxListModel::find(const QString& boxId) const
{
    const auto found = std::ranges::find(m_boxes, boxId, [](const auto& box) { return box->boxId(); });
    return found == m_boxes.end() ? nullptr : found->get();
}

} // namespace cocoonbox::app::gui
