"""Guarantees for programs in other languages: constant values, and words as identifiers."""

import re
from enum import StrEnum

import pytest
from msgspec import Struct, inspect

from scoville_shared.games.registry import list_slugs, load_game
from tests.support.games import finished, law, moves_like
from tests.support.shapes import kinds_in

every_game = pytest.mark.parametrize("game", [pytest.param(load_game(slug), id=slug) for slug in list_slugs()])
IDENTIFIER = re.compile(r"[a-z]+(_[a-z]+)*")


def structs(game):
    """All structs that values of the game are made of."""
    codec = game.codec
    kinds = (codec.options_type, codec.state_type, *codec.move_types, codec.view_type, codec.fact_type)
    return [kind for kind in kinds_in(*kinds) if isinstance(kind, inspect.StructType)]


def words(name):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def assert_codes(kind):
    """Codes are the names of their reasons, in small letters: programs may rely on either."""
    assert issubclass(kind, StrEnum)
    assert [reason.value for reason in kind] == [reason.name.lower() for reason in kind]


@every_game
def test_a_game_is_listed_as_what_it_is(game):
    info = game.info
    assert load_game(info.slug) is game
    assert info.title.strip() == info.title != ""
    assert info.seats[0] <= info.official[0] <= info.official[1] <= info.seats[1]
    assert info.rules_version >= 1
    assert info.max_moves >= 1


@every_game
def test_every_value_is_frozen(game):
    families = {base for kind in structs(game) for base in kind.cls.__mro__ if issubclass(base, Struct)} - {Struct}
    assert [kind for kind in families if not kind.__struct_config__.frozen] == []


@every_game
def test_options_and_moves_with_unknown_keys_are_refused(game):
    addressed = (game.codec.options_type, *game.codec.move_types)
    assert [kind for kind in addressed if not kind.__struct_config__.forbid_unknown_fields] == []


@every_game
def test_facts_are_tagged_with_their_names(game):
    tagged = [kind for kind in structs(game) if kind.tag_field is not None]
    assert {kind.tag_field for kind in tagged} == {"fact"}
    assert [kind.tag for kind in tagged] == [words(kind.cls.__name__) for kind in tagged]


@every_game
def test_words_in_values_are_small(game):
    kinds = kinds_in(game.codec.options_type, *game.codec.move_types, game.codec.view_type, game.codec.fact_type)
    texts = [member.value for kind in kinds if isinstance(kind, inspect.EnumType) for member in kind.cls]
    assert [text for text in texts if text[0].isalpha() and not IDENTIFIER.fullmatch(text)] == []


@law
def test_the_codes_of_an_ending_are_its_names(game, seats, data):
    assert_codes(type(game.outcome(data.draw(finished(game, seats)).state).reason))


@law
def test_the_codes_of_a_refusal_are_its_names(game, seats, data):
    over = data.draw(finished(game, seats)).state
    assert_codes(type(game.check(over, 0, data.draw(moves_like(game))).reason))
