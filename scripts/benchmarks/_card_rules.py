"""Simple rules for No Thanks! that no bot of ours expects: opponents that `strength` measures against.

A rule looks at the cost of the card, which is its points less the chips on it, and at what its seat may know else.
"""

from abc import abstractmethod
from typing import ClassVar, Final

from scoville_shared.bots.base import Bot
from scoville_shared.engine.dice import Stream
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.state import PASS, TAKE, Move, View


class Rule(Bot):
    """Takes a card that the rule `accepts`, and whenever no chip is left."""

    description = Phrase("plays by a simple rule")

    def choose_move(self, view: View, chance: Stream) -> Move:
        """Ask the rule."""
        taking = view.board.weigh_taking(view.board.mover)
        assert taking is not None, "somebody has to decide on a card"
        return TAKE if not view.chips or self.accepts(view, taking.change, chance) else PASS

    @abstractmethod
    def accepts(self, view: View, cost: int, chance: Stream) -> bool:
        """Whether the rule takes a card that costs so many points."""


class AtMost2(Rule):
    """Takes what costs at most two points."""

    most: ClassVar[int] = 2

    def accepts(self, view: View, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Compare the cost."""
        return cost <= self.most


class AtMost4(AtMost2):
    """Takes what costs at most four points."""

    most = 4


class AtMost8(AtMost2):
    """Takes what costs at most eight points."""

    most = 8


class AtMost12(AtMost2):
    """Takes what costs at most twelve points."""

    most = 12


class Erratic(Rule):
    """Pays anything from 0 to 14 points, drawn anew for each decision."""

    def accepts(self, view: View, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Draw what it pays."""
        return cost <= chance.draw_below(15)


class Runs(Rule):
    """Takes cards of its runs that cost nothing, and others only for three points or more."""

    def accepts(self, view: View, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Look for a run."""
        return cost <= (0 if extends_run(view, view.board.mover) else -3)


class Thrifty(Rule):
    """Pays the more, the fewer chips are left."""

    def accepts(self, view: View, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Look at the chips."""
        chips = view.chips or 0
        return cost <= (12 if chips <= 3 else 6 if chips <= 6 else 1)


class Denial(Rule):
    """Takes what costs nothing, what the next seat could use for up to 12 points, and its own runs for three chips."""

    def accepts(self, view: View, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Look at the own runs and the next seat's."""
        board = view.board
        following = (board.mover + 1) % len(board.cards)
        denies = extends_run(view, following) and board.pot >= 2 and cost <= 12
        return cost <= 0 or denies or (extends_run(view, board.mover) and board.pot >= 3)


class Third(Rule):
    """Takes a card with chips for a third of its number, and one of its runs for four."""

    def accepts(self, view: View, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Compare the chips with the number."""
        board = view.board
        return 3 * board.pot >= board.card_up or (extends_run(view, board.mover) and board.pot >= 4)


class LowCards(Rule):
    """Takes cards up to 12 for two chips, and others that cost at most two points."""

    def accepts(self, view: View, cost: int, chance: Stream) -> bool:  # noqa: ARG002
        """Look at the number."""
        return cost <= 2 or (view.board.card_up <= 12 and view.board.pot >= 2)


def extends_run(view: View, seat: int) -> bool:
    """Whether the card would extend a run of a seat."""
    return bool({view.board.card_up - 1, view.board.card_up + 1} & {*view.board.cards[seat]})


RULES: Final[dict[str, type[Rule]]] = {
    "at-most-2": AtMost2,
    "at-most-4": AtMost4,
    "at-most-8": AtMost8,
    "at-most-12": AtMost12,
    "erratic": Erratic,
    "runs": Runs,
    "thrifty": Thrifty,
    "denial": Denial,
    "third": Third,
    "low-cards": LowCards,
}
"""The rules by name."""
