"""The board of Dicht dran as a widget: keys go to the picker, events to the story, both to the layout."""

from collections import deque
from collections.abc import Sequence
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import BindingType
from textual.events import Key
from textual.timer import Timer

from scoville_client.actions import bindings
from scoville_client.boards.board import Board
from scoville_client.boards.canvas import Canvas
from scoville_client.boards.dicht_dran import layout, story
from scoville_client.boards.dicht_dran.picker import Picker
from scoville_client.boards.dicht_dran.prompt import prompt
from scoville_client.boards.dicht_dran.scene import Frame, Scene
from scoville_client.boards.dicht_dran.weigh import closest
from scoville_client.changes import Happened
from scoville_client.table import AtTable
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import Chosen, TookBack
from scoville_shared.games.dicht_dran.state import PLAYS, TAKE_BACK
from scoville_shared.ids import Seat

_LINES = 40
_SEAT = Seat(0)
_CHATTER = {phrase.text for fact in (Chosen(_SEAT), TookBack(_SEAT)) if (phrase := GAME.text.fact(fact)) is not None}
"""What the seats' own rows show already, and a story can do without."""


class DichtDranBoard(Board):
    """Shows a View of Dicht dran; a story is played frame by frame, and later events wait behind it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("play")]

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(at, pace)
        self.picker = Picker()
        self.calm = False
        self._story: deque[Frame] = deque()
        self._timer: Timer | None = None
        self._told_until = 0
        self._hold()

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def telling(self) -> bool:
        """Whether a story is being told."""
        return bool(self._story)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Name the keys of a story, or the taking back of a choice."""
        if self.telling:
            return ("Enter", "next step"), ("Esc", "skip")
        if self.at.view is not None and self.at.view.pick is not None:
            return (("u", "take back"),) if self.at.view.take_backs else ()
        return (("0-9", "number"),) if self.at.my_turn else ()

    def show(self, at: AtTable) -> None:
        """Show a table afresh, without a story."""
        self.at = at
        self._end()

    def happened(self, change: Happened) -> None:
        """Tell a round's story; anything else is shown at once, behind a story that is being told."""
        frames = self._frames(change) if self.pace else []
        if not frames and not self._story:
            self._end()
        elif frames:
            self._tell(frames, change.event.seq)

    def scene(self) -> Scene:
        """Put together what is to be drawn."""
        assert self.at.view is not None, "a board is shown once the game has begun"
        frame = self._story[0] if self._story else None
        return Scene(
            view=self.at.view,
            names=self.at.names,
            log=self._log(),
            selected=None if frame else self.picker.selected,
            prompt="" if frame else self._prompt(),
            frame=frame,
        )

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the table."""
        return layout.draw(self.scene(), max(width, layout.MINIMUM[0]), max(height, layout.MINIMUM[1]))

    # --- the story --------------------------------------------------------------------------------------

    def _frames(self, change: Happened) -> Sequence[Frame]:
        if change.before is None:
            return []
        return story.sum_up(change.before, change.facts) if self.calm else story.tell(change.before, change.facts)

    def _tell(self, frames: Sequence[Frame], seq: int) -> None:
        begins = not self._story
        self._story.extend(frames)
        if begins:
            self._told_until = seq
            self._wait()
            self._changed()

    def _wait(self) -> None:
        steps = self._story[0].steps
        self._timer = self.set_timer(self.pace * steps, self._advance)

    def _advance(self) -> None:
        """Show the next frame, or the table as it is now."""
        self._stop()
        self._story.popleft()
        if self._story:
            self._wait()
            self._changed()
        else:
            self._end()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _end(self) -> None:
        self._stop()
        self._story.clear()
        self._hold()
        self._changed()

    def _changed(self) -> None:
        self.repaint()
        self.post_message(self.Moved())

    # --- my hand ----------------------------------------------------------------------------------------

    def _hold(self) -> None:
        view = self.at.view
        if view is not None:
            self.picker = self.picker.holding(view.hand, closest(view.board, view.hand))

    def _pick(self, picker: Picker) -> None:
        if self.telling or not self.at.my_turn:
            return
        self.picker = picker
        self.repaint()

    def _log(self) -> list[str]:
        lines = self.at.log
        if self.telling:
            lines = [line for line in lines if line.seq < self._told_until]
        lines = [line for line in lines if line.phrase.text not in _CHATTER]
        return [line.phrase.render(self.at.names) for line in lines[-_LINES:]]

    def _prompt(self) -> str:
        short = self.size.width < layout.WIDE[0]
        sentence = prompt(self.at.view, self.picker.selected, short=short).render(self.at.names)
        return f"{self.picker.typed}_  {sentence}" if self.picker.typed else sentence

    # --- keys -------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        """Take digits as the beginning of a card's number."""
        if event.character is not None and event.character in "0123456789":
            event.stop()
            self._pick(self.picker.with_digit(event.character))

    def action_left(self) -> None:
        """Select the card to the left."""
        self._pick(self.picker.moved(-1))

    def action_right(self) -> None:
        """Select the card to the right."""
        self._pick(self.picker.moved(1))

    def action_first(self) -> None:
        """Select the lowest card."""
        self._pick(self.picker.moved(-len(self.picker.hand)))

    def action_last(self) -> None:
        """Select the highest card."""
        self._pick(self.picker.moved(len(self.picker.hand)))

    def action_erase(self) -> None:
        """Erase the last digit."""
        self._pick(self.picker.without_digit())

    def action_play(self) -> None:
        """Go on with the story, or play the selected card."""
        if self.telling:
            self._advance()
        elif self.at.my_turn and self.picker.selected is not None:
            self.post_message(self.Play(PLAYS[self.picker.selected]))

    def action_next(self) -> None:
        """Go on with the story."""
        if self.telling:
            self._advance()

    def action_take_back(self) -> None:
        """Take the choice back where the table allows it."""
        if self.at.view is not None and self.at.view.take_backs and self.at.view.pick is not None:
            self.post_message(self.Play(TAKE_BACK))

    def action_calm(self) -> None:
        """Change between the story step by step and its end at once."""
        self.calm = not self.calm
        self._changed()

    def action_back(self) -> None:
        """Skip the story, or forget what was typed; otherwise the screen goes back."""
        if self.telling:
            self._end()
        elif self.picker.typed:
            self._pick(self.picker.cleared())
        else:
            raise SkipAction


BOARD = DichtDranBoard
