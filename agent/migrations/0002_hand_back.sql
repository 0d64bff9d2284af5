-- A new kind of entry (6): what a person changed on the screen. A table's CHECK is changed by making the table anew.

CREATE TABLE entries_with_hand_backs (
    agent_id        TEXT   NOT NULL REFERENCES agents (agent_id),
    seq             BIGINT NOT NULL,
    turn_id         TEXT   NOT NULL,
    kind            BIGINT NOT NULL CHECK (kind BETWEEN 1 AND 6),
    round           BIGINT NOT NULL,
    text            TEXT   NOT NULL,
    at_ms           BIGINT NOT NULL,
    call_id         TEXT   NOT NULL,
    tool            TEXT   NOT NULL,
    tool_summary    TEXT   NOT NULL,
    tool_arguments  TEXT   NOT NULL,
    tool_state      BIGINT NOT NULL CHECK (tool_state BETWEEN 0 AND 5),
    tool_output     TEXT   NOT NULL,
    tool_started_ms BIGINT NOT NULL,
    tool_ended_ms   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, seq)
);
INSERT INTO entries_with_hand_backs
SELECT agent_id, seq, turn_id, kind, round, text, at_ms, call_id, tool, tool_summary, tool_arguments, tool_state,
       tool_output, tool_started_ms, tool_ended_ms
FROM entries;
DROP TABLE entries;
ALTER TABLE entries_with_hand_backs RENAME TO entries;
CREATE INDEX entries_open_calls ON entries (tool_state) WHERE tool_state IN (1, 2);
