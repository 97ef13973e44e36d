"""Remarks of a bot to a player after a game of No Thanks!: the costliest card, or the decision of the game."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from scoville_shared.engine.contract import Remark, WeighedRemark, order_remarks
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundScored, Took
from scoville_shared.games.no_thanks.runs import card_points, list_runs, weigh_taking, written_run
from scoville_shared.ids import Seat

_NOBODYS_FAULT = 10
"""Points that a card may cost before it is worth a sentence: a player has to take it."""
_LEAST_GAIN = 3
"""Points that a card would have brought from which on declining it is worth a sentence."""
_LEAST_RUN = 3

_NO_CHIPS = Phrase("You had no chips left and had to take the {card}: keep a few.")
_COSTLY = Phrase(
    "You took the {card} with {chips} chip while you had {left}; that alone made {n} points.",
    many="You took the {card} with {chips} chips while you had {left}; that alone made {n} points.",
)
_DECLINED = Phrase("Taking the {card} would have improved your score by {n}; you passed, and I took it.")
_WON_BY_RUN = Phrase("You won with the run {run}: it counts {low} instead of {n}.")
_WON_BY_CHIPS = Phrase("Your {chips} chips decided it: without them you would not have won.")
_RUN = Phrase("Neighbours cost little: my run {run} counts only {low} instead of {n}.")
_CHIPS_COUNTED = Phrase(
    "Each chip takes a point off: my {points} in cards became {score} with {chips} chip.",
    many="Each chip takes a point off: my {points} in cards became {score} with {chips} chips.",
)
_NO_CHIP = Phrase("I ended without a chip: each one would have been a point less.")


class _Round:
    """The cards and chips of a round that is over, replayed from its facts."""

    def __init__(self, facts: Sequence[Fact], scored: RoundScored) -> None:
        seats = len(scored.chips)
        self.facts = facts
        self.scored = scored
        # The last card is taken with all its chips: those in hand are all there are.
        self.chips_each = sum(scored.chips) // seats
        self.cards: list[list[int]] = [[] for _ in range(seats)]
        for fact in facts:
            if isinstance(fact, Took):
                self.cards[fact.seat].append(fact.card)

    def list_losses(self, player: Seat, speaker: Seat, bots: Collection[Seat]) -> Iterator[WeighedRemark]:
        """Yield the costs of the player's decisions."""
        chips, declined = self.chips_each, 0
        held: list[int] = []
        for fact in self.facts:
            if isinstance(fact, Passed) and fact.seat == player:
                chips, declined = chips - 1, -weigh_taking(held, fact.card, fact.pot - 1).change
            elif isinstance(fact, Took):
                if fact.seat == player:
                    yield from self._weigh_card(fact, chips, speaker)
                    held.append(fact.card)
                    chips += fact.chips
                elif fact.seat in bots and declined >= _LEAST_GAIN:
                    said = _DECLINED.with_fields({"card": fact.card, "n": declined})
                    yield WeighedRemark(declined, Remark(fact.seat, said))
                declined = 0

    def _weigh_card(self, took: Took, chips: int, speaker: Seat) -> Iterator[WeighedRemark]:
        """Yield the cost of a taken card until the end, its chips deducted."""
        mine = self.cards[took.seat]
        cost = card_points(mine) - card_points([card for card in mine if card != took.card]) - took.chips
        if cost <= _NOBODYS_FAULT:
            return
        fields: Fields = {"card": took.card, "chips": took.chips, "left": chips, "n": cost}
        said = _COSTLY.with_fields(fields, took.chips) if chips else _NO_CHIPS.with_fields(fields)
        yield WeighedRemark(cost - _NOBODYS_FAULT, Remark(speaker, said))

    def list_runs(self, seat: Seat, sentence: Phrase, speaker: Seat) -> Iterator[WeighedRemark]:
        """Yield the sentence about each long run of a seat, by the points that the run has saved."""
        for run in list_runs(self.cards[seat]):
            if len(run) >= _LEAST_RUN:
                fields: Fields = {"run": written_run(run), "low": run[0], "n": sum(run)}
                yield WeighedRemark(sum(run[1:]), Remark(speaker, sentence.with_fields(fields)))


def list_remarks(turns: Sequence[Sequence[Fact]], player: Seat, bots: Collection[Seat]) -> Iterator[Remark]:
    """Yield remarks of bots to a player, the most instructive first; of losses the greatest."""
    rounds = _replay_rounds(turns)
    totals = rounds[-1].scored.totals
    speaker = min(bots, key=lambda seat: (totals[seat], seat))
    if totals[player] == min(totals):
        yield from _explain_win(rounds, player, speaker)
    yield from order_remarks(loss for each in rounds for loss in each.list_losses(player, speaker, bots))
    yield from order_remarks(run for each in rounds for run in each.list_runs(speaker, _RUN, speaker))
    chips = sum(each.scored.chips[speaker] for each in rounds)
    points = sum(each.scored.points[speaker] for each in rounds)
    fields: Fields = {"points": points, "score": totals[speaker], "chips": chips}
    yield Remark(speaker, _CHIPS_COUNTED.with_fields(fields, chips) if chips else _NO_CHIP)


def _explain_win(rounds: Sequence[_Round], player: Seat, speaker: Seat) -> Iterator[Remark]:
    """Yield the decisions without which the player would not have won."""
    totals = rounds[-1].scored.totals
    lead = min(total for seat, total in enumerate(totals) if seat != player) - totals[player]
    runs = (run for each in rounds for run in each.list_runs(player, _WON_BY_RUN, speaker))
    yield from order_remarks(run for run in runs if run.weight > lead)
    chips = sum(each.scored.chips[player] for each in rounds)
    if chips > max(1, lead):
        yield Remark(speaker, _WON_BY_CHIPS.with_fields({"chips": chips}))


def _replay_rounds(turns: Sequence[Sequence[Fact]]) -> list[_Round]:
    rounds: list[_Round] = []
    facts: list[Fact] = []
    for fact in chain.from_iterable(turns):
        if isinstance(fact, RoundScored):
            rounds.append(_Round(facts, fact))
            facts = []
        else:
            facts.append(fact)
    return rounds
