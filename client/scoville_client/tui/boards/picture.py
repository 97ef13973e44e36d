"""Picture of a table for a television, as every game fills it in: what is shown, not how it is drawn."""

from collections.abc import Sequence
from typing import NamedTuple


class BigCard(NamedTuple):
    """A number in large, on a card if it is `framed`, with a word below it."""

    number: int
    style: str = "strong"
    framed: bool = True
    word: str = ""


class BigSeat(NamedTuple):
    """A player: name, a figure in front of the score such as a played card, and the score; `note` is small.

    `leads` marks whose turn it is, or who wins. `bar` is how long the bar of the player is, by default their score.
    """

    name: str
    score: str = ""
    front: str = ""
    front_style: str = "text"
    note: str = ""
    leads: bool = False
    bar: int | None = None


class BigMove(NamedTuple):
    """One of the last moves, as a small card: who, a figure in large, and a word below it."""

    name: str
    figure: str
    word: str = ""
    style: str = "text"


class BigMark(NamedTuple):
    """A number on the line."""

    number: int
    style: str


class BigLine(NamedTuple):
    """The line of all numbers, from the first to the last of `ends`; without them true to the order of the marks alone.

    `band` are the numbers between which something fits.
    """

    marks: Sequence[BigMark]
    ends: tuple[int, int] | None = None
    band: tuple[int, int] | None = None


class Picture(NamedTuple):
    """A table for a television.

    Attributes:
        title: The game.
        status: The part of the game, small; `paused` comes before it.
        cards: The numbers in the middle of the table, or the `headline` where there are none.
        asides: Small lines below them.
        goal: The points that win, if the game ends with them: so long are the bars of points.
        line: The line of all numbers, below the cards where there are rows for it.
        moves: The last moves, the newest last; where they have room they replace all asides but the first.
        seats: The players, from top to bottom.
        heads: The headings of the seats' `front` and `score`, small.
        sentence: The latest event, or whose turn it is.
    """

    title: str
    seats: Sequence[BigSeat]
    sentence: str = ""
    status: str = ""
    cards: Sequence[BigCard] = ()
    headline: str = ""
    asides: Sequence[str] = ()
    heads: tuple[str, str] = ("", "")
    paused: bool = False
    moves: Sequence[BigMove] = ()
    goal: int = 0
    line: BigLine | None = None
