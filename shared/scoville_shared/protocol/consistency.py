"""Consistency of a server's messages: well-typed messages whose parts do not fit together are malformed.

Readers index lists by seats, and read lists of players side by side. A message that passes here cannot make them fail.
"""

from collections.abc import Callable, Iterable
from itertools import chain, pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from scoville_shared.ids import MOST_SEATS
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    DailyDeal,
    DailyResult,
    Finished,
    JoinReply,
    MessageInfo,
    NoncesRequested,
    PastGame,
    ReplayDailyReply,
    Started,
    TableInfo,
    TableSnapshot,
    Voted,
    VoteInfo,
)

LARGEST = 2**53
"""Largest number, either way, in a field of a message."""
_PASSED = frozenset({str, bool, type(None), dict})
"""Types that are not looked into: most values of a message are of these types."""
_LATEST_DAY = 2_932_896
"""The last day that a date can be made of, counted from 1970-01-01: 9999-12-31."""


class Inconsistent(ValueError):
    """A message whose parts do not fit together."""


def check_consistency(value: Any) -> None:
    """Check a message and everything in it. Raises Inconsistent.

    Numbers of any field are finite and at most 2^53, which dates and durations can be made of.
    """
    waiting = [value]
    while waiting:
        found = waiting.pop()
        kind = type(found)
        if kind in _PASSED:
            continue
        if kind is int or kind is float:
            # Not `>`: NaN, which compares with no number, must be refused as well.
            if not abs(found) <= LARGEST:
                raise Inconsistent("a number is too large")
        elif kind is list:
            waiting += found
        elif isinstance(found, Struct):
            fits = _CHECKS.get(kind)
            if fits is not None and not fits(found):
                raise Inconsistent(f"the parts of a {kind.__name__} do not fit together")
            waiting += astuple(found)


def fits_seats(event: AnyTableEvent, seats: int) -> bool:
    """Return whether an event names only seats that a table of `seats` seats has."""
    if isinstance(event, Started) and len(event.seats) != seats:
        return False
    if isinstance(event, Finished) and len(event.places) != seats:
        return False
    if len(getattr(event, "nonces", ())) not in (0, seats):
        return False
    if isinstance(event, NoncesRequested) and len(event.nonce_hashes) != seats:
        return False
    lists = (getattr(event, name, ()) for name in ("pending", "seats", "missing") if not isinstance(event, Started))
    missing = event.missing + event.pending if isinstance(event, Started) else []
    singles = (getattr(event, name, None) for name in ("seat", "host", "against"))
    named = (*singles, *missing, *chain(*lists), *(_list_voters(event.vote) if isinstance(event, Voted) else ()))
    return _are_within(named, seats) and len(getattr(event, "move_counts", ())) in (0, seats)


def _list_voters(vote: VoteInfo) -> list[int]:
    return [vote.against, *vote.agreed, *vote.refused]


def _are_within(seats: Iterable[int | None], count: int) -> bool:
    return all(seat is None or 0 <= seat < count for seat in seats)


def _past_game(game: PastGame) -> bool:
    return len(game.names) == len(game.scores) == len(game.places) and 0 <= game.your_seat < len(game.names)


def _fits_finished(event: Finished) -> bool:
    return len(event.scores) == len(event.places) and 1 in event.places


def _fits_table(info: TableInfo) -> bool:
    counts = (info.rules_version, info.starts_in_ms or 0, info.spectator_count)
    return (
        1 <= len(info.seats) <= MOST_SEATS
        and min(counts) >= 0
        and _are_within((info.host, info.your_seat, info.dealer, *info.ready_seats), len(info.seats))
    )


def _fits_join(reply: JoinReply) -> bool:
    return _are_within((reply.seat,), len(reply.info.seats))


def _fits_message(message: MessageInfo) -> bool:
    return message.number >= 0 and message.at_ms >= 0 and _are_within((message.seat,), MOST_SEATS)


def _fits_snapshot(shown: TableSnapshot) -> bool:
    seats = len(shown.info.seats)
    numbers = [0, *(event.seq for event in shown.events)]
    if any(later <= earlier for earlier, later in pairwise(numbers)) or numbers[-1] > shown.seq:
        return False
    lists = (shown.move_counts, shown.left_ms or [])
    voters = [] if shown.vote is None else _list_voters(shown.vote)
    return _are_within((shown.seat, shown.point_of_view, *shown.pending, *voters), seats) and all(
        len(each) in (0, seats) for each in lists
    )


def _fits_daily(deal: DailyDeal) -> bool:
    counts = (deal.day, deal.closes_in_ms or 0, deal.finished_count, deal.percentile or 0, deal.deal_count)
    seats = len(deal.levels)
    return (
        1 <= seats <= MOST_SEATS
        and min(counts) >= 0
        and deal.day <= _LATEST_DAY
        and _are_within((deal.your_seat,), seats)
        and (deal.your_result is None or len(deal.your_result.places) == seats)
    )


def _fits_result(result: DailyResult) -> bool:
    return 1 <= len(result.scores) == len(result.places) <= MOST_SEATS and (result.same_move_count or 0) >= 0


def _fits_replay(reply: ReplayDailyReply) -> bool:
    return reply.snapshot.seat is not None


_CHECKS: dict[type, Callable[[Any], bool]] = {
    JoinReply: _fits_join,
    MessageInfo: _fits_message,
    PastGame: _past_game,
    Finished: _fits_finished,
    TableInfo: _fits_table,
    TableSnapshot: _fits_snapshot,
    DailyDeal: _fits_daily,
    DailyResult: _fits_result,
    ReplayDailyReply: _fits_replay,
}
