-- When a measure was noted, in seconds since 1970, and the rank at that time.
ALTER TABLE measures ADD COLUMN at INTEGER;
ALTER TABLE measures ADD COLUMN rank INTEGER;
CREATE INDEX measured_at ON measures (ladder, at) WHERE at IS NOT NULL;
-- What the organiser wrote to participants.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    participant INTEGER NOT NULL REFERENCES participants (id),
    at INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX messages_to ON messages (participant);
-- A team is a participant without a token of its own; its members are participants who play for it.
ALTER TABLE participants ADD COLUMN is_team INTEGER NOT NULL DEFAULT FALSE;
ALTER TABLE participants ADD COLUMN team INTEGER REFERENCES participants (id);
CREATE INDEX members ON participants (team) WHERE team IS NOT NULL;
-- Which member of a team handed a version in.
ALTER TABLE versions ADD COLUMN submitter INTEGER REFERENCES participants (id);
