CREATE TABLE participants (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- The digest of their token; none for those of the house.
    token TEXT UNIQUE,
    is_organiser INTEGER NOT NULL DEFAULT FALSE,
    is_house INTEGER NOT NULL DEFAULT FALSE,
    is_banned INTEGER NOT NULL DEFAULT FALSE,
    active INTEGER REFERENCES versions (id)
);
CREATE TABLE sessions (
    digest TEXT NOT NULL UNIQUE,
    participant INTEGER NOT NULL REFERENCES participants (id),
    until INTEGER NOT NULL
);
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    participant INTEGER NOT NULL REFERENCES participants (id),
    number INTEGER NOT NULL,
    digest TEXT NOT NULL,
    stage TEXT NOT NULL,
    log TEXT NOT NULL DEFAULT '',
    at INTEGER NOT NULL,
    UNIQUE (participant, number),
    UNIQUE (participant, digest)
);
CREATE TABLE matches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    scenario TEXT NOT NULL,
    seed INTEGER NOT NULL,
    -- Numbers of versions, separated by spaces.
    seats TEXT NOT NULL,
    record TEXT,
    scores TEXT,
    fault_seat INTEGER,
    fault TEXT,
    at INTEGER
);
CREATE INDEX unplayed ON matches (id) WHERE record IS NULL;
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE audit (at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL);
