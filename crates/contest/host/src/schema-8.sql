-- Ladders: each is played on its scenarios, one a line, until the organiser resets it. The first one
-- of an older contest gets its scenarios when the contest is opened.
CREATE TABLE ladders (
    id INTEGER PRIMARY KEY,
    scenarios TEXT NOT NULL,
    begun INTEGER NOT NULL,
    ended INTEGER
);
-- The seeds that everybody plays alone come in sequences, each from a secret that is shown when the
-- sequence is retired.
CREATE TABLE sequences (
    id INTEGER PRIMARY KEY,
    ladder INTEGER NOT NULL REFERENCES ladders (id),
    secret TEXT NOT NULL,
    begun INTEGER NOT NULL,
    retired INTEGER
);
ALTER TABLE matches ADD COLUMN ladder INTEGER REFERENCES ladders (id);
ALTER TABLE matches ADD COLUMN sequence INTEGER REFERENCES sequences (id);
-- Whether its record is in the store that nobody sees, until its sequence is retired.
ALTER TABLE matches ADD COLUMN hidden INTEGER NOT NULL DEFAULT FALSE;
-- Why it does not count.
ALTER TABLE matches ADD COLUMN struck TEXT;
-- For how long it took a thread.
ALTER TABLE matches ADD COLUMN seconds REAL;
CREATE INDEX hidden ON matches (sequence) WHERE hidden;
CREATE INDEX of_ladders ON matches (id) WHERE ladder IS NOT NULL;
INSERT INTO ladders (id, scenarios, begun)
SELECT 1, '', 0 WHERE EXISTS (SELECT 1 FROM matches WHERE kind = 'ladder');
UPDATE matches SET ladder = 1 WHERE kind = 'ladder';
-- The measure of a version after so many matches of its ladder.
CREATE TABLE measures (
    ladder INTEGER NOT NULL REFERENCES ladders (id),
    version INTEGER NOT NULL,
    played INTEGER NOT NULL,
    measure REAL NOT NULL,
    low REAL,
    high REAL,
    PRIMARY KEY (ladder, version, played)
) WITHOUT ROWID;
INSERT INTO measures SELECT 1, version, played, measure, low, high FROM history
WHERE EXISTS (SELECT 1 FROM ladders);
DROP TABLE history;
-- Seconds of the machine that participants used outside of the ladder: 'check' or 'challenge'.
CREATE TABLE spent (
    participant INTEGER NOT NULL REFERENCES participants (id),
    what TEXT NOT NULL,
    at INTEGER NOT NULL,
    seconds REAL NOT NULL
);
CREATE INDEX spent_lately ON spent (participant, what, at);
-- The version of which this is a hidden copy, which measures how far apart identical programs stand.
ALTER TABLE versions ADD COLUMN copy_of INTEGER REFERENCES versions (id);
