"""Who may look on at a table, and through whose eyes: decided by the table alone, never by what somebody claims."""

import hmac
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from scoville_server.tables.model.commands import Command, Refused
from scoville_server.tables.model.deciding.admission import kept_out
from scoville_server.tables.model.deciding.verdict import no_such_seat
from scoville_server.tables.model.export import export
from scoville_server.tables.model.records import Opened
from scoville_server.tables.model.table import Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId

MOST_NAMED = 100
"""How many spectators are named; the rest are counted."""


class Watcher(Struct, frozen=True):
    """Somebody who is told of a table; a `commentator` has shown its key, and sees what the seat `eyes` sees."""

    person: UserId
    name: str
    commentator: bool = False
    eyes: Seat | None = None


class Sight(NamedTuple):
    """What somebody sees: the game of `seat`, of a spectator for None, as it is or, when not `live`, in rounds."""

    seat: Seat | None
    live: bool


def sight(table: Table, watcher: Watcher) -> Sight:
    """Say what a watcher sees. Whoever has a place at the table sees with their own eyes alone, live."""
    if table.place_of(watcher.person) is not None:
        return Sight(table.seat_of(watcher.person), True)
    if watcher.commentator:
        return Sight(watcher.eyes, True)
    return Sight(None, table.opened.manners.spectators != "rounds")


def by_stranger(table: Table, command: Command) -> bool:
    """Tell whether a command comes from a user who has no place at the table."""
    person = getattr(command, "person", None)
    return person is not None and table.place_of(person) is None


def looks_on(table: Table, watcher: Watcher) -> bool:
    """Tell whether a watcher is a spectator: nobody who sits there, or whose seat a bot keeps."""
    return table.place_of(watcher.person) is None


def named(spectators: Iterable[Watcher]) -> list[str]:
    """Name spectators, each once, at most so many."""
    return [*dict.fromkeys(watcher.name for watcher in spectators)][:MOST_NAMED]


def barred(table: Table, watcher: Watcher) -> Refused | None:
    """Say why somebody may not look at a table; its key opens every door but to whom the host sent away."""
    if watcher.commentator and watcher.person not in table.kicked:
        return None
    closed = kept_out(table, watcher.person)
    if closed is None and table.opened.manners.spectators == "nobody" and looks_on(table, watcher):
        return Refused(Code.NO_SPECTATORS, "Nobody may look on at this table.", {"table": table.id})
    return closed


def commentators_key(opened: Opened) -> str:
    """Derive the key that shows hands, hex; empty for a table without commentary.

    It comes from the secret seed under a label of its own, so it tells nothing of the deal, and nothing tells of it.
    """
    if not opened.manners.commentary:
        return ""
    return hmac.digest(opened.seed, b"scoville/commentary\0" + opened.table.encode(), "sha256")[:16].hex()


def openers_key(opened: Opened, person: UserId) -> str:
    """The commentators' key for the user who opened the table; empty for everybody else."""
    return commentators_key(opened) if opened.person == person else ""


def watcher(table: Table, person: UserId, name: str, key: str, eyes: int | None) -> Watcher | Refused:
    """Receive somebody who wants to look at a table; who has a place there needs no key, and none helps."""
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
    """Write a finished game out for somebody; whoever has the door closed to them hears no more of it than that."""
    looking = Watcher(person, "")
    closed = kept_out(table, person) if table.status == "finished" else barred(table, looking)
    return closed or export(table)


def _fits(opened: Opened, key: str) -> bool:
    mine = commentators_key(opened)
    return bool(mine) and hmac.compare_digest(mine.encode(), key.encode())
