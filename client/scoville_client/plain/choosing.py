"""From what is typed to a move of whatever game is played."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from scoville_client.language import told
from scoville_shared.kit.contract import AnyGame

MOST_NAMED = 60
"""How many moves are named one by one; a game that offers more has a notation in which they can be typed."""


def listed(moves: Sequence[Any]) -> list[Any]:
    """List the moves that can be named one by one: all of them, but where a game offers very many."""
    return list(islice(moves, MOST_NAMED))


def named(game: AnyGame, move: Any) -> str:
    """Name a move as the menu shows it."""
    return told(game.text.move(move))


def matching(game: AnyGame, moves: Sequence[Any], typed: str) -> list[Any]:
    """List the moves that `typed` may mean: by name, else by a word or number of the move, else by the name's start.

    None match what is no move now; several, what has to be typed more fully.
    """
    wanted = _plainly(typed.replace("_", " "))
    for means in (_is_named, _has_word, _begins):
        found = [move for move in moves if means(game, move, wanted)]
        if found:
            return found
    return []


def _is_named(game: AnyGame, move: Any, wanted: str) -> bool:
    return _plainly(named(game, move)) == wanted


def _has_word(game: AnyGame, move: Any, wanted: str) -> bool:
    """Whether `wanted` is a value of the move's plain form, or the key of one that is simply true."""
    words = (key if value is True else str(value) for key, value in game.codec.plain(move).items())
    return wanted in {word.casefold().replace("_", " ") for word in words}


def _begins(game: AnyGame, move: Any, wanted: str) -> bool:
    return _plainly(named(game, move)).startswith(wanted)


def _plainly(name: str) -> str:
    """Write a name as people type it: small letters, single blanks."""
    return " ".join(name.casefold().split())
