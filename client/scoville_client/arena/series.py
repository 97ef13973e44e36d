"""Series of matches: each deal is played once from every seat, a few matches at a time."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence

from scoville_client.arena.contestants import Contestant
from scoville_client.arena.match import Match, Terms, play_match

Progress = Callable[[int, int], None]
"""Receives the number of finished matches and of all matches."""


def seed_of(seed: bytes, deal: int) -> bytes:
    """Return the seed of a deal: the same series has the same deals."""
    return hashlib.sha256(b"scoville/arena" + seed + deal.to_bytes(8)).digest()


def seatings(entrants: int) -> list[tuple[int, ...]]:
    """Return the seatings of one deal: each contestant once in every seat."""
    return [tuple((seat + turn) % entrants for seat in range(entrants)) for turn in range(entrants)]


async def play_series(
    terms: Terms, players: Sequence[Contestant], deals: int, seed: bytes, jobs: int, progress: Progress
) -> list[list[Match]]:
    """Play all matches and return them by deal. Raises Unplayed, LinkError and ScovilleError."""
    turns = seatings(len(players))
    room = asyncio.Semaphore(jobs)
    over = 0

    async def one(deal: int, seated: tuple[int, ...]) -> Match:
        nonlocal over
        async with room:
            match = await play_match(terms, players, seated, seed_of(seed, deal))
        over += 1
        progress(over, deals * len(turns))
        return match

    async with asyncio.TaskGroup() as group:
        tasks = [[group.create_task(one(deal, seated)) for seated in turns] for deal in range(deals)]
    return [[task.result() for task in deal] for deal in tasks]


def by_entrant(match: Match, by_seat: Sequence[int]) -> list[int]:
    """Reorder values by seat into values by contestant."""
    return [by_seat[match.seated.index(entrant)] for entrant in range(len(match.seated))]
