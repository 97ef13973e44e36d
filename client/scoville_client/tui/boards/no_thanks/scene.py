"""What the board shows at one moment: the View, the names, the log, what is marked, a frame of the story."""

from collections.abc import Sequence
from typing import NamedTuple

from scoville_client.i18n.language import told
from scoville_client.tui.boards.no_thanks.choice import Choice
from scoville_client.tui.drawing.status import Around
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.facts import RoundScored
from scoville_shared.games.no_thanks.state import Board, View
from scoville_shared.ids import Seat


class Tally(NamedTuple):
    """How much of a round's scores is told: first the points, then the chips and what is left, then the sums."""

    scored: RoundScored
    chips: bool = False
    totals: bool = False


class Frame(NamedTuple):
    """One step of a story: what is said, and the table as it lies at that moment.

    `actor` is who acts, with a `word` in their row; `fresh` is the card that has just come to its place. `tally` is
    set while a round is scored. `steps` is for how many steps' time it stays.
    """

    captions: tuple[Phrase, ...]
    view: View
    steps: float
    actor: Seat | None = None
    word: Phrase | None = None
    fresh: int | None = None
    tally: Tally | None = None


class Scene(NamedTuple):
    """Everything there is to draw: `names` by seat, `marks` behind them, `log` written out, the newest last.

    `around` has everybody's time, and from where I look when I only watch.
    """

    table: View
    names: Sequence[str]
    log: Sequence[str]
    choice: Choice
    frame: Frame | None = None
    marks: Sequence[str] = ()
    around: Around = Around()

    @property
    def view(self) -> View:
        """The View to draw: the story's while one is told."""
        return self.frame.view if self.frame else self.table

    @property
    def board(self) -> Board:
        """The open table to draw."""
        return self.view.board

    @property
    def seat(self) -> Seat | None:
        """Whose View it is."""
        return self.table.seat

    @property
    def place(self) -> Seat | None:
        """The seat that is drawn as mine."""
        return self.around.viewpoint if self.seat is None else self.seat

    @property
    def order(self) -> Sequence[Seat]:
        """The seats from top to bottom; at the bottom the one at whose place I watch."""
        seats = list(map(Seat, range(len(self.board.cards))))
        last = self.around.viewpoint
        return seats if last is None else seats[last + 1 :] + seats[: last + 1]

    @property
    def actor(self) -> Seat | None:
        """Whose turn it is, or who acts in the story."""
        if self.frame is not None:
            return self.frame.actor
        return None if self.board.over else self.board.mover

    @property
    def fresh(self) -> int | None:
        """The card that has just come to its place."""
        return self.frame.fresh if self.frame else None

    @property
    def captions(self) -> list[str]:
        """What the story says, written out."""
        return [self.write(phrase) for phrase in self.frame.captions] if self.frame else []

    def write(self, phrase: Phrase) -> str:
        """Write a phrase out with the names at this table, in the language that is spoken."""
        return told(phrase, self.names)
