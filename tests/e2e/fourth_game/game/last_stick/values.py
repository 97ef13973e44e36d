"""Types of Last Stick: options, moves, facts, state and View."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared.ids import Seat

MOST_STICKS = 30
MOST_TAKEN = 3


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`sticks` is how many lie in the heap at first."""

    sticks: Annotated[int, Meta(ge=5, le=MOST_STICKS)] = 12


class Take(Struct, frozen=True, forbid_unknown_fields=True):
    """Take some sticks."""

    sticks: int


class Fact(Struct, frozen=True, tag_field="fact"):
    """Something that happened."""


class Took(Fact, frozen=True, tag="took"):
    """A seat took `sticks`; `left` still lie there."""

    seat: Seat
    sticks: int
    left: int


class Showed(Fact, frozen=True, tag="showed"):
    """The heap is gone: everybody shows their bonus, by seat."""

    bonuses: tuple[int, ...]


AnyFact = Took | Showed


class Reason(StrEnum):
    """Why a move is refused."""

    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    NOT_SO_MANY = "not_so_many"


class Ending(StrEnum):
    """Why the game is over."""

    HEAP_GONE = "heap_gone"


class Heap(Struct, frozen=True):
    """What everybody sees: the `sticks` that are left, and the seat that takes next; who took last when none are."""

    sticks: int
    mover: Seat
    seats: int


class State(Struct, frozen=True):
    """The heap, and the bonuses by seat, which are secret."""

    heap: Heap
    bonuses: tuple[int, ...]


class View(Struct, frozen=True):
    """The heap and one's own bonus; `seat` and `bonus` are None for a spectator. At the end all bonuses are shown."""

    heap: Heap
    seat: Seat | None
    bonus: int | None
    shown: tuple[int, ...]
