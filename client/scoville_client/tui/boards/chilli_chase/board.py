"""The board of Chilli Chase as a widget: keys go to the picker, typing to the formula, events to the story.

The user's selection is a card and its result, a formula, or a new Chilli Score. On a television the board shows the
running total, the Chilli Scores and the points of all players.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import BindingType
from textual.events import Key

from scoville_client.i18n.language import render
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.log import LogEntry
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import ENDS, MOVES, STORY
from scoville_client.tui.boards.chilli_chase import layout, picker, words
from scoville_client.tui.boards.chilli_chase.picker import Picker, TypedScore, pick_from
from scoville_client.tui.boards.chilli_chase.scene import Called, Frame, Scene
from scoville_client.tui.boards.course import (
    Costly,
    Course,
    Turns,
    find_costliest,
    number_facts,
    with_points,
)
from scoville_client.tui.boards.picture import BigCard, BigLine, BigMark, BigMove, BigSeat, Picture
from scoville_client.tui.boards.table_board import TableBoard, mover_of
from scoville_client.tui.drawing.canvas import Target
from scoville_client.tui.drawing.status import BoardStatus, mark_of
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase, Who, write_signed
from scoville_shared.engine.tuples import with_item, without_item
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import write_call
from scoville_shared.games.chilli_chase.facts import (
    AnyFact,
    Drew,
    Played,
    PointScored,
    Recycled,
    ScoreChanged,
    ScoreKept,
    ScoreOffered,
)
from scoville_shared.games.chilli_chase.formula import LONGEST, SIGNS, read_formula
from scoville_shared.games.chilli_chase.state import KEEP, Board, Left, Move, Op, Play, Reason, View
from scoville_shared.ids import Seat

_DIGITS = "0123456789"


class Typed(Struct, frozen=True):
    """The characters typed since the last key that was none."""

    text: str = ""

    @property
    def is_formula(self) -> bool:
        """Whether more than digits has been typed."""
        return not all(char in _DIGITS for char in self.text)

    def takes_char(self, char: str) -> bool:
        """Whether a character belongs to the typed text rather than to the keys of the board.

        A letter begins an operation only after a number; otherwise it is a key.
        """
        if self.is_formula:
            return char.isprintable()
        sign = char.lower() in SIGNS or char == "("
        return char in _DIGITS or (sign and (bool(self.text) or not char.isalpha()))

    def with_char(self, char: str, total: int) -> "Typed":
        """Type a character: a digit continues the running total, or starts a new formula with a card."""
        joined = (self.text + char)[:LONGEST]
        if self.is_formula or char not in _DIGITS or str(abs(total)).startswith(joined):
            return Typed(joined)
        return Typed(char)

    def without_last(self) -> "Typed":
        """Erase the last character."""
        return Typed(self.text[:-1])


class Selection:
    """The `picker` of cards and results, the `typed` formula, and the `wanted` score; `wrong` refuses the last try.

    `ahead` says that the user has picked a card before their turn; it stays picked on every total until then.
    """

    def __init__(self) -> None:
        self.picker = Picker()
        self.typed = Typed()
        self.wanted = TypedScore()
        self.wrong: Phrase | None = None
        self.ahead = False
        self._view: View | None = None

    def adopt_view(self, view: View) -> None:
        """Offer the cards of a View, and forget what was chosen on another total."""
        if view != self._view:
            self._view = view
            self.picker = pick_from(view.board, view.hand, self.picker.card)
            self._clear_input()

    def forget_input(self) -> bool:
        """Forget the formula or the Chilli Score typed so far; returns whether there was one."""
        something = bool(self.typed.text or self.wanted.text or self.ahead)
        self.ahead = False
        if something:
            self._clear_input()
        return something

    def _clear_input(self) -> None:
        self.typed, self.wanted, self.wrong = Typed(), TypedScore(), None

    def pick_card(self, picker: Picker, *, ahead: bool = False) -> None:
        """Select a card and a result, perhaps ahead of the user's turn."""
        self.picker, self.typed, self.wrong, self.ahead = picker, Typed(), None, ahead

    def want_score(self, wanted: TypedScore) -> None:
        """Select a Chilli Score."""
        self.wanted, self.wrong = wanted, None

    def type_text(self, text: Typed, view: View) -> None:
        """Adopt the typed characters: a card is selected, and so is the result of a formula that is right."""
        self.typed, self.wrong = text, None
        if text.is_formula:
            play = read_typed(text.text, view)
            # Unchosen first: a formula that is not right yet must not leave the result of the one before.
            self.picker = Picker(self.picker.columns, self.picker.column)
            if not isinstance(play, Refusal):
                self.picker = self.picker.at_play(play)
        elif text.text:
            # Cards have one digit, so a further digit is another card.
            self.picker = self.picker.at_card(int(text.text[-1]))

    def chosen_move(self, view: View) -> Move | Refusal | Phrase:
        """Return the chosen move, or why there is none."""
        if view.board.choosing:
            return picker.read_wanted(self.wanted, view) if self.wanted.text else words.WANT_FIRST
        # A digit alone has selected its card, whose result is still to be chosen.
        if self.typed.text and self.typed.text != str(self.picker.card):
            return read_typed(self.typed.text, view)
        return words.CHOOSE_FIRST if self.picker.chosen is None else self.picker.chosen.plays[0]

    def make_prompt(self, view: View, *, short: bool, status: BoardStatus) -> tuple[str, Phrase]:
        """Return the typed text, and the sentence about it: a refusal, how to type, or the usual one."""
        usual = words.write_prompt(view, self.picker.chosen, self.wanted.number, short=short, status=status)
        wrong = words.CHOOSE_FIRST_SHORT if short and self.wrong == words.CHOOSE_FIRST else self.wrong
        typing = self.typed.is_formula and self.picker.chosen is None
        text = self.wanted.text if view.board.choosing else self.typed.text
        return text, wrong or (words.TYPING if typing else usual)


def read_typed(text: str, view: View) -> Play | Refusal:
    """Read a formula; one that begins with its sign, such as `+3`, starts from the running total."""
    found = read_formula(text, view)
    if isinstance(found, Play) or found.reason is not Reason.INCOMPLETE:
        return found
    continued = read_formula(f"{view.board.total}{text}", view)
    unfinished = isinstance(continued, Refusal) and continued.reason is Reason.INCOMPLETE
    return found if unfinished else continued


_ASIDES = 2


def make_picture(scene: Scene) -> Picture:
    """Return the television's picture of a scene."""
    board = scene.board
    said = Phrase("The game is over.") if board.over else words.name_player(scene.view)
    return Picture(
        GAME.info.title,
        [_seat_row(scene, Seat(seat)) for seat in range(len(board.scores))],
        " ".join(scene.captions) or scene.say(said),
        scene.say(words.count_turn(board)),
        _middle_cards(scene),
        asides=[scene.say(words.count_piles(board)), *scene.log[-_ASIDES:]],
        heads=(scene.say(words.SCORE), scene.say(words.name_target(board))),
        goal=board.options.points,
        line=_line_of(board),
        paused=scene.status.paused,
    )


def _line_of(board: Board) -> BigLine:
    """Show the total between the Chilli Scores."""
    return BigLine([*(BigMark(score, "rim") for score in board.scores), BigMark(board.total, "caption")])


def picture_move(phrase: Phrase, names: Sequence[str]) -> BigMove | None:
    """Return a line of the log as a move for the television: the card that was played, with its formula."""
    card, formula, name = phrase.fields.get("card"), phrase.fields.get("formula"), mover_of(phrase, names)
    if not isinstance(card, int) or not isinstance(formula, str) or not name:
        return None
    return BigMove(name, str(card), formula, "card")


def _middle_cards(scene: Scene) -> list[BigCard]:
    """Show the total with its formula; nothing while the dice are rolled."""
    frame = scene.frame
    if frame is not None and frame.rolled is not None and len(frame.rolled) < len(scene.board.scores):
        return []
    style = "caption" if frame is None or frame.hit is None else "selected"
    return [BigCard(scene.board.total, style, word=scene.how.formula if scene.how else "")]


def _seat_row(scene: Scene, seat: Seat) -> BigSeat:
    board, frame = scene.board, scene.frame
    hit = frame is not None and frame.hit == seat
    rolling = frame is not None and frame.rolled is not None
    score = "" if frame is not None and frame.rolled is not None and seat not in frame.rolled else board.scores[seat]
    note = "   ".join(filter(None, (mark_of(scene.marks, seat), scene.status.time_of(seat).text)))
    return BigSeat(
        scene.name_of(seat),
        str(board.points[seat]),
        score if isinstance(score, str) else write_signed(score),
        "rim",
        f"{note}   +1".strip() if hit else note,
        leads=hit or (seat == board.mover and not board.over and not rolling),
    )


# --- the story of a turn ----------------------------------------------------------------------------
# Step by step: the card and its formula, who gets a point, a change of score.
# Pure: the View before and the facts go in, the frames that the board plays come out.

_ROLL_STAYS = 0.6
_POINT_STAYS = 1.5
_OPENING_STAYS = 2.0
_SEAT = Seat(0)
_TOLD = (Played, PointScored, ScoreChanged, ScoreKept, Recycled)
_KNOWN = (Played, ScoreChanged, ScoreKept)
"""Facts of the user's own moves that have no frame."""


class _StoryState(NamedTuple):
    """The state of a story between two frames."""

    board: Board
    hand: tuple[int, ...]
    called: Called | None
    hit: Seat | None = None
    before: int | None = None


def animate_event(before: View, facts: Sequence[AnyFact], how: Called | None, *, watched: bool = False) -> list[Frame]:
    """Return the frames of an event; `how` is how the total before it came about.

    Of the user's own moves it shows only the outcome, unless the user has only `watched`.
    """
    return list(_event_frames(before, facts, how, watched=watched))


def summarize_event(
    before: View, facts: Sequence[AnyFact], how: Called | None, *, watched: bool = False
) -> list[Frame]:
    """Return the last frame only."""
    return animate_event(before, facts, how, watched=watched)[-1:]


def opening_frames(view: View) -> list[Frame]:
    """Return a game's first frames: the dice, clockwise from the dealer's left (C3), and the opening card."""
    board = view.board
    seats = len(board.scores)
    order = tuple(Seat((board.dealer + place) % seats) for place in range(1, seats + 1))
    rolls = [
        Frame((words.ROLLING,), board, view.hand, rolled=order[:count], steps=_ROLL_STAYS)
        for count in range(1, seats + 1)
    ]
    return [*rolls, Frame((words.announce_beginning(board),), board, view.hand, rolled=order, steps=_OPENING_STAYS)]


def last_called(log: Sequence[LogEntry]) -> Called | None:
    """Find in the log how the total came about."""
    for line in reversed(log):
        fields = line.phrase.fields
        who, formula = fields.get("who"), fields.get("formula")
        if line.phrase.text == _PLAYED and isinstance(who, Who) and isinstance(formula, str):
            return Called(who.seat, formula)
    return None


def _event_frames(before: View, facts: Sequence[AnyFact], how: Called | None, *, watched: bool) -> Iterator[Frame]:
    now = _StoryState(before.board, before.hand, how)
    mine = before.seat == before.board.mover
    captions = []
    for fact in facts:
        now = _state_after(now, fact, mine=mine)
        phrase = GAME.text.describe_fact(fact)
        if phrase is None or not isinstance(fact, _TOLD):
            continue
        captions.append(phrase)
        if watched or not (mine and isinstance(fact, _KNOWN)):
            steps = _POINT_STAYS if isinstance(fact, PointScored) else 1.0
            came = now.before if isinstance(fact, Played) else None
            yield Frame(tuple(captions), now.board, now.hand, now.called, now.hit, steps=steps, before=came)


def _state_after(now: _StoryState, fact: AnyFact, *, mine: bool) -> _StoryState:
    board = now.board
    match fact:
        case Played():
            return _state_after_card(now, fact, mine=mine)
        case PointScored(seat=seat, points=points):
            return now._replace(board=replace(board, points=with_item(board.points, seat, points)), hit=seat)
        case ScoreOffered():
            return now._replace(board=replace(board, choosing=True))
        case ScoreChanged(seat=seat, new=new):
            return now._replace(board=replace(board, choosing=False, scores=with_item(board.scores, seat, new)))
        case Recycled(count=count):
            return now._replace(board=replace(board, hot=board.hot[-1:], deck=count))
        case Drew(left=left):
            return now._replace(board=replace(board, deck=left))
        case _:
            return now


def _state_after_card(now: _StoryState, fact: Played, *, mine: bool) -> _StoryState:
    formula = write_call(Play(fact.card, fact.op, fact.left), fact.before, fact.total)
    board = replace(now.board, total=fact.total, hot=(*now.board.hot, fact.card))
    hand = without_item(now.hand, fact.card) if mine else now.hand
    return _StoryState(board, hand, Called(fact.seat, formula), before=fact.before)


def _text_of(fact: AnyFact) -> str:
    phrase = GAME.text.describe_fact(fact)
    assert phrase is not None, "the log has this fact"
    return phrase.text


_PLAYED = _text_of(Played(_SEAT, 1, Op.PLUS, Left.TOTAL, 1, 2))


def make_course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each card, and the user's last card that made a point for another player."""
    return Course(list(_points_by_step(turns, seats)), find_costliest(_points_given(turns, seat)))


def _points_by_step(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    points: tuple[int, ...] = (0,) * seats
    yield points
    for facts in turns:
        for fact in facts:
            if isinstance(fact, PointScored):
                points = with_points(points, fact.seat, fact.points)
        if any(isinstance(fact, Played) for fact in facts):
            yield points


def _points_given(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    for number, fact in number_facts(turns):
        if isinstance(fact, PointScored) and fact.by == seat != fact.seat:
            yield Costly(number, 1, _GIVEN.with_fields({"who": Who(fact.seat), "n": fact.points}, fact.points))


_GIVEN = Phrase(
    "you hit the Chilli Score of {who}, who then had {n} point.",
    many="you hit the Chilli Score of {who}, who then had {n} points.",
)


# --- the board --------------------------------------------------------------------------------------


class ChilliChaseBoard(TableBoard[Frame]):
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
    draw_scene = staticmethod(layout.draw_table)
    picture_scene = staticmethod(make_picture)
    picture_move = staticmethod(picture_move)
    make_course = staticmethod(make_course)

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(at, pace)
        self.selection = Selection()
        self.adopt_table()

    def opening_frames(self, dealt: View) -> Sequence[Frame]:
        """Return the frames of the dice and the opening card."""
        return opening_frames(dealt)

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of a story, of choosing a result or of choosing a Chilli Score."""
        if self.animating:
            return self.story_keys
        return tuple(
            (render(key), render(word)) for key, word in words.name_keys(self.view.board, mine=self.at.my_turn)
        )

    @property
    def page(self) -> str:
        """The page of the rules about the story, or about the choice."""
        if self.frame is None:
            return super().page
        return "setup" if self.frame.rolled is not None else "turn" if self.frame.hit is None else "hit"

    def animate_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return animate_event(before, change.facts, self._called_before(change), watched=self.at.seat is None)

    def summarize_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return summarize_event(before, change.facts, self._called_before(change), watched=self.at.seat is None)

    def _called_before(self, change: EventApplied) -> Called | None:
        return last_called([line for line in self.at.log if line.seq < change.event.seq])

    def scene(self) -> Scene:
        return Scene(
            view=self.view,
            log=self.caption_lines(self.LOG_LINES),
            called=last_called(self.at.log),
            picker=self.selection.picker,
            wanted=self.selection.wanted.number,
            prompt=self._make_prompt(),
            wrong=self.selection.wrong is not None,
            ahead=self.selection.ahead,
            **self.scene_parts(),
        )

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

    def _want_score(self, wanted: TypedScore) -> None:
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
        elif isinstance(target, TypedScore) and self._is_choosing_score():
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

    # Numbers grow to the right and upwards, but the next result of a card stands below.
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
        """Return why a result costs a lot: another player gets a point."""
        return words.warn_of_cost(self.view, move) if isinstance(move, Play) else None

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
        """Forget the text typed so far, and the pick from before the turn."""
        forgotten = self.selection.forget_input()
        self.repaint()
        return forgotten

    def _step_selection(self, steps: int) -> None:
        if self._is_choosing_score():
            self._want_score(self.selection.wanted.stepped_by(self.view.board, steps))
        else:
            self._pick_card(self.selection.picker.moved_across(steps))


BOARD = ChilliChaseBoard
