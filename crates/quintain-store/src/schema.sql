-- A quintain store, version 1. Open it with any SQLite tool; start at the view `results`.

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
-- repeat what queries ask for, and `quintain verify` checks that they agree.
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
    json       TEXT NOT NULL             -- the record, one line
);

-- Which records count for which tournament.
CREATE TABLE tournament_records (
    tournament INTEGER NOT NULL REFERENCES tournaments,
    record     INTEGER NOT NULL REFERENCES records,
    PRIMARY KEY (tournament, record)
) WITHOUT ROWID;

-- One row a seat. `run` tells apart tournaments of one name: the last has the latest run_at.
CREATE VIEW results AS
SELECT t.name                             AS tournament,
       t.tournament                       AS run,
       lower(hex(r.id))                   AS id,
       r.game                             AS game,
       r.scenario                         AS scenario,
       r.seed                             AS seed,
       s.key                              AS seat,
       s.value                            AS player,
       r.scores ->> s.key                 AS score,
       r.ending                           AS ending,
       r.truncated                        AS truncated,
       coalesce(r.fault_seat = s.key, 0)  AS at_fault,
       r.fault                            AS fault,
       r.turns                            AS turns,
       r.elapsed_us                       AS elapsed_us
FROM tournament_records AS l
JOIN tournaments AS t ON t.tournament = l.tournament
JOIN records AS r ON r.record = l.record
JOIN json_each(r.seats) AS s;
