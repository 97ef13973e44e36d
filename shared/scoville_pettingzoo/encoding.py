"""How a game becomes numbers: a View as a list of them, and each move as one. Plain Python, one encoding a game."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from scoville_shared.engine.contract import AnyGame
from scoville_shared.ids import Seat

MOST = 1_000_000_000
"""No number of an observation is further from zero."""

UNKNOWN = -1
"""Stands for a number that the seat may not know, where it can only be 0 or more."""


class Encoding(ABC):
    """Moves and Views of a game in numbers.

    Every list by seat begins with the observer's own and goes on clockwise, so that what is learned in one seat holds
    in all of them.

    Args:
        game: The game.
        options: Its options.
        seats: How many seats there are.
    """

    actions: ClassVar[int]
    """How many actions there are; each is a number from 0 on."""

    def __init__(self, game: AnyGame, options: Any, seats: int) -> None:
        self.game = game
        self.options = options
        self.seats = seats

    @abstractmethod
    def move(self, action: int) -> Any:
        """Return the move of an action."""

    @abstractmethod
    def legal(self, view: Any) -> Iterator[int]:
        """Yield the legal actions of a View whose seat is pending."""

    @abstractmethod
    def parts(self, view: Any) -> Mapping[str, Sequence[int]]:
        """Return a seat's observation by name, each part always of the same length."""

    def observation(self, view: Any) -> list[int]:
        """Return all parts one after another."""
        return [number for part in self.parts(view).values() for number in part]

    def around(self, by_seat: Sequence[int], seat: Seat) -> list[int]:
        """Return numbers by seat, beginning with those of a seat."""
        return [*by_seat[seat:], *by_seat[:seat]]


def count_cards(cards: Sequence[int], deck: range) -> list[int]:
    """Return for each card of a deck how many of it are among some cards."""
    return [cards.count(card) for card in deck]
