"""The board of Dicht dran as a widget: keys go to the picker, events to the story, both to the layout.

The line below the hand says what the marked card would do, or whom the round waits for. On a television the board
shows the target between its neighbours, the played cards, and the points of all players.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, TypeVar

from msgspec.structs import replace
from textual.binding import BindingType
from textual.events import Key

from scoville_client.i18n.language import render, tr, with_sign
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import CARDS, STORY
from scoville_client.tui.boards.board import Parts
from scoville_client.tui.boards.course import (
    Costly,
    Course,
    Turns,
    find_costliest,
    number_facts,
    with_points,
)
from scoville_client.tui.boards.dicht_dran import layout
from scoville_client.tui.boards.dicht_dran.cards import PEPPER, rim_slots
from scoville_client.tui.boards.dicht_dran.scene import Fate, Frame, Front, Picker, Scene
from scoville_client.tui.boards.picture import BigCard, BigLine, BigMark, BigMove, BigSeat, Picture
from scoville_client.tui.boards.table_board import TableBoard, mover_of
from scoville_client.tui.drawing.canvas import Target
from scoville_client.tui.drawing.status import BoardStatus, mark_of
from scoville_shared.engine.phrases import Fields, Filling, Phrase, Who
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import (
    AnyFact,
    Chosen,
    CycleEnd,
    CycleScored,
    Discarded,
    Drew,
    FellInGap,
    Reshuffled,
    Revealed,
    TargetWon,
    TookBack,
)
from scoville_shared.games.dicht_dran.round import Weighed, find_closest, weigh_hand
from scoville_shared.games.dicht_dran.state import CIRCLE_SLOTS, PLAYS, TAKE_BACK, Board, Move, Play, View
from scoville_shared.ids import Seat


def describe_prospect(weighed: Weighed, target: int) -> Phrase:
    """Describe the effect of a card in a line."""
    fields = {"card": weighed.card, "distance": weighed.distance, "target": target, "n": weighed.peppers}
    if weighed.fits:
        return Phrase(
            "{card} is {distance} from {target}. It fits the gap: discarded for free if it does not win.", fields
        )
    return Phrase(
        "{card} is {distance} from {target}. Outside the gap: unless it wins, you draw {n} card.",
        fields,
        "{card} is {distance} from {target}. Outside the gap: unless it wins, you draw {n} cards.",
        weighed.peppers,
    )


def describe_prospect_in_short(weighed: Weighed, target: int) -> Phrase:
    """Describe the same in few words."""
    fields = {"card": weighed.card, "distance": weighed.distance, "target": target, "n": weighed.peppers}
    if weighed.fits:
        return Phrase("{card}: {distance} from {target}, fits the gap", fields)
    return Phrase(
        "{card}: {distance} from {target}, or draw {n} card",
        fields,
        "{card}: {distance} from {target}, or draw {n} cards",
        weighed.peppers,
    )


def warn_of_cost(view: View, card: int) -> Phrase | None:
    """Return why a card costs a lot: it is not the closest, it does not fit the gap, and another card would."""
    weighed = weigh_hand(view.board, view.hand, peppers_by_card(view.board.options.peppers))
    mine = next((each for each in weighed if each.card == card), None)
    free = next((each for each in weighed if each.fits), None)
    if mine is None or free is None or mine.fits or mine.closest:
        return None
    fields: Fields = {"card": card, "n": mine.peppers, "free": free.card}
    return Phrase(
        "{card} is not your closest card and costs {n} card, {free} would be free.",
        fields,
        "{card} is not your closest card and costs {n} cards, {free} would be free.",
        mine.peppers,
    )


def write_prompt(view: View, selected: int | None, *, short: bool, status: BoardStatus = BoardStatus()) -> Phrase:  # noqa: B008
    """Write the prompt for the user; `short` for few columns."""
    if view.board.over:
        return Phrase("The game is over.")
    if status.place is not None:
        return status.for_viewer(name_choosers(view))
    if view.seat is None:
        return Phrase("You are watching this game.")
    if view.pick is not None:
        return _describe_waiting(view, view.pick)
    if selected not in view.hand:
        return Phrase("Your hand is empty.")
    weighed = weigh_hand(view.board, view.hand, peppers_by_card(view.board.options.peppers))
    card = next(each for each in weighed if each.card == selected)
    say = describe_prospect_in_short if short else describe_prospect
    return say(card, view.board.target_card)


def _describe_waiting(view: View, pick: int) -> Phrase:
    return Phrase("You have chosen {card}. Waiting for {others}.", {"card": pick, "others": _list_undecided(view)})


def name_choosers(view: View) -> Phrase:
    """Name the players who have not chosen a card yet."""
    if not any(view.chosen):
        return Phrase("Each player chooses a card.")
    return Phrase("Choosing: {others}.", {"others": _list_undecided(view)})


def _list_undecided(view: View) -> list[Filling]:
    return [Who(Seat(seat)) for seat, chosen in enumerate(view.chosen) if not chosen]


_STATUS = Phrase("cycle {cycle} of {cycles}  round {round}")
_TARGET = Phrase("target")
_MOST_PEPPERS = 3
_GAP = Phrase("Cards from {low} to {high} fit the gap.")
_NO_GAP = Phrase("No card fits the gap.")
_PLAYED, _POINTS = Phrase("played"), Phrase("points")
_NOTE = Phrase("hand {hand}   cards won {won}")
_CYCLE = Phrase("won {plus}   held {minus}")
_CHOSEN, _THINKS = "■", "…"


def make_picture(scene: Scene) -> Picture:
    """Return the television's picture of a scene."""
    board = scene.board
    fields: Fields = {"cycle": board.cycle, "cycles": board.options.cycles, "round": board.round}
    over = scene.say(Phrase("The game is over."))
    return Picture(
        GAME.info.title,
        [_seat_row(scene, seat) for seat in range(len(board.hands))],
        " ".join(scene.captions) or (over if board.over else scene.say(name_choosers(scene.view))),
        render(_STATUS.with_fields(fields)),
        _middle_cards(scene),
        asides=[render(_gap_phrase(*board.gap))],
        heads=(render(_PLAYED), render(_POINTS)),
        paused=scene.status.paused,
        line=_line_of(board),
    )


def _line_of(board: Board) -> BigLine:
    """Show where the circle lies on the line of all cards, and the gap in it."""
    ends = {board.circle[slot] for slot in rim_slots(board.target)}
    marks = [BigMark(card, "rim" if card in ends else "card") for card in board.circle if card != board.target_card]
    return BigLine([*marks, BigMark(board.target_card, "target")], (1, 100), board.gap)


def picture_move(phrase: Phrase, names: Sequence[str]) -> BigMove | None:
    """Return a line of the log as a move for the television: a target that was won, with its peppers."""
    card, peppers, name = phrase.fields.get("card"), phrase.fields.get("peppers"), mover_of(phrase, names)
    if not isinstance(card, int) or not isinstance(peppers, int) or not name or "target" not in phrase.fields:
        return None
    return BigMove(name, str(card), f"+{PEPPER * min(peppers, _MOST_PEPPERS)}", "target")


def _gap_phrase(low: int, high: int) -> Phrase:
    return _GAP.with_fields({"low": low + 1, "high": high - 1}) if high - low > 1 else _NO_GAP


def _middle_cards(scene: Scene) -> list[BigCard]:
    """Show the target between the cards beside it, each with its peppers."""
    board = scene.board
    slots = [(board.target + step) % CIRCLE_SLOTS for step in (-1, 0, 1)]
    cards = [BigCard(board.circle[slot], "rim", word=PEPPER * scene.peppers[board.circle[slot]]) for slot in slots]
    target = cards[1]
    cards[1] = target._replace(style="target", word=f"{render(_TARGET)} {target.word}")
    return cards


def _seat_row(scene: Scene, seat: int) -> BigSeat:
    frame, board = scene.frame, scene.board
    won, time = board.won[seat], scene.status.time_of(seat).text
    note = render(_NOTE.with_fields({"hand": board.hands[seat], "won": won}))
    figure = with_sign(board.totals[seat])
    front, style = "", "text"
    if frame is not None and frame.scored is not None:
        note = render(_CYCLE.with_fields({"plus": frame.scored.plus[seat], "minus": frame.scored.minus[seat]}))
        figure = with_sign(frame.scored.totals[seat])
    elif frame is not None and frame.fronts:
        card, fate, word = frame.fronts[seat]
        front, style = "" if card is None else str(card), fate.value
        note = note if word is None else scene.say(word)
    elif not board.over:
        front, style = (_CHOSEN, "good") if scene.view.chosen[seat] else (_THINKS, "faint")
    best = bool(frame and frame.scored and frame.scored.totals[seat] == max(frame.scored.totals))
    note = "   ".join(filter(None, (mark_of(scene.marks, seat), time, note)))
    # Before the first cycle is scored no player has points: their won cards tell them apart.
    bar = None if any(board.totals) or board.over or (frame is not None and frame.scored is not None) else won
    return BigSeat(scene.name_of(seat), figure, front, style, note, best or style == "target", bar)


_SEAT = Seat(0)
_CHATTER = frozenset(
    phrase.text for fact in (Chosen(_SEAT), TookBack(_SEAT)) if (phrase := GAME.text.describe_fact(fact)) is not None
)
"""Events that the seats' own rows show, and a story can do without."""


# --- the story of a round ---------------------------------------------------------------------------
# The rulebook's four actions one after the other, and the scoring when a cycle ends.
# Pure: the View before and the facts go in, the frames that the board plays come out.

F = TypeVar("F")

_SUMMARY_STAYS = 3
_SCORES_STAY = 5

_ENDS = {
    CycleEnd.HAND_EMPTY: Phrase("A hand is empty: the cycle ends and is scored."),
    CycleEnd.PILE_EMPTY: Phrase("The draw pile is used up: the cycle ends and is scored."),
}

_CLOSEST = Phrase("{who}'s {card} is {distance} from {target}: closest.")
_HIGHER = Phrase("{who}'s {card} is {distance} from {target}: as close as another card, but higher.")


def opening_frames(dealt: View) -> list[Frame]:
    """Return the frame in which the user's hand is dealt; none for a spectator, who sees no hand."""
    if not dealt.hand:
        return []
    n = len(dealt.hand)
    told = Phrase("Everybody has {n} card.", {"n": n}, "Everybody has {n} cards.", n)
    return [Frame(0, (told,), dealt.board, dealt.hand, (), dealt=True)]


def animate_event(before: View, facts: Sequence[AnyFact]) -> list[Frame]:
    """Return the frames of a round; none while choices are still coming in."""
    revealed = next(_facts_of(facts, Revealed), None)
    if revealed is None:
        return []
    return [*_action_frames(before, revealed, facts), *_frames_after_actions(before, facts)]


def summarize_event(before: View, facts: Sequence[AnyFact]) -> list[Frame]:
    """Return a summary: every card with its fate; then the scoring when a cycle ends."""
    frames = animate_event(before, facts)
    if not frames:
        return []
    # Without the first action: the cards have no destination yet.
    won, fell, paid = frames[1:4]
    # Each seat's card as it was seen last, before it went to its place.
    fronts = tuple(
        laid if laid.card is not None else fallen if fallen.card is not None else winner
        for winner, fallen, laid in zip(won.fronts, fell.fronts, paid.fronts, strict=True)
    )
    return [paid._replace(action=0, captions=won.captions, fronts=fronts, steps=_SUMMARY_STAYS), *frames[4:]]


def _action_frames(before: View, revealed: Revealed, facts: Sequence[AnyFact]) -> Iterator[Frame]:
    """Yield the four actions; each changes the table for the next one."""
    won = next(_facts_of(facts, TargetWon))
    fallen, laid, drew = (
        list(_facts_of(facts, FellInGap)),
        list(_facts_of(facts, Discarded)),
        list(_facts_of(facts, Drew)),
    )
    # From the View before: the one after it holds the drawn cards already.
    hand = tuple(card for card in before.hand if before.seat is None or card != revealed.cards[before.seat])
    board = replace(before.board, hands=tuple(size - 1 for size in before.board.hands))
    won_cards = before.won
    fronts = [Front(card) for card in revealed.cards]
    yield Frame(1, (Phrase("All cards are turned over."),), board, hand, won_cards, tuple(fronts))

    fronts[won.seat] = Front(won.card, Fate.WINS, Phrase("wins {target}", {"target": won.target}))
    yield Frame(2, _target_won(won), board, hand, won_cards, tuple(fronts))

    board = _with_winner(board, won)
    won_cards += (won.target,) if won.seat == before.seat else ()
    fronts[won.seat] = Front(None, Fate.WINS, Phrase("has {target}", {"target": won.target}))
    for fell in fallen:
        fronts[fell.seat] = Front(fell.card, Fate.FREE, Phrase("free"))
    yield Frame(3, _gap_phrases(fallen, board.gap), board, hand, won_cards, tuple(fronts))

    board = _with_drawn(replace(board, discard=board.discard + len(fallen) + len(laid)), drew)
    for fell in fallen:
        fronts[fell.seat] = Front(None, Fate.FREE, Phrase("free"))
    for away in laid:
        fronts[away.seat] = Front(away.card, Fate.PAYS, Phrase("draws {n}", {"n": away.peppers}))
    yield Frame(4, (_discard_phrase(laid),), board, hand, won_cards, tuple(fronts))


def _frames_after_actions(before: View, facts: Sequence[AnyFact]) -> Iterator[Frame]:
    for shuffled in _facts_of(facts, Reshuffled):
        yield Frame(0, (_reshuffle_phrase(shuffled, facts),), before.board, before.hand, before.won)
    for scored in _facts_of(facts, CycleScored):
        yield Frame(0, (_ENDS[scored.reason],), before.board, (), before.won, scored=scored, steps=_SCORES_STAY)


def _with_winner(board: Board, won: TargetWon) -> Board:
    """Replace the target by the winner's card, and count the target as won."""
    circle = list(board.circle)
    circle[board.target] = won.card
    counts = [count + (seat == won.seat) for seat, count in enumerate(board.won)]
    return replace(board, circle=tuple(circle), won=tuple(counts))


def _with_drawn(board: Board, drew: Sequence[Drew]) -> Board:
    """Move drawn cards from the pile to the hands; an exhausted pile has a frame of its own."""
    hands = list(board.hands)
    for draw in drew:
        hands[draw.seat] += draw.count
    pile = max(0, board.pile - sum(draw.count for draw in drew))
    return replace(board, hands=tuple(hands), pile=pile)


def _target_won(won: TargetWon) -> tuple[Phrase, ...]:
    fields: dict[str, Filling] = {
        "who": Who(won.seat),
        "card": won.card,
        "target": won.target,
        "distance": won.distance,
        "peppers": won.peppers,
    }
    close = (_HIGHER if won.tie else _CLOSEST).with_fields(fields)
    prize = Phrase("{who} wins {peppers} pepper.", fields, "{who} wins {peppers} peppers.", won.peppers)
    return close, prize


def _gap_phrases(fallen: Sequence[FellInGap], gap: tuple[int, int]) -> tuple[Phrase, ...]:
    fields: dict[str, Filling] = {"low": gap[0], "high": gap[1], "cards": [fell.card for fell in fallen]}
    if not fallen:
        return (Phrase("None of the played cards fits the gap from {low} to {high}.", fields),)
    return (
        Phrase(
            "{cards} fits the gap from {low} to {high} and is discarded for free.",
            fields,
            "{cards} fit the gap from {low} to {high} and are discarded for free.",
            len(fallen),
        ),
    )


def _discard_phrase(laid: Sequence[Discarded]) -> Phrase:
    if not laid:
        return Phrase("No card is left over, so nobody draws.")
    if len(laid) > 1:
        cards = [away.card for away in laid]
        return Phrase("{cards} are left over; each costs as many cards as it has peppers.", {"cards": cards})
    away = laid[0]
    return Phrase(
        "{who} discards the {card} and draws {n} card.",
        {"who": Who(away.seat), "card": away.card, "n": away.peppers},
        "{who} discards the {card} and draws {n} cards.",
        away.peppers,
    )


def _reshuffle_phrase(shuffled: Reshuffled, facts: Sequence[AnyFact]) -> Phrase:
    owed = sum(drew.count for drew in _facts_of(facts, Drew))
    fields = {"count": shuffled.count, "owed": owed}
    return Phrase(
        "The draw pile is used up: the discard pile of {count} card is shuffled and deals the missing cards.",
        fields,
        "The draw pile is used up: the discard pile of {count} cards is shuffled and deals the missing cards.",
        shuffled.count,
    )


def _facts_of(facts: Iterable[AnyFact], kind: type[F]) -> Iterator[F]:
    return (fact for fact in facts if isinstance(fact, kind))


def make_course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each round, and the user's card that drew the most cards."""
    return Course(list(_points_by_step(turns, seats)), find_costliest(_cards_paid(turns, seat)))


def _points_by_step(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    points: tuple[int, ...] = (0,) * seats
    yield points
    for _, fact in number_facts(turns):
        if isinstance(fact, TargetWon):
            points = with_points(points, fact.seat, points[fact.seat] + fact.peppers)
            yield points
        elif isinstance(fact, CycleScored):
            # Not added up here: the totals also lack what was still in the hands.
            points = fact.totals
            yield points


def _cards_paid(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    for number, fact in number_facts(turns):
        if isinstance(fact, Discarded) and fact.seat == seat:
            yield Costly(number, fact.peppers, _PAID.with_fields({"card": fact.card, "n": fact.peppers}, fact.peppers))


_PAID = Phrase("your {card} was left over and cost {n} card.", many="your {card} was left over and cost {n} cards.")


# --- the board --------------------------------------------------------------------------------------


class DichtDranBoard(TableBoard[Frame]):
    """Shows a View of Dicht dran; a story is played frame by frame, and later events wait behind it."""

    ACTIONS = (
        *CARDS,
        *STORY,
        Action("take_back", "u", "u", "take back", "Take back your choice, if the table allows it.", shown=False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("play", ACTIONS)]
    # All choose at the same time: a player who waits has chosen already.
    IDLE = frozenset({"play", "left"})
    draw_scene = staticmethod(layout.draw_table)
    picture_scene = staticmethod(make_picture)
    picture_move = staticmethod(picture_move)
    make_course = staticmethod(make_course)

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
        if self.view.pick is not None and self.at.seat is not None:
            return (("u", tr("take back")),) if self.view.take_backs else ()
        return (("← → 0-9", tr("card")),) if self.at.my_turn else ()

    @property
    def page(self) -> str:
        """The page of the rules about the action that is shown, or about the choice."""
        if self.frame is None:
            return super().page
        return "cycle" if self.frame.scored else ("cycle", "choose", "win", "gap", "pay")[self.frame.action]

    def opening_frames(self, dealt: View) -> Sequence[Frame]:
        """Return the frame of the deal, which says nothing where it does not move."""
        return [] if self.calm else opening_frames(dealt)

    def animate_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return animate_event(before, change.facts)

    def summarize_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return summarize_event(before, change.facts)

    def scene(self) -> Scene:
        return Scene(
            view=self.view,
            log=self.caption_lines(self.LOG_LINES, untold=_CHATTER),
            selected=None if self.frame or self.at.seat is None else self.picker.selected,
            prompt="" if self.frame else self._make_prompt(),
            **self.scene_parts(),
        )

    # --- my hand ----------------------------------------------------------------------------------------

    def adopt_table(self) -> None:
        self.picker = self.picker.with_hand(self.view.hand, find_closest(self.view.board, self.view.hand))

    def _use_picker(self, picker: Picker) -> None:
        if self.animating or not self.at.my_turn:
            return
        self.picker = picker
        self.repaint()

    def _make_prompt(self) -> str:
        # A tall board has rows for the whole sentence in the box of the moment.
        short = self.size.width < layout.WIDE[0] and self.size.height < layout.FRAMED
        asked = write_prompt(self.view, self.picker.selected, short=short, status=self.status)
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
        if self.view.pick is not None:
            if target == self.view.pick:
                self.action_take_back()
        elif target == self.picker.selected:
            self.action_play()
        elif isinstance(target, int):
            self._use_picker(self.picker.at_card(target))

    def explain_cost(self, move: Move) -> Phrase | None:
        """Return why a card costs a lot: another one would be discarded for free."""
        return warn_of_cost(self.view, move.card) if isinstance(move, Play) else None

    def action_take_back(self) -> None:
        if TAKE_BACK in self.at.legal_moves():
            self.decide_move(TAKE_BACK)

    def forget_input(self) -> bool:
        typed = bool(self.picker.typed)
        if typed:
            self._use_picker(self.picker.without_digits())
        return typed


BOARD = DichtDranBoard
