-- How somebody is called on pages, where that is not their name; a name is plain, for records have it.
ALTER TABLE participants ADD COLUMN called TEXT NOT NULL DEFAULT '';
