"""Base of boards with stories: an event is shown frame by frame, paced and skippable, and later events wait."""

from collections import deque
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from textual.actions import SkipAction
from textual.events import Key

from scoville_client.i18n.language import render, tr
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.motion import SECONDS, STEPS, Motion
from scoville_client.tui.boards.scene import Step
from scoville_client.tui.drawing.canvas import Run
from scoville_client.tui.drawing.targets import Target
from scoville_client.tui.widgets.timers import call_after
from scoville_runtime.clock import Alarm
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Started

F = TypeVar("F", bound=Step)
_NEXT: Target = "next step"

CONTRADICTIONS = (LookupError, ValueError, TypeError, ArithmeticError, AssertionError, RuntimeError)
"""What code that trusts facts raises when they do not fit together."""


class NumberedFrame(NamedTuple, Generic[F]):
    """A frame, and the number of its event."""

    seq: int
    frame: F


class StoryBoard(Board, Generic[F]):
    """Plays the frames of an event; `calm` asks for as few of them as possible."""

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(at, pace)
        self.calm = False
        self._story: deque[NumberedFrame[F]] = deque()
        self._timer: Alarm | None = None
        self._motion = Motion(self, self.repaint)

    @property
    def progress(self) -> float:
        """How much of the motion of the frame is over, from 0 to 1."""
        return self._motion.progress

    def on_key(self, event: Key) -> None:  # noqa: ARG002 - any key
        if self._motion.running:
            self._motion.stop()
            self.repaint()

    def frames(self, change: EventApplied) -> Sequence[F]:
        """Return the frames of an event; none for an event without a story."""
        raise NotImplementedError

    def opening_frames(self, dealt: Any) -> Sequence[F]:  # noqa: ARG002 - most games begin without a story
        """Return the frames of a game's start, from the View right after the deal."""
        return ()

    @property
    def story_keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of a story with their words, for the line of keys."""
        return (tr("Enter"), tr("next step")), (tr("Esc"), tr("skip"))

    def forget(self) -> bool:
        """Forget what has been typed; returns whether anything was."""
        return False

    def settle(self) -> None:
        """Adopt the table as it is now, at the end of a story."""

    @property
    def animating(self) -> bool:
        return bool(self._story)

    @property
    def frames_left(self) -> int:
        """How many frames wait, the one that is shown among them."""
        return len(self._story)

    @property
    def frame(self) -> F | None:
        """The frame that is shown, None while the table is shown as it is."""
        return self._story[0].frame if self._story else None

    def past(self) -> list[Phrase]:
        lines = self.at.log
        if self._story:
            lines = [line for line in lines if line.seq < self._story[0].seq]
        return [line.phrase for line in lines]

    def caption_lines(self, most: int, untold: frozenset[str] = frozenset()) -> list[str]:
        """Return the last `most` lines of the log up to the event that is shown now, without those in `untold`.

        None where the log is shown beside the board.
        """
        if not self.shows_log:
            return []
        phrases = [phrase for phrase in self.past() if phrase.text not in untold]
        return [render(phrase, self.at.names) for phrase in phrases[-most:]]

    def show(self, at: AtTable) -> None:
        """Show a table anew; an animation of the same table continues, since it ends with the current state."""
        if at is self.at and self.animating:
            self.changed()
            return
        self.at = at
        self.skip()

    def happened(self, change: EventApplied) -> None:
        """Show an event as a story; one without frames is shown at once, or after the current story."""
        frames = self._checked_frames(change) if self.pace else ()
        if frames:
            self.begin(frames, change.event.seq)
        elif not self._story:
            self.skip()
        else:
            self.repaint()

    def show_opening(self, opening: Sequence[EventApplied]) -> None:
        """Begin with the story of the start and of the moves since: the first picture shows nothing of later."""
        for change in opening if self.pace else ():
            frames = self._checked_frames(change)
            if frames:
                self.begin(frames, change.event.seq)

    def _checked_frames(self, change: EventApplied) -> Sequence[F]:
        """Return the frames of an event; none if its facts contradict its Views, as a hostile server's may."""
        try:
            return self.opening_frames(change.after) if isinstance(change.event, Started) else self.frames(change)
        except CONTRADICTIONS:
            return ()

    def _drawn(self) -> list[tuple[Run, ...]]:
        """Draw a frame; if its facts contradict the table, draw the table as it is instead."""
        try:
            return super()._drawn()
        except CONTRADICTIONS:
            if not self._story:
                raise
            self._stop()
            self._story.clear()
            self.settle()
            return super()._drawn()

    def begin(self, frames: Sequence[F], seq: int) -> None:
        """Start the story of event `seq`, after those before it."""
        begins = not self._story
        self._story.extend(NumberedFrame(seq, frame) for frame in frames)
        if begins:
            self._wait()
            self.changed()

    def advance(self) -> None:
        """Show the next frame, or the table as it is now."""
        self._stop()
        self._story.popleft()
        if self._story:
            self._wait()
            self.changed()
        else:
            self.skip()

    def skip(self) -> None:
        """Show the table as it is now."""
        self._stop()
        self._story.clear()
        self.settle()
        self.changed()

    def changed(self) -> None:
        """Draw again, and announce that the meaning of the keys may have changed."""
        self.repaint()
        self.post_message(self.Moved())

    def action_next(self) -> None:
        if self.animating:
            self.advance()

    def action_back(self) -> None:
        """Skip the story, or forget what has been typed; otherwise the screen goes back."""
        if self.animating:
            self.skip()
        elif not self.forget():
            raise SkipAction

    def target_at(self, x: int, y: int, at: float) -> Target | None:
        """Return what a click stands for: during a story, anywhere, the next step."""
        return _NEXT if self.animating else super().target_at(x, y, at)

    def clicked(self, target: Target) -> None:
        """Go on with the story, or do what was clicked."""
        if target != _NEXT:
            super().clicked(target)
        elif self.can_focus:
            self.action_next()

    def action_calm(self) -> None:
        self.calm = not self.calm
        self.changed()

    def _wait(self) -> None:
        frame = self._story[0].frame
        self._timer = call_after(self, self.pace * frame.steps, self.advance)
        if not self.calm and self.pace * frame.steps > STEPS * SECONDS and frame.moves:
            self._motion.start()

    def _stop(self) -> None:
        self._motion.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
