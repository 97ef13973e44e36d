"""Base of the boards of our own games: a board draws the scene of the moment, and tells events as stories."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypedDict, TypeVar

from scoville_client.session.changes import EventApplied
from scoville_client.tui.boards.picture import BigMove, Picture
from scoville_client.tui.boards.scene import Scene, Step
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.chances import Chance
from scoville_client.tui.drawing.status import BoardStatus, mark_seats
from scoville_shared.engine.phrases import Phrase, Who

F = TypeVar("F", bound=Step)


_MOST_MOVES = 8
"""Moves of a picture; no television has room for more."""


def mover_of(phrase: Phrase, names: Sequence[str]) -> str:
    """Return the name of the player whom a line of the log is about; empty where it is about no seat of the table."""
    who = phrase.fields.get("who")
    return names[who.seat] if isinstance(who, Who) and who.seat < len(names) else ""


class SceneParts(TypedDict, Generic[F]):
    """The fields of a scene that no game has of its own."""

    names: Sequence[str]
    marks: Sequence[str]
    frame: F | None
    status: BoardStatus
    compact: bool
    chances: Mapping[Hashable, Chance]
    progress: float


class TableBoard(StoryBoard[F], Generic[F]):
    """Draws the scene: with `draw_scene` on a table, with `picture_scene` on a television."""

    LOG_LINES: ClassVar[int] = 40
    """Lines of the log in a scene; the log of no board has more rows."""

    @property
    def view(self) -> Any:
        """The current View of the seat."""
        assert self.at.view is not None, "a board is shown once the game has begun"
        return self.at.view

    def scene(self) -> Scene[Any, F]:
        """Return the scene to draw."""
        raise NotImplementedError

    @staticmethod
    def draw_scene(scene: Any, width: int, height: int) -> Canvas:
        """Draw a scene in `width` x `height` cells."""
        raise NotImplementedError

    @staticmethod
    def picture_scene(scene: Any) -> Picture:
        """Return the television's picture of a scene."""
        raise NotImplementedError

    @staticmethod
    def picture_move(phrase: Phrase, names: Sequence[str]) -> BigMove | None:
        """Return a line of the log as a move for the television; None for a line that tells no move."""
        raise NotImplementedError

    def animate_change(self, before: Any, change: EventApplied) -> Sequence[F]:
        """Return the frames of an event, from the View before it."""
        raise NotImplementedError

    def summarize_change(self, before: Any, change: EventApplied) -> Sequence[F]:
        """Return as few frames of an event as possible."""
        raise NotImplementedError

    def frames_of(self, change: EventApplied) -> Sequence[F]:
        if change.before is None:  # before the deal nothing is on the table
            return ()
        # Asked at each event: the user may switch motion off in the middle of a game.
        tell = self.summarize_change if self.calm else self.animate_change
        return tell(change.before, change)

    def scene_parts(self) -> SceneParts[F]:
        """Return the fields that every scene has."""
        return {
            "names": self.at.names,
            "marks": mark_seats(self.at),
            "frame": self.frame,
            "status": self.status,
            "compact": self.compact,
            # The bars are about the decision that comes after the story.
            "chances": {} if self.animating else self.chances,
            "progress": self.progress,
        }

    def draw_table(self, width: int, height: int) -> Canvas:
        return self.draw_scene(self.scene(), width, height)

    def make_picture(self) -> Picture:
        told = (self.picture_move(phrase, self.at.names) for phrase in self.past_phrases()[-self.LOG_LINES :])
        moves = [move for move in told if move is not None]
        return self.picture_scene(self.scene())._replace(moves=moves[-_MOST_MOVES:])
