-- Tokens by which a repository hands programs in, and does nothing else; one of a participant at most.
CREATE TABLE submit_tokens (
    participant INTEGER PRIMARY KEY REFERENCES participants (id),
    digest TEXT NOT NULL UNIQUE
);
