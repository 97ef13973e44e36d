-- The records of every open table, packed by table/records.py, numbered from 1 in the order of their decision.
-- Without a rowid a table's records lie side by side, as they are read and as they are cleared away.
CREATE TABLE records (
    table_id TEXT NOT NULL,
    n INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY (table_id, n)
) WITHOUT ROWID;

-- Who has something to come back to. `digest` is the SHA-256 of a person's token, `lapsed` a JSON array of table ids.
-- `number` grows with every change of a person, so that the latest bearer of a name comes last.
CREATE TABLE people (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    person TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    lapsed TEXT NOT NULL
);
