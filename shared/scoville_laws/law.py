"""A law as a value: its name, its group, and the function that tries it at a random table."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

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
        group: The module that it is from.
        sentence: The law in words.
        try_at: Tries it for a game, a number of seats and some luck. Raises LawBroken, or what the game raises.
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
"""All laws, in the order in which they are tried: each relies on the ones before."""


def law(trial: Trial) -> Trial:
    """Register a law that is tried at random tables."""
    return _register(trial, once=False)


def plain_law(trial: Trial) -> Trial:
    """Register a law without chance."""
    return _register(trial, once=True)


def _register(trial: Trial, *, once: bool) -> Trial:
    group = trial.__module__.rpartition(".")[2].removesuffix("_laws")
    LAWS.append(Law(group, trial.__name__.replace("_", " "), trial, once))
    return trial
