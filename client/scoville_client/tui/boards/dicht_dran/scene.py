"""The scene of Dicht dran: the View, the log, the selected card, a frame of the story."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_client.tui.boards import scene as base
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleScored
from scoville_shared.games.dicht_dran.state import Board, View


class Picker(Struct, frozen=True):
    """A sorted hand, the card that is selected (None when there is none), and the digits typed so far."""

    hand: tuple[int, ...] = ()
    selected: int | None = None
    typed: str = ""

    def with_hand(self, hand: Sequence[int], wanted: int | None = None) -> "Picker":
        """Adopt another hand: keep the selected card if it is still there, else select `wanted`."""
        hand = tuple(hand)
        for card in (self.selected, wanted):
            if card in hand:
                return Picker(hand, card)
        return Picker(hand, hand[0] if hand else None)

    def moved_by(self, steps: int) -> "Picker":
        """Select the card `steps` to the right; the ends stop."""
        if self.selected is None:
            return self
        index = self.hand.index(self.selected) + steps
        return Picker(self.hand, self.hand[min(max(index, 0), len(self.hand) - 1)])

    def at_card(self, card: int) -> "Picker":
        """Select `card` if it is in the hand."""
        return Picker(self.hand, card) if card in self.hand else self

    def with_digit(self, digit: str) -> "Picker":
        """Type a digit: selects the card of that number, or the first that begins so.

        A digit that no card allows begins a new number; when none begins with it either, nothing is typed.
        """
        for typed in (self.typed + digit, digit):
            fitting = [card for card in self.hand if str(card).startswith(typed)]
            if fitting:
                return Picker(self.hand, int(typed) if int(typed) in fitting else fitting[0], typed)
        return replace(self, typed="")

    def without_digit(self) -> "Picker":
        """Remove the last digit."""
        # Typed again: the last digit may have begun a number of its own.
        shorter = Picker(self.hand, self.selected)
        for digit in self.typed[:-1]:
            shorter = shorter.with_digit(digit)
        return shorter

    def without_digits(self) -> "Picker":
        """Clear the typed digits; the selection stays."""
        return replace(self, typed="")


SLIDES, FLASHES = 1, 2
"""The actions in which something moves: the cards slide to their places, then the winner flashes."""


class Fate(Enum):
    """The fate of a played card; the value is its style."""

    SHOWN = "card"
    WINS = "target"
    FREE = "gap"
    PAYS = "bad"


class Front(NamedTuple):
    """The card in front of a seat, or None once it is gone, its fate, and a word about it."""

    card: int | None
    fate: Fate = Fate.SHOWN
    word: Phrase | None = None


class Frame(NamedTuple):
    """One step of a story: its sentences, and the table at that moment.

    `action` counts the rulebook's four actions, 0 for what comes between them. `fronts` has an entry a seat,
    or is empty. `scored` is set when a cycle is counted. `steps` is how long it stays,
    in steps of the story. While the hand is `dealt` its cards come one after the other.
    """

    action: int
    captions: tuple[Phrase, ...]
    board: Board
    hand: tuple[int, ...]
    won: tuple[int, ...]
    fronts: tuple[Front, ...] = ()
    scored: CycleScored | None = None
    steps: int = 1
    dealt: bool = False

    @property
    def moves(self) -> bool:
        """Whether cards come or slide, the winner flashes, or points are counted."""
        return self.action in (SLIDES, FLASHES) or self.scored is not None or self.dealt


class Scene(base.Scene[View, Frame], frozen=True, kw_only=True):
    """Everything that the board draws; `selected` is a card of the own hand, `prompt` the line below it."""

    selected: int | None = None
    prompt: str = ""

    @property
    def board(self) -> Board:
        """The open table to draw: the story's during a story."""
        return self.frame.board if self.frame else self.view.board

    @property
    def peppers(self) -> tuple[int, ...]:
        """The peppers of every card, indexed by its number."""
        return peppers_by_card(self.view.board.options.peppers)

    @property
    def hand(self) -> tuple[int, ...]:
        """The own hand: the story's during a story."""
        return self.frame.hand if self.frame else self.view.hand

    @property
    def dealt(self) -> int:
        """How many cards of the hand have come: all but while they are dealt."""
        is_dealing = self.frame is not None and self.frame.dealt
        return round(len(self.hand) * self.progress) if is_dealing else len(self.hand)

    @property
    def won(self) -> tuple[int, ...]:
        """The own won cards of this cycle."""
        return self.frame.won if self.frame else self.view.won
