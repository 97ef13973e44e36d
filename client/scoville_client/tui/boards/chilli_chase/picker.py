"""Selection of a card, then of one of the totals it can reach, as a value without Textual."""

from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.games.chilli_chase.arithmetic import Reach, reach
from scoville_shared.games.chilli_chase.state import Board, Play


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

    def across(self, steps: int) -> "Picker":
        """Select a card further right; the ends stop. The result stays in its row as far as there is one."""
        if not self.columns:
            return self
        column = min(max(self.column + steps, 0), len(self.columns) - 1)
        return Picker(self.columns, column, min(self.row or 0, len(self.columns[column].ways) - 1))

    def along(self, steps: int) -> "Picker":
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
        """Select what a play makes."""
        found = self.at_card(play.card)
        ways = found.columns[found.column].ways
        return replace(found, row=next((row for row, way in enumerate(ways) if play in way.plays), None))


def columns(board: Board, hand: tuple[int, ...]) -> tuple[Column, ...]:
    """List what each different card of a hand can make of the running total."""
    return tuple(Column(card, reach(card, board.total, board.options)) for card in sorted(set(hand)))


def pick_from(board: Board, hand: tuple[int, ...], card: int | None = None) -> Picker:
    """Lay out the columns of a hand, with `card` in front where it is held."""
    picker = Picker(columns(board, hand))
    return picker if card is None else picker.at_card(card)
