"""The board of Dicht dran as a widget: keys go to the picker, events to the story, both to the layout."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Key

from scoville_client.i18n.language import render, tr
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import CARDS, STORY
from scoville_client.tui.boards.board import Parts
from scoville_client.tui.boards.dicht_dran import big, layout, story
from scoville_client.tui.boards.dicht_dran.scene import Frame, Picker, Scene
from scoville_client.tui.boards.dicht_dran.words import costly, prompt
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.boards.television import Picture
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.status import marks
from scoville_client.tui.drawing.targets import Target
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import Chosen, TookBack
from scoville_shared.games.dicht_dran.prospects import find_closest
from scoville_shared.games.dicht_dran.state import PLAYS, TAKE_BACK, Move, Play, View
from scoville_shared.ids import Seat

_LINES = 40
_SEAT = Seat(0)
_CHATTER = frozenset(
    phrase.text for fact in (Chosen(_SEAT), TookBack(_SEAT)) if (phrase := GAME.text.describe_fact(fact)) is not None
)
"""What the seats' own rows show already, and a story can do without."""


class DichtDranBoard(StoryBoard[Frame]):
    """Shows a View of Dicht dran; a story is played frame by frame, and later events wait behind it."""

    ACTIONS = (
        *CARDS,
        *STORY,
        Action("take_back", "u", "u", "take back", "Take back your choice, if the table allows it.", shown=False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("play", ACTIONS)]
    IDLE = frozenset({"play", "left"})
    make_course = staticmethod(story.make_course)

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(at, pace)
        self.picker = Picker()
        self.adopt_table()

    # --- what is shown ----------------------------------------------------------------------------------

    @staticmethod
    def list_parts(view: View) -> Parts:
        return Parts(Phrase("Cycle"), view.board.cycles)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        if self.animating:
            return self.story_keys
        if self.at.view is not None and self.at.view.pick is not None and self.at.seat is not None:
            return (("u", tr("take back")),) if self.at.view.take_backs else ()
        return (("← → 0-9", tr("card")),) if self.at.my_turn else ()

    @property
    def page(self) -> str:
        """The page of the rules about the action that is shown, or about the choice."""
        if self.frame is None:
            return super().page
        return "cycle" if self.frame.scored else ("cycle", "choose", "win", "gap", "pay")[self.frame.action]

    def frames_of(self, change: EventApplied) -> Sequence[Frame]:
        """Return the frames of a round; single choices have no story."""
        if change.before is None:
            return []
        return (
            story.summarize_event(change.before, change.facts)
            if self.calm
            else story.animate_event(change.before, change.facts)
        )

    def scene(self) -> Scene:
        """Return the scene to draw."""
        assert self.at.view is not None, "a board is shown once the game has begun"
        frame = self.frame
        return Scene(
            view=self.at.view,
            names=self.at.names,
            marks=marks(self.at),
            log=self.caption_lines(_LINES, untold=_CHATTER),
            selected=None if frame or self.at.seat is None else self.picker.selected,
            prompt="" if frame else self._make_prompt(),
            frame=frame,
            status=self.status,
            compact=self.compact,
            chances={} if self.animating else self.chances,
            progress=self.progress,
        )

    def draw_table(self, width: int, height: int) -> Canvas:
        return layout.draw_table(self.scene(), width, height)

    def make_picture(self) -> Picture:
        return big.make_picture(self.scene())

    # --- my hand ----------------------------------------------------------------------------------------

    def adopt_table(self) -> None:
        view = self.at.view
        if view is not None:
            self.picker = self.picker.with_hand(view.hand, find_closest(view.board, view.hand))

    def _use_picker(self, picker: Picker) -> None:
        if self.animating or not self.at.my_turn:
            return
        self.picker = picker
        self.repaint()

    def _make_prompt(self) -> str:
        short = self.size.width < layout.WIDE[0]
        asked = prompt(self.at.view, self.picker.selected, short=short, status=self.status)
        sentence = render(asked, self.at.names)
        return f"{self.picker.typed}_  {sentence}" if self.picker.typed else sentence

    # --- keys -------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        if event.character is not None and event.character in "0123456789":
            event.stop()
            self._use_picker(self.picker.with_digit(event.character))

    def action_left(self) -> None:
        self._use_picker(self.picker.moved_by(-1))

    def action_right(self) -> None:
        self._use_picker(self.picker.moved_by(1))

    def action_first(self) -> None:
        self._use_picker(self.picker.moved_by(-len(self.picker.hand)))

    def action_last(self) -> None:
        self._use_picker(self.picker.moved_by(len(self.picker.hand)))

    def action_erase(self) -> None:
        self._use_picker(self.picker.without_digit())

    def action_play(self) -> None:
        if self.animating:
            self.show_next_frame()
        elif self.at.my_turn and self.picker.selected is not None:
            self.decide_move(PLAYS[self.picker.selected])

    def choose_target(self, target: Target) -> None:
        """Select a card, play the selected one, take back the one that was played."""
        view = self.at.view
        if view is not None and view.pick is not None:
            if target == view.pick:
                self.action_take_back()
        elif target == self.picker.selected:
            self.action_play()
        elif isinstance(target, int):
            self._use_picker(self.picker.at_card(target))

    def explain_cost(self, move: Move) -> Phrase | None:
        """Return why a card costs a lot: another one would be discarded for free."""
        return costly(self.at.view, move.card) if isinstance(move, Play) else None

    def action_take_back(self) -> None:
        if TAKE_BACK in self.at.legal_moves():
            self.decide_move(TAKE_BACK)

    def forget_input(self) -> bool:
        typed = bool(self.picker.typed)
        if typed:
            self._use_picker(self.picker.without_digits())
        return typed


BOARD = DichtDranBoard
