"""The board of No Thanks! as a widget: keys go to the choice, events to the story, both to the layout.

On a television it shows the card, the chips on it, and the cards and points of all players.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual.binding import BindingType

from scoville_client.i18n.language import tr
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import ROWS, STORY
from scoville_client.tui.boards.board import Parts
from scoville_client.tui.boards.course import Costly, Course, Turns, find_costliest, number_facts, with_points
from scoville_client.tui.boards.no_thanks import layout, words
from scoville_client.tui.boards.no_thanks.card import heat_style
from scoville_client.tui.boards.no_thanks.scene import Choice, Frame, Scene, Tally
from scoville_client.tui.boards.picture import BigCard, BigLine, BigMark, BigMove, BigSeat, Picture
from scoville_client.tui.boards.table_board import TableBoard, mover_of
from scoville_client.tui.drawing.canvas import Target
from scoville_client.tui.drawing.status import mark_of
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.engine.tuples import with_item
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import AnyFact, Passed, RoundScored, Took, TurnedUp
from scoville_shared.games.no_thanks.runs import written_run
from scoville_shared.games.no_thanks.state import CARDS, PASS, TAKE, Move, View
from scoville_shared.ids import Seat

_DECIDES = Phrase("{who} decides.")
_ASIDES = 2


def make_picture(scene: Scene) -> Picture:
    """Return the television's picture of a scene."""
    board = scene.board
    return Picture(
        words.TITLE,
        [_seat_row(scene, Seat(seat)) for seat in range(len(board.cards))],
        " ".join(scene.captions) or scene.say(_turn_phrase(scene)),
        scene.say(words.number_round(board)) if board.options.rounds > 1 else "",
        _middle_cards(scene),
        asides=[scene.say(words.count_left_in_full(board)), *scene.log[-_ASIDES:]],
        heads=(scene.say(words.CHIPS), scene.say(words.POINTS)),
        paused=scene.status.paused,
        line=_line_of(scene),
    )


def _line_of(scene: Scene) -> BigLine:
    """Show which cards players have, and the one that is offered, on the line of all cards."""
    taken = [BigMark(card, "heat3") for cards in scene.board.cards for card in cards]
    offered = [] if scene.board.card is None else [BigMark(scene.board.card, "caption")]
    return BigLine([*taken, *offered], (CARDS[0], CARDS[-1]))


def picture_move(phrase: Phrase, names: Sequence[str]) -> BigMove | None:
    """Return a line of the log as a move for the television: a card that was taken or declined."""
    card, name = phrase.fields.get("card"), mover_of(phrase, names)
    if not isinstance(card, int) or not name or "left" in phrase.fields:
        return None
    is_taken = "chips" in phrase.fields
    return BigMove(name, str(card), tr("takes it") if is_taken else tr("no thanks"),
                   heat_style(card) if is_taken else "muted")  # fmt: skip


def _turn_phrase(scene: Scene) -> Phrase:
    return words.name_turn(scene.shown) if scene.board.over else _DECIDES.with_fields({"who": Who(scene.board.mover)})


def _middle_cards(scene: Scene) -> list[BigCard]:
    """Show the card with its chips; one that has just been taken stays until the next."""
    card = scene.fresh if scene.board.card is None else scene.board.card
    if card is None:
        return []
    if scene.board.card is None:
        return [BigCard(card, heat_style(card))]
    chips = scene.say(words.count_chips(scene.board.pot))
    return [BigCard(card, heat_style(card)), BigCard(scene.board.pot, "target", framed=False, word=chips)]


def _seat_row(scene: Scene, seat: Seat) -> BigSeat:
    board, tally = scene.board, scene.frame.tally if scene.frame else None
    points, chips = board.points[seat], "" if board.chips is None else str(board.chips[seat])
    if tally is not None:
        chips = str(tally.scored.chips[seat]) if tally.chips else ""
        points = tally.scored.scores[seat] if tally.chips else tally.scored.points[seat]
    elif board.over:
        points = board.totals[seat]
    if tally is not None and tally.totals:
        points = tally.scored.totals[seat]
    runs = "  ".join(written_run(run) for run in board.list_runs(seat))
    mark = mark_of(scene.marks, seat)
    note = "   ".join(filter(None, (mark, scene.status.time_of(seat).text, runs)))
    return BigSeat(scene.name_of(seat), str(points), chips, "muted", note, leads=seat == scene.actor)


# --- the story of a decision ------------------------------------------------------------------------
# A chip goes to the pot, or the card to its taker; then the next card, or the scoring.
# Pure: the View before and the facts go in, the frames that the board plays come out.

PASS_STAYS = 0.45
TAKE_STAYS = 1.2
TURN_STAYS = 0.6
COUNT_STAYS = 2.0
SUM_STAYS = 4.0


def animate_event(before: View, facts: Sequence[AnyFact], after: View) -> Iterator[Frame]:
    """Return the frames of a decision."""
    table = before
    for fact in facts:
        match fact:
            case Passed():
                yield Frame(_caption_of(fact), after, PASS_STAYS, actor=fact.seat, word=words.PASSED, chips=1)
            case Took():
                table = _without_card(before, fact)
                word = words.name_taken_chips(fact.chips)
                caption = _caption_of(fact)
                yield Frame(caption, table, TAKE_STAYS, fact.seat, word, fresh=fact.card, chips=-fact.chips)
            case RoundScored():
                yield from _count_frames(table, fact)
            case TurnedUp():
                yield Frame(_caption_of(fact), after, TURN_STAYS, actor=fact.seat, fresh=fact.card)


def summarize_event(before: View, facts: Sequence[AnyFact]) -> Iterator[Frame]:
    """Return only the frame with a round's result."""
    table = before
    for fact in facts:
        match fact:
            case Took():
                table = _without_card(before, fact)
            case RoundScored():
                yield _total_frame(table, fact)


def _caption_of(fact: AnyFact) -> tuple[Phrase, ...]:
    return (GAME.text.describe_fact(fact),)


def _without_card(before: View, fact: Took) -> View:
    """Move the card and its chips to the taker, before the next card is turned up."""
    board = before.board
    mine = tuple(sorted((*board.cards[fact.seat], fact.card)))
    chips = board.chips and with_item(board.chips, fact.seat, board.chips[fact.seat] + fact.chips)
    own = before.chips if before.chips is None or before.seat != fact.seat else before.chips + fact.chips
    laid = replace(board, card=None, pot=0, cards=with_item(board.cards, fact.seat, mine), chips=chips)
    return replace(before, board=laid, chips=own)


def _count_frames(table: View, scored: RoundScored) -> Iterator[Frame]:
    """Count the cards, then the chips, then name the leader; the removed cards where the table shows them (B9)."""
    yield Frame((words.COUNTED,), table, COUNT_STAYS, tally=Tally(scored))
    yield Frame((words.LESS_CHIPS,), table, COUNT_STAYS, tally=Tally(scored, chips=True))
    yield _total_frame(table, scored)


def _total_frame(table: View, scored: RoundScored) -> Frame:
    out = (words.list_removed(scored),) if scored.removed else ()
    return Frame((words.name_leader(scored), *out), table, SUM_STAYS, tally=Tally(scored, chips=True, totals=True))


def make_course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each card that was taken, and the user's card that added the most, its chips deducted."""
    return Course(list(_points_by_step(turns, seats)), find_costliest(_cards_taken(turns, seat)))


def _points_by_step(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    before: tuple[int, ...] = (0,) * seats
    points = before
    yield points
    for _, fact in number_facts(turns):
        if isinstance(fact, Took):
            # On top of the rounds before: the fact counts the cards of its round alone.
            points = with_points(points, fact.seat, before[fact.seat] + fact.points)
            yield points
        elif isinstance(fact, RoundScored):
            points = before = fact.totals
            yield points


def _cards_taken(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    points = 0
    for number, fact in number_facts(turns):
        if isinstance(fact, Took) and fact.seat == seat:
            fields = {"card": fact.card, "chips": fact.chips, "points": fact.points}
            cost = fact.points - points - fact.chips
            yield Costly(number, cost, _TAKEN.with_fields(fields, fact.chips))
            points = fact.points
        elif isinstance(fact, RoundScored):
            points = 0


_TAKEN = Phrase(
    "you took the {card} and {chips} chip; your cards then counted {points}.",
    many="you took the {card} and {chips} chips; your cards then counted {points}.",
)


# --- the board --------------------------------------------------------------------------------------


class NoThanksBoard(TableBoard[Frame]):
    """Shows a View of No Thanks!; a story is played frame by frame, and later events wait behind it."""

    ACTIONS = (
        Action("accept", "t", "t", "take", "Take the card and its chips.", shown=False),
        Action("decline", "n,p", "n", "no thanks", "Pay a chip to decline the card.", shown=False),
        Action("left", "left", "← →", "mark", "Move to the previous or next answer.", shown=False),
        Action("right", "right", "→", "right", "Move to the next answer.", shown=False),
        *ROWS,
        Action("play", "enter", "Enter", "answer", "Choose the marked answer; at first to decline.", shown=False),
        *STORY,
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("play", ACTIONS)]
    DECIDES_ABOVE = True
    draw_scene = staticmethod(layout.draw_table)
    picture_scene = staticmethod(make_picture)
    picture_move = staticmethod(picture_move)
    make_course = staticmethod(make_course)

    def __init__(self, at: AtTable, pace: float) -> None:
        super().__init__(at, pace)
        self.choice = Choice()
        self._ahead: tuple[int | None, Move] | None = None
        self.adopt_table()

    # --- what is shown ----------------------------------------------------------------------------------

    @staticmethod
    def list_parts(view: View) -> Parts:
        return Parts(Phrase("Round"), view.board.rounds)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The keys of a story, or those of the legal answers: Enter is the marked one's."""
        if self.animating:
            return self.story_keys
        if self.choice.early:
            back = ((tr("Esc"), tr("take back")),) if self.choice.ahead else ()
            return (("t n", tr("answer ahead")), *back)
        named = {TAKE: ("t", tr("take")), PASS: ("n", tr("no thanks"))}
        pairs = [(move == self.choice.marked, named[move]) for move in self.choice.moves]
        return tuple((f"{tr('Enter')} {key}" if marked else key, word) for marked, (key, word) in pairs)

    @property
    def page(self) -> str:
        """The page of the rules about the story, or about the answers."""
        if self.frame is None:
            return super().page
        if self.frame.tally is not None:
            return "round"
        return "turn" if self.frame.view.board.card else "count"

    def animate_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return list(animate_event(before, change.facts, change.after))

    def summarize_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return list(summarize_event(before, change.facts))

    def scene(self) -> Scene:
        log = list(self.at.game.text.condense_log(self.past_phrases()))[-self.LOG_LINES :] if self.shows_log else []
        return Scene(
            view=self.view,
            log=self.render_log(log),
            choice=Choice() if self.animating else self.choice,
            **self.scene_parts(),
        )

    # --- my answer --------------------------------------------------------------------------------------

    def adopt_table(self) -> None:
        """Offer the moves that are legal now, and play the one that was chosen ahead for this card."""
        ahead = self._ahead[1] if self._ahead and self._ahead[0] == self.view.board.card else None
        if self.at.my_turn:
            self.choice, self._ahead = Choice.between_moves(self.at.legal_moves()), None
            # Not while the board is made: nobody would receive the message.
            if ahead in self.choice.moves and self.is_attached:
                self.play_move(ahead)
        elif self.at.seat is None or self.at.info.paused:
            self.choice = Choice()
        else:
            self.choice = Choice.ahead_of_turn(self.view, ahead)

    def _mark_answer(self, choice: Choice) -> None:
        if self.animating:
            self.skip_story()
        else:
            self.choice = choice
            self.show_change()

    def _answer_card(self, move: Move) -> None:
        """Give an answer; one that is not legal is refused with its reason."""
        if self.animating:
            self.skip_story()
        elif self.at.my_turn:
            self.decide_move(move)
        elif move in self.choice.early:
            self._answer_ahead(None if move == self.choice.ahead else move)

    def _answer_ahead(self, move: Move | None) -> None:
        """Choose an answer to this card before the turn, or take it back."""
        self._ahead = None if move is None else (self.view.board.card, move)
        self.adopt_table()
        self.show_change()

    def forget_input(self) -> bool:
        chosen = self.choice.ahead is not None
        if chosen:
            self._answer_ahead(None)
        return chosen

    def choose_target(self, target: Target) -> None:
        if target in (*self.choice.moves, *self.choice.early):
            self._answer_card(target)

    def explain_cost(self, move: Move) -> Phrase | None:
        return words.warn_of_cost(self.view) if move == TAKE else None

    # --- keys -------------------------------------------------------------------------------------------

    def action_left(self) -> None:
        self._mark_answer(self.choice.with_first())

    def action_right(self) -> None:
        self._mark_answer(self.choice.with_last())

    def action_up(self) -> None:
        self._mark_answer(self.choice.with_first())

    def action_down(self) -> None:
        self._mark_answer(self.choice.with_last())

    def action_accept(self) -> None:
        self._answer_card(TAKE)

    def action_decline(self) -> None:
        self._answer_card(PASS)

    def action_play(self) -> None:
        if self.animating:
            self.show_next_frame()
        elif self.choice.marked is not None:
            self._answer_card(self.choice.marked)


BOARD = NoThanksBoard
