"""Selection of a card, then of one of the totals it can reach, as a value without Textual."""

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.engine.contract import Refusal
from scoville_shared.games.chilli_chase.arithmetic import Reach, list_reaches
from scoville_shared.games.chilli_chase.formula import read_score
from scoville_shared.games.chilli_chase.scores import check_score
from scoville_shared.games.chilli_chase.state import KEEP, Board, Keep, NewScore, Play, Reason, View


class Column(NamedTuple):
    """A card, and every total it can reach, the smallest first."""

    card: int
    ways: tuple[Reach, ...]


class Picker(Struct, frozen=True):
    """A column for each different card of a hand; `row` is None until a result has been chosen."""

    columns: tuple[Column, ...] = ()
    column: int = 0
    row: int | None = None

    @property
    def card(self) -> int | None:
        """The card that is selected."""
        return self.columns[self.column].card if self.columns else None

    @property
    def chosen(self) -> Reach | None:
        """The result that is selected."""
        return None if self.row is None else self.columns[self.column].ways[self.row]

    def moved_across(self, steps: int) -> "Picker":
        """Select a card further right; the ends stop. The result stays in its row as far as there is one."""
        if not self.columns:
            return self
        column = min(max(self.column + steps, 0), len(self.columns) - 1)
        return Picker(self.columns, column, min(self.row or 0, len(self.columns[column].ways) - 1))

    def moved_along(self, steps: int) -> "Picker":
        """Select a result further down; the ends stop. The first step down enters at the top, up at the bottom."""
        if not self.columns:
            return self
        last = len(self.columns[self.column].ways) - 1
        start = self.row if self.row is not None else -1 if steps > 0 else last + 1
        return replace(self, row=min(max(start + steps, 0), last))

    def at_card(self, card: int) -> "Picker":
        """Select a card of the hand; its results are still to choose from."""
        return next(
            (Picker(self.columns, index) for index, column in enumerate(self.columns) if column.card == card), self
        )

    def at_play(self, play: Play) -> "Picker":
        """Select the result of a play."""
        found = self.at_card(play.card)
        ways = found.columns[found.column].ways
        return replace(found, row=next((row for row, way in enumerate(ways) if play in way.plays), None))


def list_columns(board: Board, hand: tuple[int, ...]) -> tuple[Column, ...]:
    """List the totals that each different card of a hand can make."""
    return tuple(Column(card, list_reaches(card, board.total, board.options)) for card in sorted(set(hand)))


def pick_from(board: Board, hand: tuple[int, ...], card: int | None = None) -> Picker:
    """Lay out the columns of a hand, with `card` in front where it is held."""
    picker = Picker(list_columns(board, hand))
    return picker if card is None else picker.at_card(card)


_CHARACTERS = "0123456789-−"
_LONGEST = 8
_FURTHEST = 20
"""More numbers in a row than can be taken, with zero and the die's ends beyond them."""


class TypedScore(Struct, frozen=True):
    """The number typed, or `stepped` to; nothing yet while `text` is empty."""

    text: str = ""
    stepped: bool = False

    @property
    def number(self) -> int | None:
        """The number as far as it is one."""
        digits = self.text.replace("−", "-")
        return int(digits) if digits.removeprefix("-").isdecimal() else None

    def takes_char(self, char: str) -> bool:
        """Whether a character can be part of a Chilli Score."""
        return char in _CHARACTERS

    def with_char(self, char: str) -> "TypedScore":
        """Type a character; a sign begins again, and so does what is typed after stepping."""
        anew = self.stepped or char in "-−"
        return TypedScore(char if anew else (self.text + char)[:_LONGEST])

    def without_last(self) -> "TypedScore":
        """Erase the last character."""
        return TypedScore(self.text[:-1])

    def stepped_by(self, board: Board, steps: int) -> "TypedScore":
        """Step to the next number that may be taken or kept, from the present score at first."""
        start = board.scores[board.mover] if self.number is None else self.number
        nearby = (start + steps * far for far in range(1, _FURTHEST))
        return next((TypedScore(str(number), stepped=True) for number in nearby if is_free(board, number)), self)


def is_free(board: Board, number: int) -> bool:
    """Whether the mover may take a number, or has it and may keep it."""
    return number == board.scores[board.mover] or check_score(board, number) is None


def read_wanted(wanted: TypedScore, view: View) -> NewScore | Keep | Refusal:
    """Read a wanted score; one's own means to keep it."""
    found = read_score(wanted.text, view)
    if isinstance(found, Refusal) and found.reason is Reason.SCORE_TAKEN and found.data["holder"] == view.seat:
        return KEEP
    return found
