"""A game's own texts: its tagline and the labels of its options."""

from typing import Any

from scoville_client.i18n.language import render
from scoville_shared.engine.contract import Text
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry


def tagline(game: str) -> str:
    """Return the game (by its slug) in one sentence; empty if it has none or is not installed here."""
    text = _text_of(game)
    return "" if text is None or text.tagline is None else render(text.tagline)


def option_name(game: str, key: str) -> str:
    """Return the label of an option; its key in words if the game does not name it or is not installed here."""
    text = _text_of(game)
    label = None if text is None else text.option_names.get(key)
    return key.replace("_", " ").capitalize() if label is None else render(label)


def option_help(game: str, key: str) -> str:
    """Explain an option in a short line; empty if the game does not, or is not installed here."""
    text = _text_of(game)
    about = None if text is None else text.option_help.get(key)
    return "" if about is None else render(about)


def _text_of(game: str) -> Text[Any, Any, Any] | None:
    try:
        return registry.load(game).text
    except ScovilleError:
        return None
