// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/sql/database.h"

namespace cocoonbox::sql {

// The numbered schema changes of one part, as Qt resources: ":/cocoonbox/users/0001_users.sql", 0002_…, without gaps.
// Forward only. Each runs in one transaction together with its row in
// schema_migrations(part, number, name, sha256, applied_at_ms). Statements end with ';'.
struct MigrationSet {
    QString part;      // "users"
    QString directory; // ":/cocoonbox/users"
};

// Brings the database to the newest schema. Safe when several processes start at once: one migrates, the others wait.
// FailedPrecondition: MIGRATION_EDITED (an applied file differs from ours), DATABASE_NEWER (it has migrations this
// program does not know), MIGRATION_GAP (numbers do not follow each other).
Task<void> migrate(Database& database, QList<MigrationSet> sets);

// The statements of a migration file: split at ';' outside quotes, comments removed.
QStringList splitStatements(QStringView sql);

} // namespace cocoonbox::sql
