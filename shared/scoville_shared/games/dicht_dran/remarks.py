"""Remarks of a bot to a player after a game of Dicht dran: costs, good choices, the decision of the game."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from scoville_shared.engine.contract import Remark, WeighedRemark, order_remarks
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.dicht_dran.facts import CycleScored, Discarded, Drew, Fact, Revealed, RoundBegan, TargetWon
from scoville_shared.ids import Seat

_LATE = 3
"""The round from which on a card was kept rather than played."""

_HAND_COST = Phrase("Your hand cost {minus} peppers at the end, more than the {plus} you won.")
_DREW_MORE = Phrase("You drew {m} cards for what fell outside the gap; I drew only {k}.")
_DREW_ALONE = Phrase("You drew {m} cards for what fell outside the gap; I drew none.")
_CLOSER = Phrase(
    "My {mine} beat your {yours} for {peppers} pepper: only 1 closer to the {target}.",
    many="My {mine} beat your {yours} for {peppers} peppers: only 1 closer to the {target}.",
)
_TIE = Phrase("My {mine} beat your {yours}: of two equally close cards the higher one wins.")
_HELD = Phrase("I held the {card} from the start; in round {round} it won {peppers} peppers.")
_BY_TARGETS = Phrase("Peppers from targets decided it between us: {p} for you, {q} for me.")
_BY_HANDS = Phrase("The peppers left in hand decided it between us: {m} for you, {k} for me.")
_COMPARED = Phrase("Peppers from targets: you {p}, I {q}; left in hand: you {m}, I {k}.")


class _Sums:
    """Points and drawn cards of each seat in the cycles of a game."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        scored = [fact for fact in facts if isinstance(fact, CycleScored)]
        self.plus = [sum(each) for each in zip(*(fact.plus for fact in scored), strict=True)]
        self.minus = [sum(each) for each in zip(*(fact.minus for fact in scored), strict=True)]
        self.totals = scored[-1].totals
        self.drawn = [0] * len(self.totals)
        for fact in facts:
            if isinstance(fact, Discarded):
                self.drawn[fact.seat] += fact.peppers


def list_remarks(turns: Sequence[Sequence[Fact]], player: Seat, bots: Collection[Seat]) -> Iterator[Remark]:
    """Yield remarks of bots to a player, the most instructive first: to a winner the decision of the game."""
    facts = [*chain.from_iterable(turns)]
    sums = _Sums(facts)
    speaker = min(bots, key=lambda seat: (-sums.totals[seat], seat))
    compared = Remark(speaker, _compare_sums(sums, player, speaker))
    if sums.totals[player] == max(sums.totals):
        yield compared
    yield from order_remarks([*_list_costs(sums, player, speaker, bots), *_list_targets(facts, player, bots)])
    yield compared


def _compare_sums(sums: _Sums, player: Seat, speaker: Seat) -> Phrase:
    p, q, m, k = sums.plus[player], sums.plus[speaker], sums.minus[player], sums.minus[speaker]
    fields: Fields = {"p": p, "q": q, "m": m, "k": k}
    by_targets, by_hands, lead = p - q, k - m, sums.totals[player] - sums.totals[speaker]
    # It has decided what the other alone would not have: that one points the other way, or nowhere.
    if lead and by_targets * lead > 0 >= by_hands * lead:
        return _BY_TARGETS.with_fields(fields)
    if lead and by_hands * lead > 0 >= by_targets * lead:
        return _BY_HANDS.with_fields(fields)
    return _COMPARED.with_fields(fields)


def _list_costs(sums: _Sums, player: Seat, speaker: Seat, bots: Collection[Seat]) -> Iterator[WeighedRemark]:
    minus, plus = sums.minus[player], sums.plus[player]
    if minus > plus > 0:
        yield WeighedRemark(minus - plus, Remark(speaker, _HAND_COST.with_fields({"minus": minus, "plus": plus})))
    thrifty = min(bots, key=lambda seat: (sums.drawn[seat], seat))
    m, k = sums.drawn[player], sums.drawn[thrifty]
    if m > 1 and 2 * m > 3 * k:
        said = (_DREW_MORE if k else _DREW_ALONE).with_fields({"m": m, "k": k})
        yield WeighedRemark(m - k, Remark(thrifty, said))


def _list_targets(facts: Sequence[Fact], player: Seat, bots: Collection[Seat]) -> Iterator[WeighedRemark]:
    """Yield how bots won targets narrowly before the player, or with a card that they held from the deal on."""
    number = 1
    cards: tuple[int, ...] = ()
    drew: set[Seat] = set()
    for fact in facts:
        match fact:
            case RoundBegan():
                number = fact.round
                if number == 1:
                    drew = set()
            case Revealed():
                cards = fact.cards
            case Drew():
                drew.add(fact.seat)
            case TargetWon() if fact.seat in bots:
                yield from _compare_cards(fact, cards[player])
                if number >= _LATE and fact.peppers > 1 and fact.seat not in drew:
                    fields: Fields = {"card": fact.card, "round": number, "peppers": fact.peppers}
                    yield WeighedRemark(fact.peppers - 1, Remark(fact.seat, _HELD.with_fields(fields)))


def _compare_cards(won: TargetWon, yours: int) -> Iterator[WeighedRemark]:
    fields: Fields = {"mine": won.card, "yours": yours, "peppers": won.peppers, "target": won.target}
    behind = abs(yours - won.target) - won.distance
    if behind == 0:
        yield WeighedRemark(won.peppers, Remark(won.seat, _TIE.with_fields(fields)))
    elif behind == 1:
        yield WeighedRemark(won.peppers, Remark(won.seat, _CLOSER.with_fields(fields, won.peppers)))
