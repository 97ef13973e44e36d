"""A game's own texts: its tagline and the labels of its options.

They come from the game, if it is installed here, and of others from the server, which has written them in the user's
language.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scoville_client.i18n.language import render, spell_text, translator
from scoville_outside import guard
from scoville_shared.engine.contract import Text
from scoville_shared.engine.options import list_choices
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import GameTexts, OptionText


def describe_games(described: Mapping[str, GameTexts]) -> None:
    """Note a server's texts about games, by slug, that this client does not have."""
    translator.get().described = described


def is_described(game: str) -> bool:
    """Whether the texts of a game are those of the server."""
    return game in translator.get().described


def game_tagline(game: str) -> str:
    """Return the game (by its slug) in one sentence; empty if it has none and the server has not described it."""
    described = translator.get().described.get(game)
    if described is not None:
        return spell_text(described.tagline or "")
    text = _text_of(game)
    return "" if text is None or text.tagline is None else render(text.tagline)


def option_name(game: str, key: str) -> str:
    """Return the label of an option; its key in words if neither the game nor the server names it."""
    described = _described_option(game, key)
    if described is not None:
        return spell_text(described.label)
    text = _text_of(game)
    label = None if text is None else text.option_names.get(key)
    return key.replace("_", " ").capitalize() if label is None else render(label)


def value_name(game: str, key: str, value: object) -> str:
    """Return a game's name for a value of an option; empty if it has no name."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    described = _described_option(game, key)
    if described is not None:
        return next((spell_text(each.text) for each in described.value_texts if each.value == value), "")
    text = _text_of(game)
    name = None if text is None else text.option_values.get(key, {}).get(value)
    return "" if name is None else render(name)


def option_choices(game: str, key: str) -> Sequence[int | str]:
    """Return the values of an option that has only a few, such as an enum; none of other options or games."""
    described = _described_option(game, key)
    if described is not None:
        return [each.value for each in described.value_texts]
    try:
        return list_choices(guard.load_game(game).codec.options_type).get(key, ())
    # The server offers games that this client does not have.
    except ScovilleError:
        return ()


def option_range(game: str, key: str) -> tuple[int, int] | None:
    """Return the least and the most of a number, of a game that the server has described."""
    described = _described_option(game, key)
    return None if described is None else described.number_range


def option_help(game: str, key: str) -> str:
    """Explain an option in a short line; empty if it has no explanation."""
    described = _described_option(game, key)
    if described is not None:
        return spell_text(described.help or "")
    text = _text_of(game)
    about = None if text is None else text.option_help.get(key)
    return "" if about is None else render(about)


def _described_option(game: str, key: str) -> OptionText | None:
    described = translator.get().described.get(game)
    return None if described is None else next((each for each in described.option_texts if each.key == key), None)


def _text_of(game: str) -> Text[Any, Any, Any] | None:
    try:
        return guard.load_game(game).text
    except ScovilleError:  # this client has no such game: its name alone has to do
        return None
