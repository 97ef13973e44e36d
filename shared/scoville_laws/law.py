"""A law as a value, and how one is tried at the tables of a game."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple

from scoville_shared.engine.contract import AnyGame


class LawBroken(AssertionError):
    """A game breaks a law; the message says how."""


def demand(met: bool, otherwise: str) -> None:
    """Raise LawBroken with a sentence if a demand is not met."""
    if not met:
        raise LawBroken(otherwise)


Trial = Callable[[AnyGame, int, "Luck"], None]


class Luck(Random):
    """The chance of one trial; positions have at most `longest` moves, so that a short game shows a broken law."""

    longest = 120


class Law(NamedTuple):
    """Something that every game obeys.

    Attributes:
        group: The subject in one word.
        sentence: The law in words.
        try_at: Tries it for a game, a number of seats and some luck. Raises LawBroken, and any exception of the game.
        once: Whether one trial shows everything, because no chance is in it.
    """

    group: str
    sentence: str
    try_at: Trial
    once: bool

    @property
    def name(self) -> str:
        """The law's name: its words with underscores."""
        return self.try_at.__name__


LAWS: list[Law] = []
"""The registered laws; `laws.EVERY_LAW` is complete."""


def law(group: str, *, once: bool = False) -> Callable[[Trial], Trial]:
    """Register a law that is tried at random tables, or `once` where no chance is in it."""

    def register(trial: Trial) -> Trial:
        LAWS.append(Law(group, trial.__name__.replace("_", " "), trial, once))
        return trial

    return register


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
        # Every size at least once, however short the time is.
        if trials >= len(list_sizes(game)) and not goes_on(trials):
            break
        before_trial()
        try:
            law.try_at(game, seats, Luck(seed))
        # A law may fail in any way: what is reported is the smallest table that breaks it.
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
                return f"{_describe_error(found)} ({seats} players, after {longest} moves at most)"
    return f"{_describe_error(error)} ({seats} players)"


def _describe_error(error: Exception) -> str:
    return str(error) if isinstance(error, LawBroken) else f"{type(error).__name__}: {error}".rstrip(": ")
