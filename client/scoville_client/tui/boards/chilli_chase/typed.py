"""Typed input on the board: digits that choose a card, and formulas; without Textual."""

from msgspec import Struct

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase.formula import LONGEST, SIGNS, read_formula
from scoville_shared.games.chilli_chase.state import Play, Reason, View

_DIGITS = "0123456789"


class Typed(Struct, frozen=True):
    """The characters typed since the last key that was none."""

    text: str = ""

    @property
    def is_formula(self) -> bool:
        """Whether more than digits has been typed."""
        return not all(char in _DIGITS for char in self.text)

    def takes(self, char: str) -> bool:
        """Whether a character belongs to the typed text rather than to the keys of the board.

        A letter begins an operation only after a number; otherwise it is a key.
        """
        if self.is_formula:
            return char.isprintable()
        sign = char.lower() in SIGNS or char == "("
        return char in _DIGITS or (sign and (bool(self.text) or not char.isalpha()))

    def typing(self, char: str, total: int) -> "Typed":
        """Type a character: a digit continues the running total, or starts a new formula with a card."""
        joined = (self.text + char)[:LONGEST]
        if self.is_formula or char not in _DIGITS or str(abs(total)).startswith(joined):
            return Typed(joined)
        return Typed(char)

    def erased(self) -> "Typed":
        """Erase the last character."""
        return Typed(self.text[:-1])


def read(text: str, view: View) -> Play | Refusal:
    """Read a formula; one that begins with its sign, such as `+3`, starts from the running total."""
    found = read_formula(text, view)
    if isinstance(found, Play) or found.reason is not Reason.INCOMPLETE:
        return found
    continued = read_formula(f"{view.board.total}{text}", view)
    unfinished = isinstance(continued, Refusal) and continued.reason is Reason.INCOMPLETE
    return found if unfinished else continued
