"""What the user has selected or typed: a card and its result, a formula, or a new Chilli Score."""

from scoville_client.tui.boards.chilli_chase import score, typed, words
from scoville_client.tui.boards.chilli_chase.picker import Picker, pick_from
from scoville_client.tui.boards.chilli_chase.score import Wanted
from scoville_client.tui.boards.chilli_chase.typed import Typed
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase.state import Move, View


class Selection:
    """The `picker` of cards and results, the `typed` formula, and the `wanted` score; `wrong` refuses the last try."""

    def __init__(self) -> None:
        self.picker = Picker()
        self.typed = Typed()
        self.wanted = Wanted()
        self.wrong: Phrase | None = None
        self._view: View | None = None

    def adopt(self, view: View) -> None:
        """Offer the cards of a View, and forget what was chosen on another total."""
        if view != self._view:
            self._view = view
            self.picker = pick_from(view.board, view.hand, self.picker.card)
            self._clear()

    def forget(self) -> bool:
        """Forget the formula or the Chilli Score typed so far; returns whether there was one."""
        something = bool(self.typed.text or self.wanted.text)
        if something:
            self._clear()
        return something

    def _clear(self) -> None:
        self.typed, self.wanted, self.wrong = Typed(), Wanted(), None

    def pick(self, picker: Picker) -> None:
        """Select a card and a result."""
        self.picker, self.typed, self.wrong = picker, Typed(), None

    def want(self, wanted: Wanted) -> None:
        """Select a Chilli Score."""
        self.wanted, self.wrong = wanted, None

    def type(self, text: Typed, view: View) -> None:
        """Adopt what is typed: a card is selected, and so is the result of a formula that is right."""
        self.typed, self.wrong = text, None
        if text.is_formula:
            play = typed.read(text.text, view)
            self.picker = Picker(self.picker.columns, self.picker.column)
            if not isinstance(play, Refusal):
                self.picker = self.picker.at_play(play)
        elif text.text:
            self.picker = self.picker.at_card(int(text.text[-1]))

    def move(self, view: View) -> Move | Refusal | Phrase:
        """Return the chosen move, or why there is none."""
        if view.board.choosing:
            return score.read(self.wanted, view) if self.wanted.text else words.WANT_FIRST
        if self.typed.text and self.typed.text != str(self.picker.card):
            return typed.read(self.typed.text, view)
        return words.CHOOSE_FIRST if self.picker.chosen is None else self.picker.chosen.plays[0]

    def prompt(self, view: View, usual: Phrase) -> tuple[str, Phrase]:
        """Return what was typed, and the sentence about it: a refusal, how to type, or the `usual` one."""
        typing = self.typed.is_formula and self.picker.chosen is None
        text = self.wanted.text if view.board.choosing else self.typed.text
        return text, self.wrong or (words.TYPING if typing else usual)
