"""Guarantees for programs in other languages: constant values, and words as identifiers."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct, inspect

from scoville_laws.law import Luck, demand, law, plain_law
from scoville_laws.tables import draw_finished, draw_move
from scoville_laws.values import list_kinds
from scoville_shared.engine.contract import AnyGame, Refusal
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat

_IDENTIFIER = re.compile(r"[a-z]+(_[a-z]+)*")


@plain_law
def a_game_is_listed_as_what_it_is(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    info = game.info
    demand(load_game(info.slug) is game, f"{info.slug} is another game than the installed one")
    demand(info.title.strip() == info.title != "", f"the title is {info.title!r}")
    ordered = info.seats[0] <= info.official[0] <= info.official[1] <= info.seats[1]
    demand(ordered, f"official players {info.official} are not among the players {info.seats}")
    demand(info.rules_version >= 1, f"rules_version is {info.rules_version}; it begins with 1")
    demand(info.max_moves >= 1, f"max_moves is {info.max_moves}")


@plain_law
def every_value_is_frozen(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    families = {base for kind in _structs_of(game) for base in kind.cls.__mro__ if issubclass(base, Struct)}
    thawed = [kind.__name__ for kind in families - {Struct} if not kind.__struct_config__.frozen]
    demand(not thawed, f"not frozen: {', '.join(sorted(thawed))}")


@plain_law
def options_and_moves_with_unknown_keys_are_refused(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    kinds = (game.codec.options_type, *game.codec.move_types)
    lax = [kind.__name__ for kind in kinds if not kind.__struct_config__.forbid_unknown_fields]
    demand(not lax, f"without forbid_unknown_fields: {', '.join(lax)}")


@plain_law
def facts_are_tagged_with_their_names(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    for kind in _structs_of(game, game.codec.fact_type):
        if kind.tag_field is not None:
            demand(kind.tag_field == "fact", f"{kind.cls.__name__} is tagged by {kind.tag_field!r}, not by 'fact'")
            name = _words_of(kind.cls.__name__)
            demand(kind.tag == name, f"{kind.cls.__name__} has the tag {kind.tag!r}, not {name!r}")


@plain_law
def words_in_values_are_small(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    codec = game.codec
    for kind in list_kinds(codec.options_type, *codec.move_types, codec.view_type, codec.fact_type):
        if isinstance(kind, inspect.EnumType):
            texts = [str(member.value) for member in kind.cls]
            wrong = [text for text in texts if text[:1].isalpha() and not _IDENTIFIER.fullmatch(text)]
            demand(not wrong, f"{kind.cls.__name__} has values that are no words of small letters: {', '.join(wrong)}")


@law
def codes_of_an_ending_are_its_names(game: AnyGame, seats: int, luck: Luck) -> None:
    outcome = game.outcome(draw_finished(game, seats, luck).state)
    demand(outcome is not None, "a game in which no seat is pending has no outcome")
    _demand_codes(type(outcome.reason) if outcome is not None else StrEnum)


@law
def codes_of_a_refusal_are_its_names(game: AnyGame, seats: int, luck: Luck) -> None:
    over = draw_finished(game, seats, luck).state
    for seat in range(seats):
        move = draw_move(game, luck)
        refusal = game.check(over, Seat(seat), move)
        demand(isinstance(refusal, Refusal), f"seat {seat} may play {move} after the end of the game")
        if refusal is not None:
            _demand_codes(type(refusal.reason))


def _structs_of(game: AnyGame, *kinds: Any) -> Iterator[inspect.StructType]:
    """Yield all structs that values of the game are made of, or of those kinds."""
    codec = game.codec
    chosen = kinds or (codec.options_type, codec.state_type, *codec.move_types, codec.view_type, codec.fact_type)
    return (kind for kind in list_kinds(*chosen) if isinstance(kind, inspect.StructType))


def _words_of(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _demand_codes(kind: type) -> None:
    """Codes are the names of their reasons, in small letters: programs may rely on either."""
    demand(issubclass(kind, StrEnum), f"the reason is a {kind.__name__}, not a StrEnum")
    if issubclass(kind, StrEnum):
        wrong = [reason.value for reason in kind if reason.value != reason.name.lower()]
        demand(not wrong, f"values of {kind.__name__} are not their names: {', '.join(wrong)}")
