-- Whether a version that is checked again leaves it as it is which version is active: it had passed
-- before, or its author has left the ladder.
ALTER TABLE versions ADD COLUMN keeps_active INTEGER NOT NULL DEFAULT 0;
