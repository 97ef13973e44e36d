"""Names of clubs, unique over all nodes: each look of a name is a row, which is made together with the club."""

from typing import Final

import msgspec

from scoville_server.accounts.model.naming.permitted import looks_of
from scoville_server.clubs.model.club import Club
from scoville_server.journal.base import ABSENT, Change, Journal, Row

_CLUBS: Final = "clubs"
_NAMES: Final = "clubs.names"


class NameRows:
    """The rows of names: of two nodes that found clubs of one name at once, the journal refuses one.

    Clubs of earlier versions have none, and their nodes delete none: a row counts as long as its club has the name.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def list_taken(self, club: str, name: str) -> list[Change] | None:
        """List the changes that give a name to a club; None if another club has one that looks alike.

        Raises JournalError.
        """
        changes: list[Change] = []
        for look in looks_of(name):
            row = await self._journal.get(_NAMES, look)
            if row is not None and await self._has_look(_read_club(row), look):
                return None
            changes.append(Change(_NAMES, look, club.encode(), ABSENT if row is None else row.revision))
        return changes

    async def list_freed(self, club: str, name: str) -> list[Change]:
        """List the changes that take a name from a club. Raises JournalError."""
        rows = [(look, await self._journal.get(_NAMES, look)) for look in looks_of(name)]
        return [
            Change(_NAMES, look, None, row.revision)
            for look, row in rows
            if row is not None and _read_club(row) == club
        ]

    async def _has_look(self, club: str, look: str) -> bool:
        """Whether a club has a look, also one that this node has not heard of."""
        row = await self._journal.get(_CLUBS, club)
        return row is not None and look in looks_of(msgspec.msgpack.decode(row.value, type=Club).name)


def _read_club(row: Row) -> str:
    return row.value.decode()
