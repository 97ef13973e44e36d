"""The scene of Dicht dran: the View, the log, the selected card, a frame of the story."""

from enum import Enum
from typing import NamedTuple

from scoville_client.tui.boards import scene as base
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleScored
from scoville_shared.games.dicht_dran.state import Board, View

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
    in steps of the story.
    """

    action: int
    captions: tuple[Phrase, ...]
    board: Board
    hand: tuple[int, ...]
    won: tuple[int, ...]
    fronts: tuple[Front, ...] = ()
    scored: CycleScored | None = None
    steps: int = 1

    @property
    def moves(self) -> bool:
        """Whether cards slide, the winner flashes, or points are counted."""
        return self.action in (SLIDES, FLASHES) or self.scored is not None


class Scene(base.Scene[View, Frame], frozen=True, kw_only=True):
    """Everything that the board draws; `selected` is a card of the own hand, `prompt` the line beneath it."""

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
    def won(self) -> tuple[int, ...]:
        """The own won cards of this cycle."""
        return self.frame.won if self.frame else self.view.won
