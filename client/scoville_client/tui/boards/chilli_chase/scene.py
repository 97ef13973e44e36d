"""What the board shows at one moment: the View, the log, what is being chosen, a frame of the story."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.i18n.language import told
from scoville_client.tui.boards.chilli_chase.picker import Picker
from scoville_client.tui.drawing.status import Around
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.state import Board, View
from scoville_shared.ids import Seat


class Called(NamedTuple):
    """How the total came about: who called out which formula."""

    seat: Seat
    formula: str


class Frame(NamedTuple):
    """One step of a story: what is said, and the table as it lies at that moment.

    `hit` is the seat that has just got a point. `rolled` names the seats that have rolled their die, None once all
    have and the game is under way. `steps` is for how many steps' time it stays.
    """

    captions: tuple[Phrase, ...]
    board: Board
    hand: tuple[int, ...]
    called: Called | None = None
    hit: Seat | None = None
    rolled: tuple[Seat, ...] | None = None
    steps: float = 1


class Scene(NamedTuple):
    """Everything there is to draw.

    `names` by seat; `log` holds written-out lines, the newest last; `picker` is my hand with what it can reach.
    `wanted` is the Chilli Score I may take, as far as I have chosen one. `prompt` is what is said to me, `wrong` when
    it says why not.
    `marks` by seat tell who is away; `around` has their times, and from where I look when I only watch.
    """

    view: View
    names: Sequence[str]
    log: Sequence[str]
    called: Called | None = None
    picker: Picker = Picker()
    wanted: int | None = None
    prompt: str = ""
    wrong: bool = False
    frame: Frame | None = None
    marks: Sequence[str] = ()
    around: Around = Around()

    @property
    def board(self) -> Board:
        """The board to draw: the story's while one is told."""
        return self.frame.board if self.frame else self.view.board

    @property
    def hand(self) -> tuple[int, ...]:
        """My cards: the story's while one is told."""
        return self.frame.hand if self.frame else self.view.hand

    @property
    def how(self) -> Called | None:
        """How the total to draw came about."""
        return self.frame.called if self.frame else self.called

    @property
    def my_turn(self) -> bool:
        """Whether it is for me to choose something."""
        return self.frame is None and not self.board.over and self.me == self.board.mover

    @property
    def me(self) -> Seat | None:
        """The seat I play; None when I only watch, through whosever eyes."""
        return self.view.seat if self.around.point_of_view is None else None

    @property
    def place(self) -> Seat | None:
        """The seat that is drawn as mine."""
        return self.around.viewpoint if self.view.seat is None else self.view.seat

    @property
    def choosing(self) -> bool:
        """Whether I am asked for a new Chilli Score."""
        return self.my_turn and self.board.choosing

    def say(self, phrase: Phrase) -> str:
        """Say a phrase in the language that is spoken."""
        return told(phrase, self.names)

    def name(self, seat: Seat) -> str:
        """Name a seat."""
        return self.names[seat]
