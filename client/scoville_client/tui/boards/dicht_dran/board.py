"""The board of Dicht dran as a widget: keys go to the picker, events to the story, both to the layout.

The line below the hand says what the marked card would do, or whom the round waits for. On a television the board
shows the target between its neighbours, the played cards, and the points of all players.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Key

from scoville_client.i18n.language import render, tr, with_sign
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import Action, bindings
from scoville_client.tui.boards.actions import CARDS, STORY
from scoville_client.tui.boards.board import Parts
from scoville_client.tui.boards.dicht_dran import layout, story
from scoville_client.tui.boards.dicht_dran.cards import PEPPER
from scoville_client.tui.boards.dicht_dran.scene import Frame, Picker, Scene
from scoville_client.tui.boards.picture import BigCard, BigSeat, Picture
from scoville_client.tui.boards.table_board import TableBoard
from scoville_client.tui.drawing.canvas import Target
from scoville_client.tui.drawing.status import BoardStatus, mark_of
from scoville_shared.engine.phrases import Fields, Filling, Phrase, Who
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import Chosen, TookBack
from scoville_shared.games.dicht_dran.round import Weighed, find_closest, weigh_hand
from scoville_shared.games.dicht_dran.state import CIRCLE_SLOTS, PLAYS, TAKE_BACK, Move, Play, View
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
    """Describe what the user should know or do now; `short` for few columns."""
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
_GAP = Phrase("Cards from {low} to {high} fit the gap.")
_NO_GAP = Phrase("No card fits the gap.")
_PLAYED, _POINTS = Phrase("played"), Phrase("points")
_NOTE = Phrase("hand {hand}   cards won {won}")
_CYCLE = Phrase("won {plus}   held {minus}")
_CHOSEN, _THINKS = "■", "…"


def make_picture(scene: Scene) -> Picture:
    """Return what the television shows of a scene."""
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
    )


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
    won, time = board.won[seat], scene.status.time(seat).text
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
    return BigSeat(scene.name_of(seat), figure, front, style, note, leads=best or style == "target")


_SEAT = Seat(0)
_CHATTER = frozenset(
    phrase.text for fact in (Chosen(_SEAT), TookBack(_SEAT)) if (phrase := GAME.text.describe_fact(fact)) is not None
)
"""What the seats' own rows show already, and a story can do without."""


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
        if self.view.pick is not None and self.at.seat is not None:
            return (("u", tr("take back")),) if self.view.take_backs else ()
        return (("← → 0-9", tr("card")),) if self.at.my_turn else ()

    @property
    def page(self) -> str:
        """The page of the rules about the action that is shown, or about the choice."""
        if self.frame is None:
            return super().page
        return "cycle" if self.frame.scored else ("cycle", "choose", "win", "gap", "pay")[self.frame.action]

    def animate_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return story.animate_event(before, change.facts)

    def summarize_change(self, before: View, change: EventApplied) -> Sequence[Frame]:
        return story.summarize_event(before, change.facts)

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
        short = self.size.width < layout.WIDE[0]
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
