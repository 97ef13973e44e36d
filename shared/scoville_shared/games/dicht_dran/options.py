"""What a table may agree on before Dicht dran begins."""

from typing import Annotated

from msgspec import Meta, Struct

MOST_CYCLES = 5

Peppers = Annotated[int, Meta(ge=1, le=3)]
PepperTable = Annotated[tuple[Peppers, ...], Meta(min_length=100, max_length=100)]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of Dicht dran, with the rulings they come from.

    `cycles` (A21) is how many cycles are played; `open_won` (A24) shows everybody's won peppers; `take_back`
    (A25) lets a choice be taken back until the last one is in; `peppers` (A2) replaces the peppers of the
    cards 1 to 100 by a list, None for the built-in table.
    """

    cycles: Annotated[int, Meta(ge=1, le=MOST_CYCLES)] = 2
    open_won: bool = False
    take_back: bool = False
    peppers: PepperTable | None = None
