"""All laws in the order in which they are tried, and how one is tried at the tables of a game."""

from collections.abc import Callable, Iterator
from typing import Final

from scoville_laws import moves_laws, secrets_laws, sentences_laws, types_laws, values_laws
from scoville_laws.law import LAWS, Law, Luck
from scoville_shared.engine.contract import AnyGame

_MODULES: Final = (types_laws, values_laws, moves_laws, secrets_laws, sentences_laws)
GROUPS: Final = tuple(module.__name__.rpartition(".")[2].removesuffix("_laws") for module in _MODULES)
"""The groups of laws, in the order in which they are tried: each relies on the ones before."""
EVERY_LAW: Final = tuple(sorted(LAWS, key=lambda law: GROUPS.index(law.group)))

_SHORTER: Final = (0, 1, 2, 4, 8, 16, 40)
"""Lengths of games that are tried after a law was found broken, to show it by a short one."""
_SEEDS: Final = 12
"""Trials of each length."""


class BrokenAt(Exception):
    """A law is broken; the message says how, at which table, and after how many moves at most."""


def list_sizes(game: AnyGame) -> range:
    """Return the numbers of seats that a game can have."""
    return range(game.info.seats[0], game.info.seats[1] + 1)


def try_law(
    law: Law, game: AnyGame, goes_on: Callable[[int], bool], before_trial: Callable[[], None] = lambda: None
) -> int:
    """Try a law at every size of table, in turn, as long as `goes_on(trials)`; returns the number of trials.

    Raises BrokenAt.
    """
    trials = 0
    for seats, seed in _list_tables(game, law):
        if trials >= len(list_sizes(game)) and not goes_on(trials):
            break
        before_trial()
        try:
            law.try_at(game, seats, Luck(seed))
        except Exception as error:
            raise BrokenAt(_describe_shortest(law, game, seats, error)) from error
        trials += 1
    return trials


def _list_tables(game: AnyGame, law: Law) -> Iterator[tuple[int, int]]:
    sizes, seed = list_sizes(game), 0
    while True:
        for seats in sizes:
            yield seats, seed
        if law.once:
            return
        seed += 1


def _describe_shortest(law: Law, game: AnyGame, seats: int, error: Exception) -> str:
    """Say how a law is broken, by the shortest game that is found."""
    for longest in _SHORTER:
        for seed in range(_SEEDS):
            luck = Luck(seed)
            luck.longest = longest
            try:
                law.try_at(game, seats, luck)
            except Exception as found:  # noqa: BLE001 - the game may raise anything
                return f"{_what(found)} ({seats} players, after {longest} moves at most)"
    return f"{_what(error)} ({seats} players)"


def _what(error: Exception) -> str:
    kind = type(error).__name__
    return str(error) if kind == "LawBroken" else f"{kind}: {error}".rstrip(": ")
