-- Searches for a line of moves that beats a version, one for each start.
CREATE TABLE exploits (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    version INTEGER NOT NULL REFERENCES versions (id),
    scenario TEXT NOT NULL,
    seed INTEGER NOT NULL,
    -- The version's seat, from 0.
    seat INTEGER NOT NULL,
    -- The lines tried, until one was found if one was.
    lines INTEGER NOT NULL,
    -- Whether the version answers the same questions differently, so that no line can be found.
    varies INTEGER NOT NULL,
    -- The match in which the line beats the version, as JSON; none if no line was found.
    record TEXT,
    at INTEGER NOT NULL
);
CREATE INDEX exploits_of ON exploits (version);
