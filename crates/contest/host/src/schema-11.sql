-- Sets of published lessons, each as a JSON array. The number of a withdrawn set is not used again.
CREATE TABLE lesson_sets (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    lessons TEXT NOT NULL
);
