"""Base of boards with stories: an event is shown frame by frame, paced and skippable, and later events wait."""

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from textual.actions import SkipAction
from textual.events import Key
from textual.widget import Widget

from scoville_client.i18n.language import current_language, render, tr
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.points import CONTRADICTIONS
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.motion import SECONDS, STEPS, Motion
from scoville_client.tui.boards.scene import Step
from scoville_client.tui.drawing.canvas import Run, Target
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Started

F = TypeVar("F", bound=Step)
_NEXT: Target = "next step"


class NumberedFrame(NamedTuple, Generic[F]):
    """A frame, and the number of its event."""

    seq: int
    frame: F


class Story(Generic[F]):
    """The frames that a widget has yet to show, the first of them now; `show_next` runs when its time is over.

    A frame stays for its number of steps, each `pace` seconds long, and may move for a part of that time.
    """

    def __init__(
        self, widget: Widget, pace: float, repaint: Callable[[], object], show_next: Callable[[], object]
    ) -> None:
        self._widget = widget
        self._pace = pace
        self._show_next = show_next
        self._frames: deque[NumberedFrame[F]] = deque()
        self._timer: Alarm | None = None
        self._motion = Motion(widget, repaint)

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def first(self) -> NumberedFrame[F] | None:
        """The frame that is shown now, None while there is no story."""
        return self._frames[0] if self._frames else None

    @property
    def progress(self) -> float:
        """How much of the motion of the frame is over, from 0 to 1."""
        return self._motion.progress

    def add_frames(self, frames: Sequence[F], seq: int, *, still: bool) -> bool:
        """Add the frames of event `seq` behind those before it; return whether they are shown at once."""
        begins = not self._frames
        self._frames.extend(NumberedFrame(seq, frame) for frame in frames)
        if begins:
            self._start_timer(still=still)
        return begins

    def drop_frame(self, *, still: bool) -> None:
        """End the frame that is shown; the next one begins."""
        self.stop_timers()
        self._frames.popleft()
        if self._frames:
            self._start_timer(still=still)

    def drop_all(self) -> None:
        """End the story."""
        self.stop_timers()
        self._frames.clear()

    def end_motion(self) -> bool:
        """Go to the end of the frame's motion; return whether something moved."""
        moved = self._motion.running
        self._motion.stop()
        return moved

    def stop_timers(self) -> None:
        """Stop the timers that would change the frame; the frames stay."""
        self._motion.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_timer(self, *, still: bool) -> None:
        frame = self._frames[0].frame
        seconds = self._pace * frame.steps
        self._timer = call_after(self._widget, seconds, self._show_next)
        # A motion that fills the whole time of its frame would leave none to read its result.
        if not still and seconds > STEPS * SECONDS and frame.moves:
            self._motion.start()


class RenderedLog:
    """The lines of a log that are shown, as text: each frame of a story shows most of them again."""

    def __init__(self) -> None:
        self._spoken: Hashable = None
        self._texts: dict[int, tuple[Phrase, str]] = {}

    def render_phrases(self, phrases: Sequence[Phrase], names: Sequence[str]) -> list[str]:
        """Return phrases as text; those that the last call has rendered are not rendered again."""
        spoken = (tuple(names), current_language())
        if spoken != self._spoken:
            self._spoken, self._texts = spoken, {}
        # By identity, since their fields cannot be hashed; the phrases are kept, so that none takes another's place.
        known = self._texts
        shown = [known.get(id(phrase)) or (phrase, render(phrase, names)) for phrase in phrases]
        self._texts = {id(entry[0]): entry for entry in shown}
        return [text for _, text in shown]


class StoryBoard(Board, Generic[F]):
    """Plays the frames of an event; `calm` asks for as few of them as possible."""

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(at, pace)
        self.calm = False
        self._rendered = RenderedLog()
        self.story: Story[F] = Story(self, pace, self.repaint, self.show_next_frame)

    @property
    def progress(self) -> float:
        """How much of the motion of the frame is over, from 0 to 1."""
        return self.story.progress

    def on_key(self, event: Key) -> None:  # noqa: ARG002 - any key
        # Boards have handlers of their own, and none calls this one: Textual calls those of every class.
        if self.story.end_motion():
            self.repaint()

    def frames_of(self, change: EventApplied) -> Sequence[F]:
        """Return the frames of an event; none for an event without a story."""
        raise NotImplementedError

    def opening_frames(self, dealt: Any) -> Sequence[F]:  # noqa: ARG002 - most games begin without a story
        """Return the frames of a game's start, from the View right after the deal."""
        return ()

    @property
    def story_keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of a story with their words, for the line of keys."""
        return (tr("Enter"), tr("next step")), (tr("Esc"), tr("skip"))

    def forget_input(self) -> bool:
        """Forget the typed text; returns whether anything was."""
        return False

    def adopt_table(self) -> None:
        """Adopt the table as it is now, at the end of a story."""

    @property
    def animating(self) -> bool:
        return len(self.story) > 0

    @property
    def frame(self) -> F | None:
        """The frame that is shown, None while the table is shown as it is."""
        return self.story.first.frame if self.story.first else None

    def past_phrases(self) -> list[Phrase]:
        shown = self.story.first
        return [line.phrase for line in self.at.log if shown is None or line.seq < shown.seq]

    def caption_lines(self, most: int, untold: frozenset[str] = frozenset()) -> list[str]:
        """Return the last `most` lines of the log up to the event that is shown now, without those in `untold`.

        None where the log is shown beside the board.
        """
        if not self.shows_log:
            return []
        phrases = [phrase for phrase in self.past_phrases() if phrase.text not in untold]
        return self.render_log(phrases[-most:])

    def render_log(self, phrases: Sequence[Phrase]) -> list[str]:
        """Return lines of the log as text."""
        return self._rendered.render_phrases(phrases, self.at.names)

    def show_table(self, at: AtTable) -> None:
        """Show a table again; an animation of the same table continues, since it ends with the current state."""
        if at is self.at and self.animating:
            self.show_change()
            return
        self.at = at
        self.skip_story()

    def show_event(self, change: EventApplied) -> None:
        """Show an event as a story; one without frames is shown at once, or after the current story."""
        frames = self._checked_frames(change) if self.pace else ()
        if frames:
            self.begin_story(frames, change.event.seq)
        elif not self.animating:
            self.skip_story()
        else:
            self.repaint()

    def show_opening(self, opening: Sequence[EventApplied]) -> None:
        """Begin with the story of the start and of the moves since: the first picture shows nothing of later."""
        for change in opening if self.pace else ():
            frames = self._checked_frames(change)
            if frames:
                self.begin_story(frames, change.event.seq)

    def _checked_frames(self, change: EventApplied) -> Sequence[F]:
        """Return the frames of an event; none if its facts contradict its Views, as a hostile server's may."""
        try:
            return self.opening_frames(change.after) if isinstance(change.event, Started) else self.frames_of(change)
        except CONTRADICTIONS:
            return ()

    def _draw_runs(self) -> list[tuple[Run, ...]]:
        """Draw a frame; if its facts contradict the table, draw the table as it is instead."""
        try:
            return super()._draw_runs()
        except CONTRADICTIONS:
            if not self.animating:
                raise
            self.story.drop_all()
            self.adopt_table()
            return super()._draw_runs()

    def begin_story(self, frames: Sequence[F], seq: int) -> None:
        """Start the story of event `seq`, after those before it."""
        if self.story.add_frames(frames, seq, still=self.calm):
            self.show_change()

    def show_next_frame(self) -> None:
        """Show the next frame, or the table as it is now."""
        self.story.drop_frame(still=self.calm)
        if self.animating:
            self.show_change()
        else:
            self.skip_story()

    def skip_story(self) -> None:
        """Show the table as it is now."""
        self.story.drop_all()
        self.adopt_table()
        self.show_change()

    def show_change(self) -> None:
        """Draw again, and announce that the meaning of the keys may have changed."""
        self.repaint()
        self.post_message(self.Moved())

    def action_next(self) -> None:
        if self.animating:
            self.show_next_frame()

    def action_back(self) -> None:
        """Skip the story, or forget the typed text; otherwise the screen goes back."""
        if self.animating:
            self.skip_story()
        elif not self.forget_input():
            raise SkipAction

    def target_at(self, x: int, y: int, at: float) -> Target | None:
        """Return the meaning of a click: during a story, anywhere, the next step."""
        return _NEXT if self.animating else super().target_at(x, y, at)

    def handle_click(self, target: Target) -> None:
        """Go on with the story, or carry out the click."""
        if target != _NEXT:
            super().handle_click(target)
        elif self.can_focus:
            self.action_next()

    def action_calm(self) -> None:
        self.calm = not self.calm
        self.show_change()
