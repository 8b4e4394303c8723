-- A quintain store, version 1. Open it with any SQLite tool; start at the view `results`
-- (views.sql).

-- Who made the store, and what it ought to hold: the number of records and the sum of their ids
-- (`tally`), of all and of each tournament, by which `quintain verify` misses what is deleted.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- A tournament as it was played. A file that is changed so that other matches
-- come of it is another tournament, perhaps of the same name.
CREATE TABLE tournaments (
    tournament INTEGER PRIMARY KEY,
    hash       BLOB NOT NULL UNIQUE,     -- of the definition, 16 bytes
    name       TEXT NOT NULL,
    game       TEXT NOT NULL,
    format     TEXT NOT NULL,            -- solo, versus, mirror or mixed
    goal       TEXT NOT NULL,            -- highest or lowest
    contest    TEXT NOT NULL,            -- versus or score
    fixtures   INTEGER NOT NULL,         -- matches when complete
    definition TEXT NOT NULL,            -- JSON: all that decides the fixtures
    file       TEXT NOT NULL,            -- the file as it was read
    run_at     INTEGER NOT NULL          -- last run, milliseconds since 1970
);

-- One row a match. `json` is the record and the only truth; the columns before it
-- repeat what queries ask for. Whoever reads them compares them with `checksum` (or with the
-- record where it is missing, as in stores of older versions).
CREATE TABLE records (
    record     INTEGER PRIMARY KEY,      -- in the order of arrival
    id         BLOB NOT NULL UNIQUE,     -- the fixture's id, 16 bytes
    game       TEXT NOT NULL,
    scenario   TEXT NOT NULL,
    seed       INTEGER NOT NULL,
    seats      TEXT NOT NULL,            -- JSON: the player of each seat
    scores     TEXT NOT NULL,            -- JSON: the score of each seat
    ending     TEXT NOT NULL,
    fault_seat INTEGER,                  -- the seat that forfeited
    fault      TEXT,                     -- and why
    truncated  INTEGER NOT NULL,         -- 1 if cut off by a limit
    turns      INTEGER NOT NULL,
    played_at  INTEGER NOT NULL,         -- milliseconds since 1970
    elapsed_us INTEGER NOT NULL,         -- time the match took
    checksum   INTEGER,                  -- of the columns that repeat the record
    json       TEXT NOT NULL             -- the record, one line
);

-- Which records count for which tournament.
CREATE TABLE tournament_records (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    record     INTEGER NOT NULL REFERENCES records,
    PRIMARY KEY (tournament, record)
) WITHOUT ROWID;
