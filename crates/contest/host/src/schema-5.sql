-- Which matches are there of a seed.
CREATE INDEX seeds ON matches (seed);
-- Whether a match's record is kept: it is (1), it is being let go (2), it is gone (0).
ALTER TABLE matches ADD COLUMN kept INTEGER NOT NULL DEFAULT 1;
CREATE INDEX leaving ON matches (id) WHERE kept = 2;
