"""A game's own texts: its tagline and the labels of its options."""

from collections.abc import Sequence
from typing import Any

from scoville_client.i18n.language import render
from scoville_outside import guard
from scoville_shared.engine.contract import Text
from scoville_shared.engine.options import list_choices
from scoville_shared.errors import ScovilleError


def game_tagline(game: str) -> str:
    """Return the game (by its slug) in one sentence; empty if it has none or is not installed here."""
    text = _text_of(game)
    return "" if text is None or text.tagline is None else render(text.tagline)


def option_name(game: str, key: str) -> str:
    """Return the label of an option; its key in words if the game does not name it or is not installed here."""
    text = _text_of(game)
    label = None if text is None else text.option_names.get(key)
    return key.replace("_", " ").capitalize() if label is None else render(label)


def value_name(game: str, key: str, value: object) -> str:
    """Return what a game calls a value of an option; empty if it does not, or is not installed here."""
    text = _text_of(game)
    if text is None or isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    name = text.option_values.get(key, {}).get(value)
    return "" if name is None else render(name)


def option_choices(game: str, key: str) -> Sequence[int | str]:
    """Return the values of an option that has only a few, such as an enum; none of other options or games."""
    try:
        return list_choices(guard.load_game(game).codec.options_type).get(key, ())
    except ScovilleError:
        return ()


def option_help(game: str, key: str) -> str:
    """Explain an option in a short line; empty if the game does not, or is not installed here."""
    text = _text_of(game)
    about = None if text is None else text.option_help.get(key)
    return "" if about is None else render(about)


def _text_of(game: str) -> Text[Any, Any, Any] | None:
    try:
        return guard.load_game(game).text
    except ScovilleError:
        return None
