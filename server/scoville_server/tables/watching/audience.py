"""Permissions of spectators, decided from the table alone, never from a client's claim."""

import hmac
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from scoville_server.tables.actions.enter import refuse_entry
from scoville_server.tables.model.action import Refused, refuse_unknown_seat
from scoville_server.tables.model.records import Created
from scoville_server.tables.model.table import Commentator, Table
from scoville_shared.errors import Code
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import SpectatorsNotice

MOST_NAMED = 100
"""Most spectators that are named; the others are counted."""


class Watcher(Struct, frozen=True):
    """A user who watches a table; `claimed` says that they own their name.

    A `commentator` has shown the table's key, and sees what the seat `point_of_view` sees once the table lists them.
    `language` is that of the sentences which a watcher without the game has requested; None for none.
    """

    user: UserId
    name: str
    commentator: bool = False
    point_of_view: Seat | None = None
    claimed: bool = False
    language: str | None = None


class Sight(NamedTuple):
    """A watcher's point of view: the game of `seat` (None: as a spectator), `live` or in rounds.

    Watchers with the same one get the same bytes; with a `language`, the game in sentences too. A commentator's seat
    is not their own (`is_own`): sentences do not call them "you".
    """

    seat: Seat | None
    live: bool
    language: str | None = None
    is_own: bool = True


def sight_of(table: Table, watcher: Watcher) -> Sight:
    """Return which cards a watcher sees, and whether live. Players see their own seat only, live."""
    # Also while a bot plays the seat: a player who has left must not see the hands as a commentator and return.
    if table.owned_seat(watcher.user) is not None:
        return Sight(table.seat_of(watcher.user), True, watcher.language)
    if watcher.commentator and watcher.user in table.commentators:
        return Sight(watcher.point_of_view, True, watcher.language, is_own=watcher.point_of_view is None)
    return Sight(None, table.opened.settings.spectating != "rounds", watcher.language)


def is_spectating(table: Table, watcher: Watcher) -> bool:
    """Whether a watcher is a spectator: without a seat, not even one that a bot keeps for them."""
    return table.owned_seat(watcher.user) is None


def audience_of(table: Table, spectators: Iterable[Watcher]) -> SpectatorsNotice:
    """Name the spectators, each once and at most `MOST_NAMED`, and all users who have seen hidden cards."""
    named = [*{watcher.name: watcher for watcher in spectators}.values()][:MOST_NAMED]
    commentators = [*table.commentators.values()]
    return SpectatorsNotice(
        table=table.id,
        spectators=[watcher.name for watcher in named],
        commentators=[commentator.name for commentator in commentators],
        claimed_spectators=_claimed_places(named),
        claimed_commentators=_claimed_places(commentators),
    )


def _claimed_places(named: Sequence[Watcher | Commentator]) -> list[int]:
    return [place for place, each in enumerate(named) if each.claimed]


def watch_refusal(table: Table, watcher: Watcher) -> Refused | None:
    """Return why a user may not watch a table, or None.

    The commentators' key gives access to those whom the table lists, unless the host kicked them.
    """
    if watcher.commentator and watcher.user in table.commentators and watcher.user not in table.kicked:
        return None
    closed = refuse_entry(table, watcher.user)
    if closed is None and table.opened.settings.spectating == "nobody" and is_spectating(table, watcher):
        return Refused(Code.NO_SPECTATORS, "This table does not allow spectators.", {"table": table.id})
    return closed


def commentators_key(opened: Created) -> str:
    """Derive the commentators' key, hex; empty for a table without commentary.

    It is derived from the secret seed under a label of its own: it reveals nothing of the deal, and the deal nothing
    of it. It changes with the table's code, so that a user who was kicked from a private table does not keep it.
    """
    if not opened.settings.commentary:
        return ""
    about = f"scoville/commentary\0{opened.table}\0{opened.code}"
    return hmac.digest(opened.seed, about.encode(), "sha256")[:16].hex()


def key_for_opener(opened: Created, user: UserId) -> str:
    """The commentators' key for the user who opened the table; empty for all others."""
    return commentators_key(opened) if opened.user == user else ""


def make_watcher(
    table: Table, user: UserId, name: str, key: str, point_of_view: int | None, *, claimed: bool = False
) -> Watcher | Refused:
    """Return the watcher that a user becomes, or a refusal. Players need no key, and a key shows them nothing more.

    A commentator has to be listed before they watch.
    """
    if table.owned_seat(user) is not None or (not key and point_of_view is None):
        found = Watcher(user, name, claimed=claimed)
    elif not _is_key(table.opened, key):
        return refuse_entry(table, user) or Refused(
            Code.WRONG_KEY, "Wrong commentators' key for this table.", {"table": table.id}
        )
    elif point_of_view is not None and point_of_view >= len(table.seats):
        return refuse_unknown_seat(table, point_of_view)
    else:
        found = Watcher(user, name, True, None if point_of_view is None else Seat(point_of_view), claimed)
        return (refuse_entry(table, user) if user in table.kicked else None) or found
    return watch_refusal(table, found) or found


def users_of(table: Table) -> list[UserId]:
    """List the users of all seats, also those whose seat a bot plays because they left or were kicked."""
    return [seat.user for seat in table.seats if seat.user is not None]


def _is_key(opened: Created, key: str) -> bool:
    mine = commentators_key(opened)
    # As bytes: of texts it compares none with a character beyond ASCII, and a client may send any.
    return bool(mine) and hmac.compare_digest(mine.encode(), key.encode())
