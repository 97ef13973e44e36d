"""What a table may agree on before No Thanks! begins."""

from typing import Annotated

from msgspec import Meta, Struct

MOST_ROUNDS = 4


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of No Thanks!, with the rulings they come from.

    `rounds` (B13) is how many rounds are played; `open_chips` (B4) shows everybody's chips; `show_removed` (B9)
    shows the removed cards when a round is over; `tactical` (B16) gives ten chips to each and surely removes
    10, 20 and 30.
    """

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] = 1
    open_chips: bool = False
    show_removed: bool = False
    tactical: bool = False
