"""The scene of Chilli Chase: the View, the log, what is being chosen, a frame of the story."""

from typing import NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.tui.boards import scene as base
from scoville_client.tui.boards.chilli_chase.picker import Picker
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.state import Board, View
from scoville_shared.ids import Seat

MINE, OTHERS, NOBODYS = "◆", "●", " "
"""Signs of whose a Chilli Score is, which tell them apart without colours."""


class Called(NamedTuple):
    """How the total came about: who called out which formula."""

    seat: Seat
    formula: str


class Frame(NamedTuple):
    """One step of a story: its sentences, and the table at that moment.

    `hit` is the seat that has just got a point. `rolled` names the seats that have rolled their die, None once all
    have and the game is under way. `before` is the total before the card that was played. `steps` is how long it stays,
    in steps of the story.
    """

    captions: tuple[Phrase, ...]
    board: Board
    hand: tuple[int, ...]
    called: Called | None = None
    hit: Seat | None = None
    rolled: tuple[Seat, ...] | None = None
    steps: float = 1
    before: int | None = None

    @property
    def moves(self) -> bool:
        """Whether the total slides along the line, or a point flashes."""
        return self.before is not None or self.hit is not None


class Scene(base.Scene[View, Frame], frozen=True, kw_only=True):
    """Everything that the board draws.

    `called` is how the total came about, `picker` the own hand with what it can reach, `wanted` the Chilli Score that
    is chosen so far, `prompt` the line of text, and `wrong` whether it says why something is refused. `ahead` says that
    a card is selected before the user's turn.
    """

    called: Called | None = None
    picker: Picker = Picker()
    wanted: int | None = None
    prompt: str = ""
    wrong: bool = False
    ahead: bool = False

    @property
    def board(self) -> Board:
        """The open table to draw: the story's during a story."""
        return self.frame.board if self.frame else self.view.board

    @property
    def hand(self) -> tuple[int, ...]:
        """The own hand: the story's during a story."""
        return self.frame.hand if self.frame else self.view.hand

    @property
    def how(self) -> Called | None:
        """How the total to draw came about."""
        return self.frame.called if self.frame else self.called

    @property
    def my_turn(self) -> bool:
        """Whether the user has something to choose."""
        return self.frame is None and not self.board.over and self.me == self.board.mover

    @property
    def selects(self) -> bool:
        """Whether a card is selected: on the user's turn, or before it."""
        return self.my_turn or (self.ahead and self.frame is None)

    @property
    def me(self) -> Seat | None:
        """The seat that the user plays; None for a spectator, also one who sees a hand."""
        return self.seat if self.status.point_of_view is None else None

    @property
    def choosing(self) -> bool:
        """Whether the user may take a new Chilli Score."""
        return self.my_turn and self.board.choosing

    def name_of_holder(self, seat: Seat) -> str:
        """Return the name of the player who gets a point; "you" for the user."""
        return tr("you") if seat == self.me else self.name_of(seat)

    def mark_of_holder(self, seat: Seat | None) -> tuple[str, str]:
        """Return the sign of a seat's Chilli Score, and its style; of None those of a number that is no player's."""
        if seat is None:
            return NOBODYS, "text"
        return (MINE, "target") if seat == self.place else (OTHERS, "rim")
