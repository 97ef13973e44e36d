"""Parsing of typed moves, for every game."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, get_args, get_origin

import msgspec

from scoville_client.i18n.language import render
from scoville_shared.engine.contract import AnyGame, Refusal, Text
from scoville_shared.engine.dice import Dice
from scoville_shared.ids import Seat

MOST_NAMED = 60
"""Moves that are listed by name at most; games with more have a notation."""

LONGEST_NUMBER = 9
_ANY_KEY = bytes(32)
"""Key for the hidden part of a state: whether a move of this seat is legal does not depend on it."""

_NAMELESS = ("",) * 16
"""Seats without a name: a digit in the name of a player is none of the move."""

_ON_KEYBOARDS = str.maketrans("−–×÷", "--x/")


def list_moves(moves: Sequence[Any]) -> list[Any]:
    """Return the moves that can be listed by name."""
    return list(islice(moves, MOST_NAMED))


def has_notation(game: AnyGame) -> bool:
    """Whether moves are typed in the game's notation, and its hand shows what can be played."""
    return type(game.text).read_move is not Text.read_move


def are_numbered(game: AnyGame, moves: Sequence[Any]) -> bool:
    """Whether a list of these moves has numbers: not if their names contain digits, beside those of players."""
    return not any(sign.isdigit() for move in moves for sign in name_move(game, move, _NAMELESS))


def refuse_typed(game: AnyGame, view: Any, seat: Seat, typed: str) -> Refusal | None:
    """Return the game's refusal of the move that `typed` would mean; None if it would mean none, or several."""
    meant = [] if has_notation(game) else list_typed_moves(game, typed)
    return game.check(game.imagine(view, Dice(_ANY_KEY)), seat, meant[0]) if len(meant) == 1 else None


def list_typed_moves(game: AnyGame, typed: str) -> list[Any]:
    """List the moves of one word or number that `typed` may mean, legal or not."""
    return match_moves(game, list(_simple_moves(game, typed)), typed)


def _simple_moves(game: AnyGame, typed: str) -> Iterator[Any]:
    """Yield the moves for which one word or number is enough."""
    for kind in game.codec.move_types:
        if len(fields := msgspec.structs.fields(kind)) == 1:
            yield from map(kind, _list_values(_strip_bounds(fields[0].type), typed))


def _list_values(kind: type[Any], typed: str) -> Iterable[Any]:
    # The names of the field and of its move say which one is meant; False is another move.
    if kind is bool:
        return [True]
    if kind is int:
        return [int(typed)] if typed.isdecimal() and len(typed) <= LONGEST_NUMBER else []
    return kind if issubclass(kind, StrEnum) else []


def _strip_bounds(kind: Any) -> type[Any]:
    """Return a type without its bounds."""
    bare: type[Any] = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return bare if isinstance(bare, type) else object


def name_move(game: AnyGame, move: Any, names: Sequence[str] = ()) -> str:
    """Return the name of a move, in which seats are called by `names`."""
    return render(game.text.describe_move(move), names)


def match_moves(game: AnyGame, moves: Sequence[Any], typed: str, names: Sequence[str] = ()) -> list[Any]:
    """Return the moves that `typed` may mean: by name, by a word or number of the move, or by the name's start.

    None means that it is no legal move; several, that more must be typed.
    """
    wanted = _normalize_name(typed.replace("_", " "))
    for means in (_is_named, _has_word, _begins_with):
        found = [move for move in moves if means(game, move, wanted, names)]
        if found:
            return found
    return []


def _is_named(game: AnyGame, move: Any, wanted: str, names: Sequence[str]) -> bool:
    return _normalize_name(name_move(game, move, names)) == wanted


def _has_word(game: AnyGame, move: Any, wanted: str, names: Sequence[str]) -> bool:  # noqa: ARG001 - as the others'
    """Whether `wanted` is a value of the move as plain data, or the key of a value that is true."""
    words = (key if value is True else str(value) for key, value in game.codec.encode_plain(move).items())
    return wanted in {word.casefold().replace("_", " ") for word in words}


def _begins_with(game: AnyGame, move: Any, wanted: str, names: Sequence[str]) -> bool:
    """Whether the name or a word of the move starts with the text; a number is not the start of another."""
    name = _normalize_name(name_move(game, move, names))
    words = [value for value in game.codec.encode_plain(move).values() if isinstance(value, str)]
    cut_short = wanted[-1:].isdigit() and name[len(wanted) :][:1].isdigit()
    return not cut_short and any(each.startswith(wanted) for each in (name, *words))


def _normalize_name(name: str) -> str:
    """Normalize a name to characters that keyboards can type: lower case, single spaces, ASCII signs."""
    return " ".join(name.casefold().translate(_ON_KEYBOARDS).split())
