"""The board of Chilli Chase as a widget: keys go to the picker, typing to the formula, events to the story.

On a television it shows the running total, everybody's Chilli Score and points.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Key

from scoville_client.i18n.language import render
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import ENDS, MOVES, STORY
from scoville_client.tui.boards.chilli_chase import layout, story, words
from scoville_client.tui.boards.chilli_chase.picker import Picker, Wanted
from scoville_client.tui.boards.chilli_chase.scene import Frame, Scene
from scoville_client.tui.boards.chilli_chase.selection import Selection, Typed
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.boards.television import BigCard, BigSeat, Picture
from scoville_client.tui.drawing.canvas import Canvas, Target
from scoville_client.tui.drawing.status import mark_of, marks
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import write_signed
from scoville_shared.games.chilli_chase.state import KEEP, Move, Play, View
from scoville_shared.ids import Seat

_ASIDES = 2


def make_picture(scene: Scene) -> Picture:
    """Return what the television shows of a scene."""
    board = scene.board
    said = Phrase("The game is over.") if board.over else words.plays(scene.view)
    return Picture(
        GAME.info.title,
        [_seat_row(scene, Seat(seat)) for seat in range(len(board.scores))],
        " ".join(scene.captions) or scene.say(said),
        scene.say(words.turn(board)),
        _middle_cards(scene),
        asides=[scene.say(words.piles(board)), *scene.log[-_ASIDES:]],
        heads=(scene.say(words.SCORE), scene.say(words.target(board))),
        paused=scene.status.paused,
    )


def _middle_cards(scene: Scene) -> list[BigCard]:
    """Show the total with its formula; nothing while the dice are rolled."""
    frame = scene.frame
    if frame is not None and frame.rolled is not None and len(frame.rolled) < len(scene.board.scores):
        return []
    style = "caption" if frame is None or frame.hit is None else "selected"
    return [BigCard(scene.board.total, style, framed=False, word=scene.how.formula if scene.how else "")]


def _seat_row(scene: Scene, seat: Seat) -> BigSeat:
    board, frame = scene.board, scene.frame
    hit = frame is not None and frame.hit == seat
    rolling = frame is not None and frame.rolled is not None
    score = "" if frame is not None and frame.rolled is not None and seat not in frame.rolled else board.scores[seat]
    note = "   ".join(filter(None, (mark_of(scene.marks, seat), scene.status.time(seat).text)))
    return BigSeat(
        scene.name_of(seat),
        str(board.points[seat]),
        score if isinstance(score, str) else write_signed(score),
        "rim",
        f"{note}   +1".strip() if hit else note,
        leads=hit or (seat == board.mover and not board.over and not rolling),
    )


_LINES = 40


class ChilliChaseBoard(StoryBoard[Frame]):
    """Shows a View of Chilli Chase, and the turns of the others as stories."""

    ACTIONS = (
        *MOVES,
        Action("up", "up", "↑ ↓", "result", "Select the result above or below.", shown=False),
        Action("down", "down", "↓", "result", "Select the result below.", shown=False),
        Action("type", "", "0-9", "number", "Type a card, a formula such as 8+3, or a new Chilli Score.", shown=False),
        *ENDS,
        *STORY,
        Action("keep", "k", "k", "keep", "Keep your Chilli Score.", shown=False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("play", ACTIONS)]
    make_course = staticmethod(story.make_course)

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(at, pace)
        self.selection = Selection()
        self.adopt_table()

    def opening_frames(self, dealt: View) -> Sequence[Frame]:
        """Return the frames of the dice and the opening card."""
        return story.opening_frames(dealt)

    @property
    def view(self) -> View:
        """The current View of the seat."""
        assert isinstance(self.at.view, View), "a board is shown once the game has begun"
        return self.at.view

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of a story, of choosing a result or of choosing a Chilli Score."""
        if self.animating:
            return self.story_keys
        return tuple((render(key), render(word)) for key, word in words.keys(self.view.board, mine=self.at.my_turn))

    @property
    def page(self) -> str:
        """The page of the rules about the story, or about the choice."""
        if self.frame is None:
            return super().page
        return "setup" if self.frame.rolled is not None else "turn" if self.frame.hit is None else "hit"

    def frames_of(self, change: EventApplied) -> Sequence[Frame]:
        if change.before is None:
            return []
        how = story.last_called([line for line in self.at.log if line.seq < change.event.seq])
        animate = story.summarize_event if self.calm else story.animate_event
        return animate(change.before, change.facts, how, watched=self.at.seat is None)

    def scene(self) -> Scene:
        """Return the scene to draw."""
        return Scene(
            view=self.view,
            names=self.at.names,
            marks=marks(self.at),
            log=self.caption_lines(_LINES),
            called=story.last_called(self.at.log),
            picker=self.selection.picker,
            wanted=self.selection.wanted.number,
            prompt=self._make_prompt(),
            wrong=self.selection.wrong is not None,
            ahead=self.selection.ahead,
            frame=self.frame,
            status=self.status,
            compact=self.compact,
            chances={} if self.animating else self.chances,
            progress=self.progress,
        )

    def draw_table(self, width: int, height: int) -> Canvas:
        return layout.draw_table(self.scene(), width, height)

    def make_picture(self) -> Picture:
        return make_picture(self.scene())

    def _make_prompt(self) -> str:
        short = self.size.width < layout.WIDE[0]
        text, phrase = self.selection.make_prompt(self.view, short=short, status=self.status)
        return (f"{text}_  " if text else "") + render(phrase, self.at.names)

    # --- what is chosen ---------------------------------------------------------------------------------

    def adopt_table(self) -> None:
        """Adopt the user's hand, and forget what was chosen on another total."""
        self.selection.adopt_view(self.view)

    def _is_choosing_score(self) -> bool:
        return self._may_choose() and self.view.board.choosing

    def _may_choose(self) -> bool:
        return self.at.my_turn and not self.animating

    def _pick_card(self, picker: Picker) -> None:
        """Select a card and a result; before the user's turn a card, which stays selected until then."""
        if self.waits or (self._may_choose() and not self.view.board.choosing):
            self.selection.pick_card(picker, ahead=self.waits)
            self.repaint()

    def _want_score(self, wanted: Wanted) -> None:
        self.selection.want_score(wanted)
        self.repaint()

    def _type_text(self, text: Typed) -> None:
        self.selection.type_text(text, self.view)
        self.repaint()

    def choose_target(self, target: Target) -> None:
        """Select a card, a result or a Chilli Score; play the result, and take the score, that is selected."""
        if target in (self.selection.picker, self.selection.wanted):
            self.action_play()
        elif isinstance(target, Picker):
            self._pick_card(target)
        elif isinstance(target, Wanted) and self._is_choosing_score():
            self._want_score(target)

    # --- keys -------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        """Take the characters of a card, a formula or a Chilli Score."""
        char = event.character
        if char is None or not self._may_choose():
            return
        wanted, typed, board = self.selection.wanted, self.selection.typed, self.view.board
        if board.choosing and wanted.takes_char(char):
            event.stop()
            self._want_score(wanted.with_char(char))
        elif not board.choosing and typed.takes_char(char):
            event.stop()
            self._type_text(typed.with_char(char, board.total))

    def action_left(self) -> None:
        self._step_selection(-1)

    def action_right(self) -> None:
        self._step_selection(1)

    def action_up(self) -> None:
        self._step_selection(1) if self._is_choosing_score() else self._pick_card(self.selection.picker.moved_along(-1))

    def action_down(self) -> None:
        self._step_selection(-1) if self._is_choosing_score() else self._pick_card(self.selection.picker.moved_along(1))

    def action_first(self) -> None:
        self._pick_card(self.selection.picker.moved_across(-len(self.selection.picker.columns)))

    def action_last(self) -> None:
        self._pick_card(self.selection.picker.moved_across(len(self.selection.picker.columns)))

    def action_erase(self) -> None:
        if self._is_choosing_score():
            self._want_score(self.selection.wanted.without_last())
        elif self._may_choose():
            self._type_text(self.selection.typed.without_last())

    def action_keep(self) -> None:
        if self._is_choosing_score():
            self.decide_move(KEEP)

    def explain_cost(self, move: Move) -> Phrase | None:
        """Return why a result costs a lot: somebody else gets a point."""
        return words.costly(self.view, move) if isinstance(move, Play) else None

    def action_play(self) -> None:
        if self.animating:
            self.show_next_frame()
        elif self.at.my_turn:
            decided = self.selection.chosen_move(self.view)
            if isinstance(decided, Refusal | Phrase):
                self.selection.wrong = (
                    self.at.game.text.describe_refusal(decided) if isinstance(decided, Refusal) else decided
                )
                self.repaint()
            else:
                self.decide_move(decided)

    def forget_input(self) -> bool:
        """Forget what was typed so far, or picked before the turn."""
        forgotten = self.selection.forget_input()
        self.repaint()
        return forgotten

    def _step_selection(self, steps: int) -> None:
        if self._is_choosing_score():
            self._want_score(self.selection.wanted.stepped_by(self.view.board, steps))
        else:
            self._pick_card(self.selection.picker.moved_across(steps))


BOARD = ChilliChaseBoard
