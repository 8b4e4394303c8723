-- Until when somebody may hand in after the deadline, in seconds since 1970.
ALTER TABLE participants ADD COLUMN extended INTEGER;
-- Finals that were undone: after how many of their matches, and the digest of their secret; none where
-- only the audit says that there was one.
CREATE TABLE undone_finals (
    at INTEGER NOT NULL,
    played INTEGER NOT NULL,
    planned INTEGER NOT NULL,
    digest TEXT
);
INSERT INTO undone_finals (at, played, planned)
SELECT at, CAST(substr(what, length('undid the final after ') + 1) AS INTEGER),
       CAST(substr(what, instr(what, ' of ') + length(' of ')) AS INTEGER)
FROM audit WHERE what LIKE 'undid the final after %' ORDER BY rowid;
