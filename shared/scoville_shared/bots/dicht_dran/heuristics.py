"""Bots for Dicht dran that look at most one round ahead."""

from bisect import bisect_left, bisect_right
from typing import ClassVar

from scoville_shared.bots.base import Bot, MixedBot
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import DECK, peppers_by_card
from scoville_shared.games.dicht_dran.state import PLAYS, Move, View

RIVALRY = 2
"""How many random cards an opponent is worth who tries to come close."""

DRAWN_COST = 1.25
"""Average cost of a drawn card: its two peppers, less the chance to be rid of them again in time."""


class Easy(Bot):
    """Plays the card closest to the target."""

    description = Phrase("plays the card closest to the target")

    def choose_move(self, view: View, chance: Stream) -> Move:  # noqa: ARG002 - it needs no chance
        target = view.board.target_card
        return PLAYS[min(view.hand, key=lambda card: (abs(card - target), -card))]


class Sensible(Bot):
    """Plays the card with the best expected peppers in this round."""

    description = Phrase("weighs what each card may win or cost in this round")
    equal_levels: ClassVar = {2: ("easy", "casual", "sensible")}

    def choose_move(self, view: View, chance: Stream) -> Move:
        table = _Table(view)
        worth = {card: table.worth_of_card(card) for card in view.hand}
        best = max(worth.values())
        equals = [card for card in view.hand if worth[card] == best]
        return PLAYS[equals[chance.draw_below(len(equals))]]


class Casual(MixedBot):
    """Chooses each move as one of its `kinds` would, by chance: easier than the better of them."""

    kinds = (Easy, Sensible)


class _Table:
    """The estimates of one round, from what its player may know."""

    def __init__(self, view: View) -> None:
        board = view.board
        seen = {*board.circle, *view.hand, *view.won}
        self.unseen = [card for card in DECK if card not in seen]
        self.target = board.target_card
        self.gap = board.gap
        self.peppers = peppers_by_card(board.options.peppers)
        self.rivals = RIVALRY * (len(board.hands) - 1)

    def worth_of_card(self, card: int) -> float:
        """Estimate the value of a card: peppers it discards, may win, and may cost."""
        winning = self.chance_to_win(card)
        low, high = self.gap
        # Only a card that neither wins nor fits the gap costs cards (A12, A13).
        left_over = 0.0 if low < card < high else 1.0 - winning
        shed = self.peppers[card]
        return shed + winning * self.peppers[self.target] - left_over * shed * DRAWN_COST

    def chance_to_win(self, card: int) -> float:
        """Estimate how likely nobody comes closer (A10), if every rival plays `RIVALRY` random unseen cards."""
        distance = abs(card - self.target)
        # Of two equally close cards the higher wins: from above the target its mirror image is no closer, from below it
        # is.
        lowest = self.target - distance + (card > self.target)
        highest = self.target + distance - (card > self.target)
        closer = bisect_right(self.unseen, highest) - bisect_left(self.unseen, lowest)
        return float((1 - closer / len(self.unseen)) ** self.rivals)
