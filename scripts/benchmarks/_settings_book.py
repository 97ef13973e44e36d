"""A full book of clients' settings, for the benchmark of memory."""

import secrets

from scoville_server.accounts.doors.client_settings import SavedSettings
from scoville_server.journal.base import Journal
from scoville_server.journal.books import PackedBook
from scoville_shared.protocol.messages import SETTINGS_BYTES


async def fill_settings(number: int, journal: Journal, kept: list[object]) -> None:
    """Fill a book with settings as large as they may be and without any pattern, and keep it in a list."""
    book = PackedBook("client_settings", SavedSettings, journal)
    kept.append(book)
    for _ in range(number):
        book.take({secrets.token_hex(8): SavedSettings(packed=secrets.token_bytes(SETTINGS_BYTES))})
