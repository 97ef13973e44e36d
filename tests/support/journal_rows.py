"""What a journal has, for tests that compare it."""

from scoville_server.journal.base import Journal, Row


async def rows_of(journal: Journal, book: str) -> dict[str, Row]:
    """Return the rows of a book by key, oldest first."""
    rows: dict[str, Row | None] = {}
    journal.follow(book, rows.__setitem__)
    await journal.get(book, "")  # a journal on a disk shows them when it has read them
    return {key: row for key, row in rows.items() if row is not None}
