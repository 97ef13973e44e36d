-- Every row carries a seal: a checksum of all its columns, and once more whose it is (journal/seals.py). Without rowids
-- there are no indexes beside the tables, so that a row stands in one place only and cannot contradict itself.
CREATE TABLE sealed_records (
    table_id TEXT NOT NULL,
    n INTEGER NOT NULL,
    record BLOB NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (table_id, n)
) WITHOUT ROWID;
INSERT INTO sealed_records
SELECT table_id, n, record, seal('records', table_id, n, record) FROM records;
DROP TABLE records;
ALTER TABLE sealed_records RENAME TO records;

CREATE TABLE sealed_people (
    person TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    lapsed TEXT NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (person)
) WITHOUT ROWID;
INSERT INTO sealed_people
SELECT person, number, name, lapsed, seal('people', person, number, name, lapsed) FROM people;
DROP TABLE people;
ALTER TABLE sealed_people RENAME TO people;

CREATE TABLE sealed_books (
    book TEXT NOT NULL,
    key TEXT NOT NULL,
    n INTEGER NOT NULL,
    value BLOB NOT NULL,
    seal BLOB NOT NULL,
    PRIMARY KEY (book, key)
) WITHOUT ROWID;
INSERT INTO sealed_books
SELECT book, key, n, value, seal('books', book, key, n, value) FROM books;
DROP TABLE books;
ALTER TABLE sealed_books RENAME TO books;
