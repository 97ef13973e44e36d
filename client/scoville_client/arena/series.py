"""Series of matches: each deal is played once from every seat, and everybody follows everybody else equally often."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from scoville_client.arena.match import Contestant, Match, Terms, play_match
from scoville_client.transport.base import LinkError
from scoville_shared.errors import ScovilleError

Progress = Callable[[int, int], None]
"""Receives the number of finished matches and of all matches."""

ATTEMPTS = 3
"""How often a match is played when it fails: on a busy machine an answer can take too long once."""


def seed_of(seed: bytes, deal: int) -> bytes:
    """Return the seed of a deal: the same series has the same deals."""
    return hashlib.sha256(b"scoville/arena" + seed + deal.to_bytes(8)).digest()


def circular_orders(entrants: int) -> list[tuple[int, ...]]:
    """Return orders around the table in which each contestant follows each other one equally often.

    Turning a table changes who sits where, but nobody's neighbours; in games of attack the neighbours decide more.
    """
    if all(entrants % divisor for divisor in range(2, entrants)):
        # Of a prime number, the multiples of each step: balanced for neighbours at every distance.
        return [tuple(step * place % entrants for place in range(entrants)) for step in range(1, max(entrants, 2))]
    # Walecki's zigzag through all but one, turned, and closed by that last one; each order in both directions.
    others = entrants - 1
    zigzag = [(place // 2 if place % 2 == 0 else -(place + 1) // 2) for place in range(others)]
    turns = others if others % 2 else others // 2
    forward = [(others, *((turn + place) % others for place in zigzag)) for turn in range(turns)]
    return [*forward, *(order[::-1] for order in forward)]


def turned_orders(order: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the seatings of one deal: each contestant once in every seat, with the same neighbours."""
    return [(*order[turn:], *order[:turn]) for turn in range(len(order))]


class Series:
    """Plays all matches, a few at a time, and keeps what was played when one cannot be.

    Args:
        terms: The conditions of every match.
        players: The contestants. In whatever order they are named, the same matches are played.
        deals: The least number of deals; `deals` is the next one in which all orders come equally often.
        seed: The deals come from it.
    """

    def __init__(self, terms: Terms, players: Sequence[Contestant], deals: int, seed: bytes) -> None:
        self._terms, self._seed = terms, seed
        self._players = players
        by_name = sorted(range(len(players)), key=lambda number: players[number].label)
        self._orders = [tuple(by_name[place] for place in order) for order in circular_orders(len(players))]
        self.deals = -(-deals // len(self._orders)) * len(self._orders)
        self.matches = self.deals * len(players)
        self._played: dict[tuple[int, int], Match] = {}

    async def play_matches(self, jobs: int, progress: Progress) -> None:
        """Play all matches, `jobs` at a time.

        Raises, in a group, what kept a match from being played `ATTEMPTS` times: Unplayed, LinkError, ScovilleError.
        """
        room = asyncio.Semaphore(jobs)

        async def play_one(deal: int, turn: int, seated: tuple[int, ...]) -> None:
            async with room:
                self._played[deal, turn] = await self._play_match(deal, seated)
            progress(len(self._played), self.matches)

        async with asyncio.TaskGroup() as group:
            for deal in range(self.deals):
                for turn, seated in enumerate(turned_orders(self._orders[deal % len(self._orders)])):
                    group.create_task(play_one(deal, turn, seated))

    async def _play_match(self, deal: int, seated: tuple[int, ...]) -> Match:
        for _ in range(ATTEMPTS - 1):
            try:
                return await play_match(self._terms, self._players, seated, seed_of(self._seed, deal))
            except* (LinkError, ScovilleError):
                pass
        return await play_match(self._terms, self._players, seated, seed_of(self._seed, deal))

    def list_played(self) -> list[list[Match]]:
        """Return the matches that were played, by deal; a deal is left out until one of its matches is."""
        deals = sorted({deal for deal, _ in self._played})
        return [[self._played[key] for key in sorted(self._played) if key[0] == deal] for deal in deals]


def by_entrant(match: Match, by_seat: Sequence[int]) -> list[int]:
    """Reorder values by seat into values by contestant."""
    return [by_seat[match.seated.index(entrant)] for entrant in range(len(match.seated))]
