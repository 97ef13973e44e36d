"""A round of No Thanks! on the table, in plain numbers."""

from collections.abc import Sequence

from msgspec import Struct

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.no_thanks.heuristics import bits_of
from scoville_shared.bots.no_thanks.kernel import Seats, Turn
from scoville_shared.games.no_thanks.state import Board, chips_each, list_playable


class Round(Struct, frozen=True, kw_only=True):
    """A round with everything that a counting player knows; `card` 0: it is over."""

    chips: list[int]
    owned: list[int]
    points: list[int]
    unseen: list[int]
    left: int
    card: int
    pot: int
    mover: int
    totals: list[int]
    whole: list[int]
    rounds: int
    chips_each: int


def read_round(board: Board, chips: Sequence[int]) -> Round:
    """Return a board in plain numbers, with all players' chips."""
    # The removed cards are among the unseen ones: nobody knows which of them are in the deck (B9).
    seen = {card for cards in board.cards for card in cards} | {board.card}
    # After the end the totals contain the last round. Its chips are added to them here, because the kernel subtracts
    # the chips of every seat.
    last = board.over
    return Round(
        chips=list(chips),
        owned=[bits_of(cards) for cards in board.cards],
        points=[0] * len(chips) if last else list(board.points),
        unseen=[card for card in list_playable(board.options) if card not in seen],
        left=board.left,
        card=board.card or 0,
        pot=board.pot,
        mover=board.mover,
        totals=[total + chip for total, chip in zip(board.totals, chips, strict=True)] if last else list(board.totals),
        whole=list_playable(board.options),
        rounds=board.options.rounds - board.round,
        chips_each=chips_each(board.options, len(chips)),
    )


def list_numbers(machine: Machine, table: Round) -> tuple[Seats, Turn]:
    """Return a round in a machine's numbers; all unseen cards are its deck, in any order."""
    numbers = machine.numbers
    seats = Seats(numbers(table.chips), numbers(table.owned), numbers(table.points))
    return seats, Turn(numbers(table.unseen), table.left, table.card, table.pot, table.mover)
