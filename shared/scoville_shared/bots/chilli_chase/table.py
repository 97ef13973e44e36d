"""A table of Chilli Chase in plain numbers."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from scoville_shared.bots.chilli_chase.fitted import CHANCES, FIGURES, MOST_PLAYS, OPINIONS, WEIGHTS, describe_plays
from scoville_shared.bots.chilli_chase.kernel import (
    ALL_WAYS,
    CAP,
    CARDS,
    HAND,
    MEMO,
    NO_CARD,
    ZERO,
    Insight,
    Space,
    Table,
)
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.games.chilli_chase.state import Board


class KnownTable(Struct, frozen=True, kw_only=True):
    """A table as a seat knows it; others' hands are empty where they are not known, the deck is what is known of it."""

    now: list[int]
    rules: list[int]
    hands: list[int]
    scores: list[int]
    points: list[int]
    deck: list[int]
    hot: list[int]


def read_table(board: Board, hands: Sequence[Sequence[int]], deck: Sequence[int] = ()) -> KnownTable:
    """Return a board in plain numbers, with the known cards of hands and of the deck."""
    return KnownTable(
        now=[board.total, board.mover, board.turn, 0, 0, len(board.hot), int(board.choosing), int(board.over)],
        rules=list_rules(board),
        hands=[card for hand in hands for card in (*hand, *[NO_CARD] * HAND)[:HAND]],
        scores=list(board.scores),
        points=list(board.points),
        deck=list(deck),
        hot=list(board.hot),
    )


def list_rules(board: Board) -> list[int]:
    """Return the options in the kernel's order."""
    options = board.options
    flags = (options.points, options.extended, options.zero, options.cap, options.die_scores, options.shuffle)
    return [*map(int, flags), options.turn_limit]


def list_seen(machine: Machine, known: KnownTable) -> Table:
    """Return a table in a machine's numbers."""
    numbers = machine.numbers
    return Table(
        numbers(known.now), numbers(known.rules), numbers(known.hands), numbers(known.scores), numbers(known.points),
        numbers(known.deck), numbers(known.hot), _make_memo(machine, known.rules[CAP], known.rules[ZERO]),
    )  # fmt: skip


def make_space(machine: Machine, known: KnownTable, moves: int = 0) -> Space:
    """Return working space for playouts from a table, and for the comparison of so many moves."""

    def zeros(count: int) -> Any:
        return machine.numbers([0] * count)

    seats = len(known.scores)
    table = Table(
        zeros(len(known.now)), machine.numbers(known.rules), zeros(HAND * seats), zeros(seats), zeros(seats),
        zeros(CARDS), zeros(CARDS), _make_memo(machine, known.rules[CAP], known.rules[ZERO]),
    )  # fmt: skip
    insight = Insight(
        *_list_insight(machine), zeros(MOST_PLAYS), zeros(MOST_PLAYS), machine.floats([0.0] * (FIGURES * MOST_PLAYS))
    )
    return Space(table, zeros(seats), zeros(1), insight, zeros(moves))


def describe_choices(board: Board, hand: Sequence[int]) -> dict[tuple[int, int], list[float]]:
    """Return the figures by which the fitted policy draws a play (see `fitted`), by the card and the total."""
    hands = [hand if seat == board.mover else () for seat in range(len(board.scores))]
    known = read_table(board, hands)
    table, insight = list_seen(INTERPRETED, known), make_space(INTERPRETED, known).insight
    count = describe_plays(table, insight)
    return {
        (hand[insight.plays[number] // ALL_WAYS], insight.totals[number]): list(
            insight.figures[number * FIGURES : (number + 1) * FIGURES]
        )
        for number in range(count)
    }


@lru_cache(2)
def _list_insight(machine: Machine) -> tuple[Any, Any, Any]:
    """Make the numbers of the fitted policy, for all tables of the process."""
    return machine.floats(WEIGHTS), machine.floats(OPINIONS), machine.floats(CHANCES)


@lru_cache(8)
def _make_memo(machine: Machine, cap: int, zero: int) -> Any:  # noqa: ARG001 - each pair of rules has its own sums
    """Make a memo of sums under these rules, for all tables of the process."""
    return machine.numbers([0] * MEMO)
