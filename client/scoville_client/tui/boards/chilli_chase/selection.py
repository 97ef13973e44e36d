"""The user's selection and input: a card and its result, a formula, or a new Chilli Score; without Textual."""

from msgspec import Struct

from scoville_client.tui.boards.chilli_chase import picker, words
from scoville_client.tui.boards.chilli_chase.picker import Picker, Wanted, pick_from
from scoville_client.tui.drawing.status import BoardStatus
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.formula import LONGEST, SIGNS, read_formula
from scoville_shared.games.chilli_chase.state import Move, Play, Reason, View

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
        self.wanted = Wanted()
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
        self.typed, self.wanted, self.wrong = Typed(), Wanted(), None

    def pick_card(self, picker: Picker, *, ahead: bool = False) -> None:
        """Select a card and a result, perhaps ahead of the user's turn."""
        self.picker, self.typed, self.wrong, self.ahead = picker, Typed(), None, ahead

    def want_score(self, wanted: Wanted) -> None:
        """Select a Chilli Score."""
        self.wanted, self.wrong = wanted, None

    def type_text(self, text: Typed, view: View) -> None:
        """Adopt what is typed: a card is selected, and so is the result of a formula that is right."""
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
        """Return what was typed, and the sentence about it: a refusal, how to type, or the usual one."""
        usual = words.prompt(view, self.picker.chosen, self.wanted.number, short=short, status=status)
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
