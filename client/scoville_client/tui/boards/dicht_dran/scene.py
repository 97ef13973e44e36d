"""What the board shows at one moment: the View, the names, the log, what is selected, a frame of the story."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from scoville_client.i18n.language import words
from scoville_client.tui.drawing.status import Around
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleScored
from scoville_shared.games.dicht_dran.state import Board, View
from scoville_shared.ids import Seat


class Fate(Enum):
    """What became of a played card; the value is the style it is drawn in."""

    SHOWN = "card"
    WINS = "target"
    FREE = "gap"
    PAYS = "bad"


class Front(NamedTuple):
    """What lies in front of a seat: a card, or None once it is gone, its fate, and a word about it."""

    card: int | None
    fate: Fate = Fate.SHOWN
    word: Phrase | None = None


class Frame(NamedTuple):
    """One step of a story: what is said, and the table as it lies at that moment.

    `action` counts the rulebook's four actions, 0 for what comes between them. `fronts` has an entry a seat,
    or none at all when nothing lies there. `scored` is set when a cycle is counted. `steps` is for how many steps'
    time it stays.
    """

    action: int
    captions: tuple[Phrase, ...]
    board: Board
    hand: tuple[int, ...]
    won: tuple[int, ...]
    fronts: tuple[Front, ...] = ()
    scored: CycleScored | None = None
    steps: int = 1


class Scene(NamedTuple):
    """Everything there is to draw.

    `names` by seat; `log` holds written-out lines, the newest last; `selected` is a card of my hand; `prompt` is the
    line beneath it.
    `marks` by seat tell who is away; `around` has their times, and from where I look when I only watch.
    """

    view: View
    names: Sequence[str]
    log: Sequence[str]
    selected: int | None = None
    prompt: str = ""
    frame: Frame | None = None
    marks: Sequence[str] = ()
    around: Around = Around()

    @property
    def board(self) -> Board:
        """The board to draw: the story's while one is told."""
        return self.frame.board if self.frame else self.view.board

    @property
    def peppers(self) -> tuple[int, ...]:
        """The peppers of every card, indexed by its number."""
        return peppers_by_card(self.view.board.options.peppers)

    @property
    def hand(self) -> tuple[int, ...]:
        """My cards: the story's while one is told."""
        return self.frame.hand if self.frame else self.view.hand

    @property
    def won(self) -> tuple[int, ...]:
        """The cards I have won so far in this cycle."""
        return self.frame.won if self.frame else self.view.won

    @property
    def seat(self) -> Seat | None:
        """Whose View it is."""
        return self.view.seat

    @property
    def place(self) -> Seat | None:
        """The seat that is drawn as mine."""
        return self.around.viewpoint if self.seat is None else self.seat

    def name(self, seat: int) -> str:
        """Name a seat."""
        return self.names[seat] if seat < len(self.names) else words("Seat {number}", number=seat + 1)
