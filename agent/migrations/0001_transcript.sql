-- The agents of a box and everything that was said and done by them.

CREATE TABLE agents (
    agent_id      TEXT   NOT NULL PRIMARY KEY,
    title         TEXT   NOT NULL,
    state         BIGINT NOT NULL CHECK (state BETWEEN 1 AND 4),
    turn_id       TEXT   NOT NULL,
    created_at_ms BIGINT NOT NULL,
    changed_at_ms BIGINT NOT NULL
);

-- The tool_ columns are used by tool calls (kind 3) only.
CREATE TABLE entries (
    agent_id        TEXT   NOT NULL REFERENCES agents (agent_id),
    seq             BIGINT NOT NULL,
    turn_id         TEXT   NOT NULL,
    kind            BIGINT NOT NULL CHECK (kind BETWEEN 1 AND 5),
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
-- What a restart must end: tool calls that are running or waiting.
CREATE INDEX entries_open_calls ON entries (tool_state) WHERE tool_state IN (1, 2);

-- What changed, in the order of the transactions; the state itself is read from agents and entries. seq 0: the agent.
CREATE TABLE events (
    event_offset BIGINT NOT NULL PRIMARY KEY,
    at_ms        BIGINT NOT NULL,
    kind         BIGINT NOT NULL CHECK (kind BETWEEN 1 AND 3),
    agent_id     TEXT   NOT NULL REFERENCES agents (agent_id),
    seq          BIGINT NOT NULL
);
CREATE INDEX events_by_subject ON events (agent_id, seq, kind);

-- Calls that must happen once though a client may make them twice. `call` names the call and what it is made to.
CREATE TABLE nonces (
    call          TEXT   NOT NULL,
    nonce         TEXT   NOT NULL,
    agent_id      TEXT   NOT NULL REFERENCES agents (agent_id),
    seq           BIGINT NOT NULL,
    at_ms         BIGINT NOT NULL,
    PRIMARY KEY (call, nonce)
);
CREATE INDEX nonces_by_age ON nonces (at_ms);
