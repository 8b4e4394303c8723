-- What a course knows of a participant, as JSON, for the organiser alone.
ALTER TABLE participants ADD COLUMN course TEXT NOT NULL DEFAULT '';
-- Into whom a participant was merged, who then also has their token.
ALTER TABLE participants ADD COLUMN merged INTEGER REFERENCES participants (id);
