"""What a table may agree on before Chilli Chase begins."""

from typing import Annotated

from msgspec import Meta, Struct

FEWEST_TURNS = 50
MOST_TURNS = 10_000
"""The bounds of the turn limit (C26). There is no game without one: careful players can starve each other."""


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of Chilli Chase, with the rulings they come from.

    `points` (C27) win the game; `extended` (C6) adds exact roots and remainders; `zero` (C9) allows a total of
    nothing; `cap` (C12) is how far from zero a total may go; `die_scores` (C18) lets a new Chilli Score be 1 to 12
    only; `shuffle` (C22) shuffles the Hot Pile when it becomes the deck; `turn_limit` (C26) ends the game after so
    many turns in total; it cannot be turned off.
    """

    points: Annotated[int, Meta(ge=3, le=10)] = 5
    extended: bool = False
    zero: bool = False
    cap: Annotated[int, Meta(ge=99, le=999_999)] = 9_999
    die_scores: bool = False
    shuffle: bool = False
    turn_limit: Annotated[int, Meta(ge=FEWEST_TURNS, le=MOST_TURNS)] = 300
