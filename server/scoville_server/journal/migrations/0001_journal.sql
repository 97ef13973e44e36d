-- Every row carries a seal: a checksum of all its columns, and once more whose it is (journal/seals.py). Without rowids
-- there are no indexes beside the tables, so that a row stands in one place only and cannot contradict itself.

-- The records of every open table, packed by tables/storage.py, numbered from 1 in the order of their decision.
-- A table's records lie side by side, as they are read and as they are deleted.
CREATE TABLE records (
    table_id TEXT NOT NULL,
    n INTEGER NOT NULL,
    record BLOB NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (table_id, n)
) WITHOUT ROWID;

-- The number and the checksum of each table's newest record: without them a table whose last records were deleted
-- would look like a shorter game.
CREATE TABLE heads (
    table_id TEXT NOT NULL,
    n INTEGER NOT NULL,
    mark BLOB NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (table_id)
) WITHOUT ROWID;

-- Users who have something to return to; `lapsed` is a JSON array of table ids. `number` grows with every change of a
-- user, so that the latest owner of a name comes last.
CREATE TABLE users (
    user TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    lapsed TEXT NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (user)
) WITHOUT ROWID;

-- What is kept by key beside the tables: chat, accounts, ratings, bans. `value` is MessagePack of the book's own type.
-- `n` is the place among the rows of all books in which a key was first written.
CREATE TABLE books (
    book TEXT NOT NULL,
    key TEXT NOT NULL,
    n INTEGER NOT NULL,
    value BLOB NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (book, key)
) WITHOUT ROWID;
