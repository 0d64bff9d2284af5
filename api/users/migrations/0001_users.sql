-- Accounts, and the tokens that stand for them. A token itself is never stored: only its SHA-256, in hex.
CREATE TABLE users (
    user_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_ms BIGINT NOT NULL
);

CREATE TABLE tokens (
    token_sha256 TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (user_id),
    created_at_ms BIGINT NOT NULL
);
