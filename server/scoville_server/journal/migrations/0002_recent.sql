-- New records in the order in which they were written, so that a commit changes one page and not one for each table.
-- The row with the highest possible number is the end: n counts the other rows, record is the mark of the last of them.
CREATE TABLE recent (
    number INTEGER PRIMARY KEY,
    table_id TEXT NOT NULL,
    n INTEGER NOT NULL,
    record BLOB NOT NULL,
    seal BLOB NOT NULL
);

INSERT INTO recent (number, table_id, n, record, seal)
VALUES (9223372036854775807, '', 0, x'', seal('records', '', 0, x''));
