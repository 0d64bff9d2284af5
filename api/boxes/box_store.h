// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box.h"
#include "common/sql/migrations.h"

namespace cocoonbox::api::boxes {

// Tables `boxes`, `operations` and `operation_events`. Writes take effect in the order they were asked for.
class BoxStore final {
public:
    explicit BoxStore(sql::Database& database) : m_database(database) {}

    static sql::MigrationSet migrations() { return {QStringLiteral("boxes"), QStringLiteral(":/cocoonbox/boxes")}; }

    Task<QList<Box>> boxes() const;
    // Of operations without an end: which box each belongs to.
    Task<QList<Operation>> openOperations() const;

    // Writes the whole box, new or not.
    Task<void> save(Box box) const;
    // The box and its new operation, in one transaction.
    Task<void> saveWithOperation(Box box, qint64 nowMs) const;
    // The same where the box is gone: only its operations stay.
    Task<void> remove(QString boxId) const;

    // Numbers the event itself; one with a final phase ends the operation. Nothing happens to one that has ended.
    Task<void> append(QString operationId, OperationEvent event) const;
    // Nothing where the operation is not the owner's. At most 1,000 events.
    Task<std::optional<QList<OperationEvent>>> eventsAfter(QString ownerId, QString operationId, qint64 number) const;
    // Forgets operations that ended before `endedBeforeMs`.
    Task<void> forgetOperations(qint64 endedBeforeMs) const;

private:
    sql::Database& m_database;
};

} // namespace cocoonbox::api::boxes
