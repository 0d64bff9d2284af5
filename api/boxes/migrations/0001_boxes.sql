-- Boxes, and what was done to them. Operations outlive their box for a day, so that the watcher of a deletion sees its end.
CREATE TABLE boxes (
    box_id TEXT NOT NULL PRIMARY KEY,
    owner_id TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('starting', 'running', 'hibernating', 'hibernated', 'failed', 'deleting')),
    flavor TEXT NOT NULL,
    image TEXT NOT NULL,
    machine_id TEXT NOT NULL,
    wake_id TEXT NOT NULL,
    operation_id TEXT NOT NULL,
    failure TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    state_changed_at_ms BIGINT NOT NULL,
    woken_at_ms BIGINT NOT NULL,
    UNIQUE (owner_id, name)
);

CREATE TABLE operations (
    operation_id TEXT NOT NULL PRIMARY KEY,
    box_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    started_at_ms BIGINT NOT NULL,
    ended_at_ms BIGINT NOT NULL
);

CREATE INDEX operations_by_end ON operations (ended_at_ms);

CREATE TABLE operation_events (
    operation_id TEXT NOT NULL REFERENCES operations (operation_id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    phase TEXT NOT NULL,
    detail TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (operation_id, number)
);
