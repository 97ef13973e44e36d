"""A puzzle: a decision of a game of bots as its seat saw it, with one clear best move."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared.values import Plain

Thousandths = Annotated[int, Meta(ge=0, le=1_000)]


class Step(Struct, frozen=True, array_like=True):
    """A move before the decision: the seat that made it, and its facts that the puzzle's seat was sent."""

    seat: int
    facts: list[Plain]


class Choice(Struct, frozen=True, array_like=True):
    """All moves that come to the same, their chance to win, and how far their worth is behind the best choice's."""

    moves: Annotated[list[Plain], Meta(min_length=1)]
    win: Thousandths
    behind: Annotated[int, Meta(ge=0)]


class Puzzle(Struct, frozen=True, array_like=True):
    """The knowledge of a seat before a decision, and the worth of its choices, the best one first.

    Nothing hidden is in it: `view` is the View of `seat`, and `history` what that seat was sent of every move before.
    `choices` cover every legal move. `reason` is why the first one is best, the English text of a Phrase. `exact` says
    that the game was solved from here on, else many sampled games agree. `rating` is what bots of several levels made
    of it, on Elo's scale.
    """

    id: Annotated[str, Meta(min_length=1, max_length=48)]
    seats: Annotated[int, Meta(ge=1)]
    seat: Annotated[int, Meta(ge=0)]
    options: Plain
    view: Plain
    history: list[Step]
    choices: Annotated[list[Choice], Meta(min_length=2)]
    reason: str
    exact: bool
    rating: int

    def find_choice(self, move: Plain) -> int | None:
        """Return which choice a move belongs to, 0 for the best one; None for a move that is not legal here."""
        return next((place for place, choice in enumerate(self.choices) if move in choice.moves), None)
