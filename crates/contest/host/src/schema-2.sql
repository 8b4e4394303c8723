-- What plays, where that is not what was handed in: the digest of what was built of it.
ALTER TABLE versions ADD COLUMN built TEXT NOT NULL DEFAULT '';
-- What was built before, by the digest of sources and recipe.
CREATE TABLE builds (
    recipe TEXT PRIMARY KEY,
    files TEXT NOT NULL,
    log TEXT NOT NULL,
    at INTEGER NOT NULL
);
-- 'ladder', 'challenge' or 'final'; of the final, its place in the schedule; of a challenge, whose
-- it is and whether it is being played.
ALTER TABLE matches ADD COLUMN kind TEXT NOT NULL DEFAULT 'ladder';
ALTER TABLE matches ADD COLUMN slot INTEGER;
ALTER TABLE matches ADD COLUMN challenger INTEGER REFERENCES participants (id);
ALTER TABLE matches ADD COLUMN challenged_at INTEGER;
ALTER TABLE matches ADD COLUMN is_begun INTEGER NOT NULL DEFAULT TRUE;
CREATE UNIQUE INDEX slots ON matches (slot) WHERE slot IS NOT NULL;
CREATE INDEX challenges ON matches (challenger, id) WHERE challenger IS NOT NULL;
CREATE INDEX records ON matches (record) WHERE record IS NOT NULL;
-- The matches of each version.
CREATE TABLE seats (
    version INTEGER NOT NULL,
    match INTEGER NOT NULL,
    PRIMARY KEY (version, match)
) WITHOUT ROWID;
WITH RECURSIVE split (match, version, rest) AS (
    SELECT id, NULL, seats || ' ' FROM matches
    UNION ALL
    SELECT match, CAST(substr(rest, 1, instr(rest, ' ') - 1) AS INTEGER),
           substr(rest, instr(rest, ' ') + 1)
    FROM split WHERE rest <> ''
)
INSERT OR IGNORE INTO seats SELECT version, match FROM split WHERE version IS NOT NULL;
-- What a version said in a match, for its author alone; the latest of each are kept.
CREATE TABLE said (
    version INTEGER NOT NULL,
    match INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (version, match)
) WITHOUT ROWID;
-- The measure of a version after so many matches of the whole ladder.
CREATE TABLE history (
    version INTEGER NOT NULL,
    played INTEGER NOT NULL,
    measure REAL NOT NULL,
    low REAL,
    high REAL,
    PRIMARY KEY (version, played)
) WITHOUT ROWID;
CREATE INDEX handed_in ON versions (participant, at);
CREATE INDEX waiting ON versions (id) WHERE stage = 'waiting';
