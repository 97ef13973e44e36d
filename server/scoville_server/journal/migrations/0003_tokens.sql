-- A person has several tokens, which are kept in the book "tokens". The one that each had so far waits in the book
-- "tokens.before" until the server has taken it over: key is its SHA-256 as hex, value the person's id as UTF-8.
INSERT INTO books (book, key, value)
SELECT 'tokens.before', lower(hex(digest)), CAST(person AS BLOB) FROM people ORDER BY number;

CREATE TABLE bearers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    person TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    lapsed TEXT NOT NULL
);
INSERT INTO bearers (number, person, name, lapsed) SELECT number, person, name, lapsed FROM people;
DROP TABLE people;
ALTER TABLE bearers RENAME TO people;
