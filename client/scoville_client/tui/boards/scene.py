"""The base of the boards' scenes: everything there is to draw at one moment, as a value without Textual."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from scoville_client.i18n.language import render, tr
from scoville_client.tui.drawing.chances import Chance
from scoville_client.tui.drawing.status import BoardStatus
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat


class SeatedView(Protocol):
    """The common field of all games' Views: its seat, None for a spectator."""

    @property
    def seat(self) -> Seat | None:
        """The seat whose View it is."""


class Step(Protocol):
    """The common fields of a frame, one step of a story."""

    @property
    def steps(self) -> float:
        """How long the frame stays, in steps of the story."""

    @property
    def captions(self) -> tuple[Phrase, ...]:
        """The sentences of the frame."""

    @property
    def moves(self) -> bool:
        """Whether something moves at the beginning of the frame."""


V = TypeVar("V", bound=SeatedView)
F = TypeVar("F", bound=Step)


class Scene(Struct, Generic[V, F], frozen=True, kw_only=True):
    """Everything that a board draws.

    Attributes:
        view: The View as it is now.
        names: The players' names, by seat.
        log: The log as text, the newest line last.
        frame: The frame of a story that is shown instead of the View; None without a story.
        marks: By seat, the mark behind the name of a player who is away or replaced by a bot.
        status: Clocks, a pause, and the point of view of a spectator.
        compact: Whether small cards leave more rows to the log.
        chances: The coach's advice on the moves, if the user has asked.
        progress: How much of the frame's motion is over, from 0 to 1.
    """

    view: V
    names: Sequence[str]
    log: Sequence[str]
    frame: F | None = None
    marks: Sequence[str] = ()
    status: BoardStatus = BoardStatus()
    compact: bool = False
    chances: Mapping[Hashable, Chance] = {}
    progress: float = 1.0

    @property
    def seat(self) -> Seat | None:
        """The seat whose View is drawn."""
        return self.view.seat

    @property
    def place(self) -> Seat | None:
        """The seat that is drawn as the viewer's."""
        return self.status.viewpoint if self.seat is None else self.seat

    @property
    def captions(self) -> list[str]:
        """The sentences of the story's frame, as text."""
        return [self.say(phrase) for phrase in self.frame.captions] if self.frame else []

    def say(self, phrase: Phrase) -> str:
        """Return a phrase as text, in the user's language, with the names at this table."""
        return render(phrase, self.names)

    def name_of(self, seat: int) -> str:
        """Return the name at a seat; its number where no name is known."""
        return self.names[seat] if seat < len(self.names) else tr("Seat {number}", number=seat + 1)
