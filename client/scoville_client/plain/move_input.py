"""From what is typed to a move of whatever game is played."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, get_args, get_origin

import msgspec

from scoville_client.i18n.language import told
from scoville_shared.engine.contract import AnyGame, Refusal, Text
from scoville_shared.engine.dice import Dice
from scoville_shared.ids import Seat

MOST_NAMED = 60
"""How many moves are named one by one; a game that offers more has a notation in which they can be typed."""

LONGEST_NUMBER = 9
_ANY_KEY = bytes(32)
"""What others may hold does not matter to whether a move of mine is legal."""

_ON_KEYBOARDS = str.maketrans("−–×÷", "--x/")


def listed(moves: Sequence[Any]) -> list[Any]:
    """List the moves that can be named one by one: all of them, but where a game offers very many."""
    return list(islice(moves, MOST_NAMED))


def has_notation(game: AnyGame) -> bool:
    """Whether moves are typed in a notation of the game, and its hand tells what can be played."""
    return type(game.text).read is not Text.read


def are_numbered(game: AnyGame, moves: Sequence[Any]) -> bool:
    """Whether a list of these moves numbers them: not where their names have numbers of their own."""
    return not any(sign.isdigit() for move in moves for sign in named(game, move))


def refused(game: AnyGame, view: Any, seat: Seat, typed: str) -> Refusal | None:
    """Let the game say why the move that `typed` would mean is none now; None if it would mean none, or several."""
    meant = [] if has_notation(game) else matching(game, list(_simple_moves(game, typed)), typed)
    return game.check(game.imagine(view, Dice(_ANY_KEY)), seat, meant[0]) if len(meant) == 1 else None


def _simple_moves(game: AnyGame, typed: str) -> Iterator[Any]:
    """Make the moves that one word or number is enough for."""
    for kind in game.codec.move_types:
        if len(fields := msgspec.structs.fields(kind)) == 1:
            yield from map(kind, _values(_bare(fields[0].type), typed))


def _values(kind: type[Any], typed: str) -> Iterable[Any]:
    if kind is bool:
        return [True]
    if kind is int:
        return [int(typed)] if typed.isdecimal() and len(typed) <= LONGEST_NUMBER else []
    return kind if issubclass(kind, StrEnum) else []


def _bare(kind: Any) -> type[Any]:
    """Take the bounds off a type."""
    bare: type[Any] = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return bare if isinstance(bare, type) else object


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
    """Whether the name begins so, or a word of the move; a number is not the beginning of another."""
    name = _plainly(named(game, move))
    words = [value for value in game.codec.plain(move).values() if isinstance(value, str)]
    cut_short = wanted[-1:].isdigit() and name[len(wanted) :][:1].isdigit()
    return not cut_short and any(each.startswith(wanted) for each in (name, *words))


def _plainly(name: str) -> str:
    """Write a name as people type it: small letters, single blanks, the signs that keyboards have."""
    return " ".join(name.casefold().translate(_ON_KEYBOARDS).split())
