"""Who may watch a table, and what they see; decided from the table alone, never from a client's claim."""

import hmac
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from scoville_server.tables.model.commands import Command, Refused
from scoville_server.tables.model.deciding.admission import kept_out
from scoville_server.tables.model.deciding.verdict import no_such_seat
from scoville_server.tables.model.export import export
from scoville_server.tables.model.records import Created
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId

MOST_NAMED = 100
"""Most spectators that are named; the others are counted."""


class Watcher(Struct, frozen=True):
    """A user who watches a table. A `commentator` has shown the table's key and sees what the seat `eyes` sees."""

    person: UserId
    name: str
    commentator: bool = False
    eyes: Seat | None = None


class Sight(NamedTuple):
    """What a watcher sees: the game of `seat` (None: as a spectator), `live` or in rounds."""

    seat: Seat | None
    live: bool


def sight(table: Table, watcher: Watcher) -> Sight:
    """Return what a watcher sees. Players see their own seat only, live."""
    if table.place_of(watcher.person) is not None:
        return Sight(table.seat_of(watcher.person), True)
    if watcher.commentator:
        return Sight(watcher.eyes, True)
    return Sight(None, table.opened.manners.spectators != "rounds")


def by_stranger(table: Table, command: Command) -> bool:
    """Whether a command comes from a user without a seat at the table."""
    person = getattr(command, "person", None)
    return person is not None and table.place_of(person) is None


def looks_on(table: Table, watcher: Watcher) -> bool:
    """Whether a watcher is a spectator: without a seat, not even one that a bot keeps for them."""
    return table.place_of(watcher.person) is None


def named(spectators: Iterable[Watcher]) -> list[str]:
    """List the names of spectators, each once, at most `MOST_NAMED`."""
    return [*dict.fromkeys(watcher.name for watcher in spectators)][:MOST_NAMED]


def barred(table: Table, watcher: Watcher) -> Refused | None:
    """Return why a user may not watch a table, or None.

    The commentators' key gives access unless the host kicked them.
    """
    if watcher.commentator and watcher.person not in table.kicked:
        return None
    closed = kept_out(table, watcher.person)
    if closed is None and table.opened.manners.spectators == "nobody" and looks_on(table, watcher):
        return Refused(Code.NO_SPECTATORS, "Nobody may look on at this table.", {"table": table.id})
    return closed


def commentators_key(opened: Created) -> str:
    """Derive the commentators' key, hex; empty for a table without commentary.

    It is derived from the secret seed under a label of its own: it reveals nothing of the deal, and the deal nothing
    of it.
    """
    if not opened.manners.commentary:
        return ""
    return hmac.digest(opened.seed, b"scoville/commentary\0" + opened.table.encode(), "sha256")[:16].hex()


def openers_key(opened: Created, person: UserId) -> str:
    """The commentators' key for the user who opened the table; empty for everybody else."""
    return commentators_key(opened) if opened.person == person else ""


def watcher(table: Table, person: UserId, name: str, key: str, eyes: int | None) -> Watcher | Refused:
    """Return the watcher that a user becomes, or a refusal. Players need no key, and a key shows them nothing more."""
    if table.place_of(person) is not None or (not key and eyes is None):
        found = Watcher(person, name)
    elif not _fits(table.opened, key):
        return kept_out(table, person) or Refused(
            Code.WRONG_KEY, "That is not the key of this table's commentators.", {"table": table.id}
        )
    elif eyes is not None and eyes >= len(table.chairs):
        return no_such_seat(table, eyes)
    else:
        found = Watcher(person, name, True, None if eyes is None else Seat(eyes))
    return barred(table, found) or found


def exported_to(table: Table, person: UserId) -> list[str] | Refused:
    """Export a finished game for a user, or refuse it to users who may not enter the table."""
    looking = Watcher(person, "")
    closed = kept_out(table, person) if table.status == "finished" else barred(table, looking)
    return closed or export(table)


def _fits(opened: Created, key: str) -> bool:
    mine = commentators_key(opened)
    return bool(mine) and hmac.compare_digest(mine.encode(), key.encode())
