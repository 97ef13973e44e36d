"""Base of all boards: a widget that draws the table and posts the chosen moves."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, cast, runtime_checkable

from textual.message import Message

from scoville_client.rules import rules_page_of
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.remaining_time import next_change
from scoville_client.session.table.table import AtTable
from scoville_client.settings.preferences import Preferences
from scoville_client.tui.actions import Action
from scoville_client.tui.boards.course import Course, Turns
from scoville_client.tui.drawing.canvas import Area, Canvas, Target
from scoville_client.tui.drawing.chances import Chance
from scoville_client.tui.drawing.status import BoardStatus
from scoville_client.tui.widgets.canvas_widget import COLUMN, CanvasWidget, TickingWidget
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

if TYPE_CHECKING:
    from scoville_client.tui.boards.picture import Picture
    from scoville_client.tui.shell import Shell


@runtime_checkable
class HasPreferences(Protocol):
    """An App whose user has chosen settings."""

    @property
    def preferences(self) -> Preferences:
        """The user's preferences."""


class Parts(NamedTuple):
    """The name of a game's rounds or cycles, and the points of each, by round and by seat."""

    heading: Phrase
    points: Sequence[Sequence[int]]


class Board(TickingWidget, can_focus=True):
    """Shows the game at a table.

    `pace` is the length of a step of a story in seconds; 0 shows no stories. A `big` board draws its picture for a
    television wherever there is room for it. `overlay` draws over the table, such as the callouts of guided rounds.
    `opened_at` is the number of the newest event when the board was made: the table that it shows contains it. A board
    that `warns` asks again before a costly move, if the user wants that.
    """

    ACTIONS: ClassVar[Sequence[Action]] = ()
    """The keys of this game; `BINDINGS` binds them beside those of every game, `bindings("play", ACTIONS)`."""

    IDLE: ClassVar[frozenset[str]] = frozenset({"play"})
    """The keys of this game that do nothing while others move."""

    DECIDES_ABOVE: ClassVar[bool] = False
    """Whether the user decides in the upper part of the board: the coach then stands in the lower one."""

    class Play(Message):
        """The user has chosen `move`; `meaning` is that of the keys at that moment."""

        def __init__(self, move: Any, meaning: Hashable) -> None:
            super().__init__()
            self.move = move
            self.meaning = meaning

    class Doubted(Message):
        """The chosen move is costly, as the sentence `why` says; the same move chosen again is played."""

        def __init__(self, why: Phrase) -> None:
            super().__init__()
            self.why = why

    class Moved(Message):
        """The meaning of the keys has changed, or a story has ended."""

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__()
        self.at = at
        self.opened_at = at.seq
        self.pace = pace
        self.big = False
        self.warns = True
        self.overlay: Callable[[Canvas], None] | None = None
        self._drawn_columns = 0
        self._doubted: Hashable = None
        self._chances: tuple[Hashable, Mapping[Hashable, Chance]] = (None, {})

    def show_chances(self, chances: Mapping[Hashable, Chance]) -> None:
        """Show the coach's bars at the cards until the decision is made; the keys are moves."""
        self._chances = (self.meaning, chances)
        self.repaint()

    @property
    def chances(self) -> Mapping[Hashable, Chance]:
        """The coach's advice on the decision that the user owes; empty where it was not asked."""
        asked, chances = self._chances
        return chances if chances and asked == self.meaning else {}

    def draw(self, width: int, height: int) -> Canvas:
        if not self.big:
            canvas = self.draw_table(width, height)
            if self.overlay is not None:
                self.overlay(canvas)
            return canvas
        from scoville_client.tui.boards.television import draw_picture, fits_television

        picture = self.make_picture() if fits_television(width, height) else None
        if picture is None:
            return self.draw_table(width, height)
        half_blocks = cast("Shell", self.app).terminal.half_blocks
        return draw_picture(picture, width, height, half_blocks=half_blocks)

    def draw_table(self, width: int, height: int) -> Canvas:
        """Draw the table in `width` x `height` cells."""
        raise NotImplementedError

    def make_picture(self) -> "Picture | None":
        """Return the table for a television; None of a game that has no picture."""
        return None

    def changes_in(self) -> float | None:
        """Return the seconds until a clock of the table shows another number; None without a running clock."""
        return next_change(self.at, self.now())

    def drawn(self, canvas: Canvas) -> None:
        super().drawn(canvas)
        # Where there is no log, notices cover the first row, which is as wide as the board.
        if canvas.log is None and canvas.width != self._drawn_columns:
            self.post_message(self.LogChanged())
        self._drawn_columns = canvas.width

    @property
    def notice_area(self) -> Area | None:
        """The cells of the page that a notice may cover: the log; the row of the game's name where there is none."""
        if not self.is_attached:
            return None
        widget = self._find_log()
        x, y, width, height = widget.log_area or (0, 0, self.region.width, 1)
        return widget.region.x + x, widget.region.y + y, width, height

    @property
    def notice_ends(self) -> tuple[int, ...]:
        """The heights of a notice that leave whole entries of the log below it."""
        return self._find_log().log_ends if self.is_attached else ()

    def _find_log(self) -> CanvasWidget:
        """Return the widget that draws the log: the board, or the column of a wide screen."""
        columns = () if self.shows_log else self.screen.query(".log-column").results(CanvasWidget)
        return next((column for column in columns if column.log_area is not None), self)

    @property
    def meaning(self) -> Hashable:
        """The effect of keys now: the user's next move, nothing, or only the pace of a story."""
        at = self.at
        # A server may send fewer counts than there are seats.
        mine = None if at.seat is None else (at.my_turn, at.played[at.seat] if at.seat < len(at.played) else 0)
        return at.id, mine, self.animating

    def decide_move(self, move: Any) -> None:
        """Play a move; a costly one only if it is chosen twice, where the user wants to be asked."""
        guarded = self.warns and cast("Shell", self.app).preferences.guard
        why = self.explain_cost(move) if guarded else None
        doubted = None if why is None else (move, self.meaning)
        if why is not None and self._doubted != doubted:
            self._doubted = doubted
            self.post_message(self.Doubted(why))
        else:
            self.play_move(move)

    def play_move(self, move: Any) -> None:
        self._doubted = None
        self.post_message(self.Play(move, self.meaning))

    def handle_click(self, target: Target) -> None:
        """Carry out a click, unless the board only shows, as in a replay."""
        if self.can_focus:
            self.choose_target(target)

    def choose_target(self, target: Target) -> None:
        """Carry out a click on a target of the board, as its keys do: select, and play what is selected."""

    def explain_cost(self, move: Any) -> Phrase | None:  # noqa: ARG002 - a board knows its game
        """Return why a move clearly costs a lot, by what the user's View shows; None for all others."""
        return None

    @property
    def status(self) -> BoardStatus:
        """Clocks, a pause and the point of view, as they are now."""
        return BoardStatus.of_table(self.at, self.now())

    @property
    def animating(self) -> bool:
        """Whether a story is shown; later events wait."""
        return False

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Name keys that matter just now, as (key, word)."""
        return ()

    @property
    def where(self) -> str:
        """The place of the registry whose keys count now."""
        return "story" if self.animating else "play"

    @property
    def waits(self) -> bool:
        """Whether the user plays and waits for the moves of others."""
        at = self.at
        return at.seat is not None and at.result is None and not (at.my_turn or at.info.paused or self.animating)

    @property
    def own_actions(self) -> Sequence[Action]:
        """The keys of this game that count now: none during a story, while others move none of the user's move."""
        if self.animating:
            return ()
        return self.ACTIONS if self.at.my_turn else [action for action in self.ACTIONS if action.id not in self.IDLE]

    @property
    def page(self) -> str:
        """The page of the rules that fits the moment."""
        return rules_page_of(self.at)

    @staticmethod
    def list_parts(view: Any) -> Parts:  # noqa: ARG004 - most games are of one part
        """Find the points of the cycles or rounds that a finished game had; none where it had no parts."""
        return Parts(Phrase(""), ())

    @staticmethod
    def make_course(turns: Turns, seats: int, seat: Seat | None) -> Course:  # noqa: ARG004 - other games have none
        """Find the course of a finished game in the facts of its moves, and the costliest one of a seat."""
        return Course()

    @property
    def shows_log(self) -> bool:
        """Whether the board draws the log: a wide screen shows it in a column of its own."""
        return not (self.is_attached and self.screen.has_class(COLUMN))

    @property
    def compact(self) -> bool:
        """Whether small cards leave more rows to the log of the board, as the user wants it."""
        app: object = self.app if self.is_attached else None
        return isinstance(app, HasPreferences) and self.shows_log and app.preferences.density == "compact"

    def past_phrases(self) -> list[Phrase]:
        """Return the sentences of the log up to the event that is shown now."""
        return [line.phrase for line in self.at.log]

    def show_table(self, at: AtTable) -> None:
        """Show a table afresh, without a story."""
        self.at = at
        self.repaint()

    def show_event(self, change: EventApplied) -> None:
        """Show an event of the table."""
        raise NotImplementedError

    def show_opening(self, opening: Sequence[EventApplied]) -> None:
        """Show how the game began, and the moves before there was a board."""
