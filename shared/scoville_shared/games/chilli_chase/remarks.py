"""Remarks of a bot to a player after a game of Chilli Chase: gifts, a kept score, a changed one, or who hit what."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from scoville_shared.engine.contract import Remark, WeighedRemark, order_remarks
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.chilli_chase.facts import Fact, PointScored, ScoreChanged, ScoreKept
from scoville_shared.ids import Seat

_GIFT = Phrase("A card of yours brought me one of my {p} points: compare totals with our scores.")
_GIFTS = Phrase("Your cards brought me {g} of my {p} points: compare each total with our scores.")
_KEPT = Phrase("You kept your {score} when you could change it, and it scored no more points.")
_YOUR_CHANGE = Phrase("You changed your score to {new}: it brought {n} of your {p} points.")
_MY_CHANGE = Phrase(
    "I changed my score from {old} to {new}, which then scored {n} point.",
    many="I changed my score from {old} to {new}, which then scored {n} points.",
)
_COMPARED = Phrase(
    "Own cards made {o} of my {p} point and {m} of your {n}.",
    many="Own cards made {o} of my {p} points and {m} of your {n}.",
)
_ONLY_MINE = Phrase(
    "Own cards made {o} of my {p} point; you have none.", many="Own cards made {o} of my {p} points; you have none."
)
_ONLY_YOURS = Phrase(
    "Own cards made {m} of your {n} point; I have none.", many="Own cards made {m} of your {n} points; I have none."
)


_LATER_HITS = 2
"""Points of others from which on a score that was kept has had its time."""


class _Change(NamedTuple):
    """A score that a seat took, or kept (`old` None), with the points of that seat and of others since."""

    seat: Seat
    old: int | None
    new: int
    points: int
    others: int

    def count_hit(self, seat: Seat) -> "_Change":
        """Add a point of a seat."""
        return self._replace(points=self.points + (seat == self.seat), others=self.others + (seat != self.seat))


def list_remarks(turns: Sequence[Sequence[Fact]], player: Seat, bots: Collection[Seat]) -> Iterator[Remark]:
    """Yield remarks of bots to a player, the most instructive first: to a winner the decision of the game."""
    facts = [*chain.from_iterable(turns)]
    hits = [fact for fact in facts if isinstance(fact, PointScored)]
    points = {seat: sum(hit.seat == seat for hit in hits) for seat in {player, *bots, *(hit.seat for hit in hits)}}
    speaker = min(bots, key=lambda seat: (-points[seat], seat))
    changes = _list_changes(facts)
    if points[player] == max(points.values()) > 1:
        yield from _explain_win(changes, player, speaker, points[player])
    gifts, kept = _list_gifts(hits, player, bots, points), _list_kept(changes, player, speaker)
    yield from order_remarks([*gifts, *kept, *_list_plans(changes, bots)])
    if not points[speaker] and not points[player]:
        return
    mine, yours = (sum(hit.seat == hit.by == seat for hit in hits) for seat in (speaker, player))
    fields: Fields = {"o": mine, "p": points[speaker], "m": yours, "n": points[player]}
    compared = _COMPARED if points[speaker] and points[player] else _ONLY_MINE if points[speaker] else _ONLY_YOURS
    yield Remark(speaker, compared.with_fields(fields, points[speaker] or points[player]))


def _list_changes(facts: Sequence[Fact]) -> list[_Change]:
    """List the scores that were taken or kept, with the points until the seat took the next one."""
    ended: list[_Change] = []
    going_on: list[_Change] = []
    for fact in facts:
        match fact:
            case ScoreChanged():
                ended += [change for change in going_on if change.seat == fact.seat]
                going_on = [change for change in going_on if change.seat != fact.seat]
                going_on.append(_Change(fact.seat, fact.old, fact.new, 0, 0))
            case ScoreKept():
                going_on.append(_Change(fact.seat, None, fact.score, 0, 0))
            case PointScored():
                going_on = [change.count_hit(fact.seat) for change in going_on]
    return [*ended, *going_on]


def _explain_win(changes: Sequence[_Change], player: Seat, speaker: Seat, points: int) -> Iterator[Remark]:
    own = [change for change in changes if change.seat == player and change.old is not None and change.points]
    for change in sorted(own, key=lambda each: -each.points):
        fields: Fields = {"new": change.new, "n": change.points, "p": points}
        yield Remark(speaker, _YOUR_CHANGE.with_fields(fields))


def _list_gifts(
    hits: Sequence[PointScored], player: Seat, bots: Collection[Seat], points: dict[Seat, int]
) -> Iterator[WeighedRemark]:
    for bot in sorted(bots):
        gifts = sum(hit.seat == bot and hit.by == player for hit in hits)
        if gifts and points[bot] > 1:
            said = (_GIFTS if gifts > 1 else _GIFT).with_fields({"g": gifts, "p": points[bot]})
            yield WeighedRemark(2 * gifts, Remark(bot, said))


def _list_kept(changes: Sequence[_Change], player: Seat, speaker: Seat) -> Iterator[WeighedRemark]:
    for change in changes[::-1]:
        if change.seat == player and change.old is None and not change.points and change.others >= _LATER_HITS:
            yield WeighedRemark(3, Remark(speaker, _KEPT.with_fields({"score": change.new})))


def _list_plans(changes: Sequence[_Change], bots: Collection[Seat]) -> Iterator[WeighedRemark]:
    for change in changes:
        if change.seat in bots and change.old is not None and change.points:
            old, new, n = change.old, change.new, change.points
            said = _MY_CHANGE.with_fields({"old": old, "new": new, "n": n}, n)
            yield WeighedRemark(2 * n - 1, Remark(change.seat, said))
