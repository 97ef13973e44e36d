"""Rows of users who do not exist any more: a server may have ended before it could delete them."""

from collections.abc import Callable
from typing import TypeVar

from scoville_server.journal.books import Book
from scoville_shared.ids import UserId

T = TypeVar("T")

IsKnown = Callable[[UserId], bool]
"""Whether a user exists."""


async def drop_orphans(book: Book[T], is_known: IsKnown) -> None:
    """Drop the rows of users who do not exist, in a book with a row for each user. Raises JournalError."""
    await drop_rows(book, [key for key in book.keys if not is_known(UserId(key))])


async def drop_rows(book: Book[T], keys: list[str]) -> None:
    """Drop some rows of a book, if there are any. Raises JournalError."""
    if keys:
        await book.write_rows(dict.fromkeys(keys))
