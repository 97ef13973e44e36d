"""The habits that the rules' page of tips teaches, as bots: what somebody wins who knows no more than that."""

from typing import ClassVar, Final

from _card_rules import Rule, extends_run

from scoville_shared.bots.base import Bot
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.arithmetic import Reach, list_choices
from scoville_shared.games.chilli_chase.state import KEEP
from scoville_shared.games.chilli_chase.state import Move as Turn
from scoville_shared.games.chilli_chase.state import View as TurnView
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.state import PLAYS, Move, View
from scoville_shared.games.no_thanks.state import View as CardView


class CardHabits(Rule):
    """Takes a single card with chips for two fifths of its number, one of its runs with three, or two if others can."""

    def accepts(self, view: CardView, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Compare the chips with the number."""
        board = view.board
        if not extends_run(view, board.mover):
            return 5 * board.pot >= 2 * board.card_up
        wanted = any(extends_run(view, seat) for seat in range(len(board.cards)) if seat != board.mover)
        return board.pot >= (2 if wanted else 3)


class CircleHabits(Bot):
    """Plays a card within six of the target, else the card with most peppers that fits the gap, else fewest peppers."""

    description = Phrase("plays by three habits")
    near: ClassVar[int] = 6

    def choose_move(self, view: View, chance: Stream) -> Move:  # noqa: ARG002
        """Look at the target, then at the gap."""
        board = view.board
        target, (low, high), peppers = board.target_card, board.gap, peppers_by_card(board.options.peppers)
        closest = min(view.hand, key=lambda card: (abs(card - target), -card))
        if abs(closest - target) <= self.near:
            return PLAYS[closest]
        fitting = [card for card in view.hand if low < card < high]
        if fitting:
            return PLAYS[max(fitting, key=lambda card: (peppers[card], abs(card - target)))]
        return PLAYS[min(view.hand, key=lambda card: (peppers[card], -abs(card - target)))]


class TotalHabits(Bot):
    """Hits its own score, no other, and leaves a total that is far from the next player's score, near its own."""

    description = Phrase("plays by three habits")
    far: ClassVar[int] = 30

    def choose_move(self, view: TurnView, chance: Stream) -> Turn:  # noqa: ARG002
        """Look at the own score, the others', and the next player's."""
        board = view.board
        if board.choosing:
            return KEEP
        mine, following = board.scores[board.mover], board.scores[(board.mover + 1) % len(board.scores)]

        def rank(way: Reach) -> tuple[bool, bool, bool, int]:
            total = way.total
            gives = total in board.scores and total != mine
            return total != mine, gives, abs(total - following) <= self.far, abs(total - mine)

        return min((way for _, way in list_choices(view)), key=rank).plays[0]


HABITS: Final[dict[str, type[Bot]]] = {
    "no_thanks": CardHabits,
    "dicht_dran": CircleHabits,
    "chilli_chase": TotalHabits,
}
"""The bot of each game."""
