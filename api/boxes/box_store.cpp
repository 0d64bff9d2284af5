// SPDX-License-Identifier: AGPL-3.0-only
#include "api/boxes/box_store.h"

namespace cocoonbox::api::boxes {

namespace {

Box boxOf(const sql::Row& row)
{
    Box box;
    box.boxId = row.text(0);
    box.ownerId = row.text(1);
    box.name = row.text(2);
    box.state = boxStateOf(row.text(3));
    box.flavor = row.text(4);
    box.image = row.text(5);
    box.machineId = row.text(6);
    box.wakeId = row.text(7);
    box.operationId = row.text(8);
    box.failure = row.text(9);
    box.createdAtMs = row.integer(10);
    box.stateChangedAtMs = row.integer(11);
    box.wokenAtMs = row.integer(12);
    return box;
}

Result<void> writeBox(sql::Connection& connection, const Box& box)
{
    return sql::Statement(connection,
                          "INSERT INTO boxes (box_id, owner_id, name, state, flavor, image, machine_id, wake_id, "
                          "operation_id, failure, created_at_ms, state_changed_at_ms, woken_at_ms) "
                          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                          "ON CONFLICT (box_id) DO UPDATE SET state = excluded.state, image = excluded.image, "
                          "machine_id = excluded.machine_id, wake_id = excluded.wake_id, "
                          "operation_id = excluded.operation_id, failure = excluded.failure, "
                          "state_changed_at_ms = excluded.state_changed_at_ms, woken_at_ms = excluded.woken_at_ms")
        .bind(box.boxId)
        .bind(box.ownerId)
        .bind(box.name)
        .bind(boxStateName(box.state))
        .bind(box.flavor)
        .bind(box.image)
        .bind(box.machineId)
        .bind(box.wakeId)
        .bind(box.operationId)
        .bind(box.failure)
        .bind(box.createdAtMs)
        .bind(box.stateChangedAtMs)
        .bind(box.wokenAtMs)
        .run()
        .transform([](qint64) {});
}

Result<void> appendEvent(sql::Connection& connection, const QString& operationId, const OperationEvent& event)
{
    TRY_ASSIGN(const auto open,
               sql::Statement(connection, "SELECT 1 FROM operations WHERE operation_id = ? AND ended_at_ms = 0")
                   .bind(operationId)
                   .one([](const sql::Row&) { return true; }));
    if (!open) return {};
    TRY_VOID(sql::Statement(connection,
                            "INSERT INTO operation_events (operation_id, number, phase, detail, at_ms) "
                            "SELECT CAST(? AS TEXT), COALESCE(MAX(number), 0) + 1, CAST(? AS TEXT), CAST(? AS TEXT), "
                            "CAST(? AS BIGINT) FROM operation_events WHERE operation_id = ?")
                 .bind(operationId)
                 .bind(phaseName(event.phase))
                 .bind(event.detail)
                 .bind(event.atMs)
                 .bind(operationId)
                 .run());
    if (!isFinal(event.phase)) return {};
    return sql::Statement(connection, "UPDATE operations SET ended_at_ms = ? WHERE operation_id = ?")
        .bind(event.atMs)
        .bind(operationId)
        .run()
        .transform([](qint64) {});
}

} // namespace

Task<QList<Box>> BoxStore::boxes() const
{
    return m_database.run([](sql::Connection& connection) {
        return sql::Statement(connection,
                              "SELECT box_id, owner_id, name, state, flavor, image, machine_id, wake_id, operation_id, "
                              "failure, created_at_ms, state_changed_at_ms, woken_at_ms FROM boxes ORDER BY box_id")
            .all(boxOf);
    });
}

Task<QList<Operation>> BoxStore::openOperations() const
{
    return m_database.run([](sql::Connection& connection) {
        return sql::Statement(connection, "SELECT operation_id, box_id FROM operations WHERE ended_at_ms = 0")
            .all([](const sql::Row& row) { return Operation{row.text(0), row.text(1)}; });
    });
}

Task<void> BoxStore::save(Box box) const
{
    return m_database.run([box = std::move(box)](sql::Connection& connection) { return writeBox(connection, box); });
}

Task<void> BoxStore::saveWithOperation(Box box, qint64 nowMs) const
{
    return m_database.transact([box = std::move(box), nowMs](sql::Connection& connection) -> Result<void> {
        TRY_VOID(writeBox(connection, box));
        return sql::Statement(connection, "INSERT INTO operations (operation_id, box_id, owner_id, started_at_ms, "
                                          "ended_at_ms) VALUES (?, ?, ?, ?, 0)")
            .bind(box.operationId)
            .bind(box.boxId)
            .bind(box.ownerId)
            .bind(nowMs)
            .run()
            .transform([](qint64) {});
    });
}

Task<void> BoxStore::remove(QString boxId) const
{
    return m_database.run([boxId = std::move(boxId)](sql::Connection& connection) {
        return sql::Statement(connection, "DELETE FROM boxes WHERE box_id = ?").bind(boxId).run().transform([](qint64) {
        });
    });
}

Task<void> BoxStore::append(QString operationId, OperationEvent event) const
{
    return m_database.transact(
        [operationId = std::move(operationId), event = std::move(event)](sql::Connection& connection) {
            return appendEvent(connection, operationId, event);
        });
}

Task<std::optional<QList<OperationEvent>>> BoxStore::eventsAfter(QString ownerId, QString operationId,
                                                                 qint64 number) const
{
    using Answer = std::optional<QList<OperationEvent>>;
    return m_database.run([=](sql::Connection& connection) -> Result<Answer> {
        TRY_ASSIGN(const auto known,
                   sql::Statement(connection, "SELECT 1 FROM operations WHERE operation_id = ? AND owner_id = ?")
                       .bind(operationId)
                       .bind(ownerId)
                       .one([](const sql::Row&) { return true; }));
        if (!known) return Answer{};
        return sql::Statement(connection, "SELECT number, phase, detail, at_ms FROM operation_events "
                                          "WHERE operation_id = ? AND number > ? ORDER BY number LIMIT 1000")
            .bind(operationId)
            .bind(number)
            .all([](const sql::Row& row) {
                return OperationEvent{row.integer(0), phaseOf(row.text(1)), row.text(2), row.integer(3)};
            })
            .transform([](QList<OperationEvent> events) { return Answer{std::move(events)}; });
    });
}

Task<void> BoxStore::forgetOperations(qint64 endedBeforeMs) const
{
    return m_database.run([endedBeforeMs](sql::Connection& connection) {
        return sql::Statement(connection, "DELETE FROM operations WHERE ended_at_ms > 0 AND ended_at_ms < ?")
            .bind(endedBeforeMs)
            .run()
            .transform([](qint64) {});
    });
}

} // namespace cocoonbox::api::boxes
