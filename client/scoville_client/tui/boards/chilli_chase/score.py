"""Selection of a new Chilli Score, typed or step by step past those that are taken, as a value without Textual."""

from msgspec import Struct

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase.formula import read_score
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import KEEP, Board, Keep, NewScore, Reason, View

_CHARACTERS = "0123456789-−"
_LONGEST = 8
_FURTHEST = 20
"""More numbers in a row than can be taken, with zero and the die's ends beyond them."""


class Wanted(Struct, frozen=True):
    """The number typed, or `stepped` to; nothing yet while `text` is empty."""

    text: str = ""
    stepped: bool = False

    @property
    def number(self) -> int | None:
        """The number as far as it is one."""
        digits = self.text.replace("−", "-")
        return int(digits) if digits.removeprefix("-").isdecimal() else None

    def takes(self, char: str) -> bool:
        """Whether a character can be part of a Chilli Score."""
        return char in _CHARACTERS

    def typing(self, char: str) -> "Wanted":
        """Type a character; a sign begins anew, and so does what is typed after stepping."""
        anew = self.stepped or char in "-−"
        return Wanted(char if anew else (self.text + char)[:_LONGEST])

    def erased(self) -> "Wanted":
        """Erase the last character."""
        return Wanted(self.text[:-1])

    def step(self, board: Board, steps: int) -> "Wanted":
        """Step to the next number that may be taken or kept, from the present score at first."""
        start = board.scores[board.mover] if self.number is None else self.number
        nearby = (start + steps * far for far in range(1, _FURTHEST))
        return next((Wanted(str(number), stepped=True) for number in nearby if is_free(board, number)), self)


def is_free(board: Board, number: int) -> bool:
    """Whether the mover may take a number, or has it and may keep it."""
    return number == board.scores[board.mover] or check_score(board, number) is None


def read(wanted: Wanted, view: View) -> NewScore | Keep | Refusal:
    """Read a wanted score; one's own means to keep it."""
    found = read_score(wanted.text, view)
    if isinstance(found, Refusal) and found.reason is Reason.SCORE_TAKEN and found.data["holder"] == view.seat:
        return KEEP
    return found
