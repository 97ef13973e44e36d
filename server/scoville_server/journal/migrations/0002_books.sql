-- What is kept by key beside the tables: chat, accounts, ratings, bans. `value` is MessagePack of the book's own type.
-- `n` is the place among the rows of all books in which a key was first written.
CREATE TABLE books (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    book TEXT NOT NULL,
    key TEXT NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (book, key)
);
