"""Parsing of new tables: `GAME PLAYERS OPTION=VALUE private password=… spectators=…`, in any order.

Words that are nothing else are the game, as people say it; `players=3`, `seats=3` and `3 players` are all the same.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from scoville_client.i18n.language import render, tr
from scoville_client.session.new_table.option_input import (
    find_local_zone,
    parse_absence,
    parse_bots,
    parse_clock,
    parse_night,
    parse_option,
)
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import GameInfo, TableSettingsParams

_SETTINGS = {
    "private": ("private", Phrase("yes or no")),
    "spectators": ("spectators", Phrase("anybody, nobody, or rounds (each round is shown when it is over)")),
    "behind": ("rounds_behind", Phrase("how many rounds later spectators see the game, up to 20")),
    "talk": ("spectators_talk", Phrase("yes or no")),
    "commentary": ("commentary", Phrase("yes or no")),
    "coach": ("coach", Phrase("yes or no")),
    "rated": ("rated", Phrase("yes or no")),
    "hostless": ("hostless", Phrase("yes or no")),
    "start": ("start", Phrase("host, full or ready")),
    "countdown": ("countdown_ms", Phrase("seconds, up to 600")),
    "absent_bots": ("absent_level", Phrase("a level such as easy or sensible")),
    "pace": ("bot_pace_ms", Phrase("milliseconds, up to 5000")),
    "fill": ("fill_ms", Phrase("seconds, up to 3600; 0 means never")),
}
"""Names of the table settings here and in the protocol, with their values."""

_IN_SECONDS = {"countdown_ms", "fill_ms"}
"""Settings that are typed in seconds; the protocol has milliseconds."""

_BARE = {"private", "commentary", "coach", "hostless"}
"""Settings that are set by their names alone."""


_PLAYERS = {"players", "player", "seats"}
_TERMS = ("bots", "clock", "night", "absence", "password")
"""Other settings of a table that take a value."""


class TypedTable(NamedTuple):
    """A table to open; a `password` of None is to be asked for."""

    game: str
    players: int | None
    options: dict[str, Any]
    clock: dict[str, Any]
    settings: dict[str, Any]
    password: str | None


def parse_table(words: Sequence[str]) -> TypedTable:
    """Parse the arguments of a new table. Raises ValueError with a sentence."""
    wanted = TypedTable("", None, {}, {}, {}, "")
    for word in words:
        wanted = _add_word(wanted, word)
    return wanted._replace(game=name_game(wanted.game) or DEFAULT_GAME)


def name_game(typed: str) -> str:
    """Return the name for programs of a game as people say it: `Last Stick!` is `last_stick`."""
    return "_".join(typed.casefold().replace("!", "").split())


def find_game(words: Sequence[str], known: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the game of `known` with which typed words begin, and the words after it; "" if they begin with none.

    >>> find_game(["Last", "Stick!", "tips"], ["last_stick"])
    ('last_stick', ['tips'])
    """
    for length in range(len(words), 0, -1):
        if (game := name_game(" ".join(words[:length]))) in known:
            return game, words[length:]
    return "", words


def _add_word(wanted: TypedTable, word: str) -> TypedTable:
    name, equals, value = word.partition("=")
    if name.casefold() in _PLAYERS:
        return wanted._replace(players=_read_players(value)) if equals else wanted
    if name == "password":
        return wanted._replace(password=value or None)
    if name in _BARE and not equals:
        return wanted._replace(settings={**wanted.settings, name: True})
    if name == "bots":
        return wanted._replace(settings={**wanted.settings, **parse_bots(value)})
    if equals and name in _SETTINGS:
        return wanted._replace(settings={**wanted.settings, **_parse_setting(name, word)})
    if name == "clock":
        return wanted._replace(clock={**wanted.clock, **parse_clock(value)})
    if name == "night":
        return wanted._replace(clock={**wanted.clock, **parse_night(value, find_local_zone())})
    if name == "absence":
        return wanted._replace(clock={**wanted.clock, **parse_absence(value)})
    # An option of the game; `check_options` knows which there are.
    if equals:
        return wanted._replace(options={**wanted.options, **dict([parse_option(word)])})
    # All other words are the name of the game, which may have several.
    return wanted._replace(players=int(word)) if word.isdecimal() else wanted._replace(game=f"{wanted.game} {word}")


def _read_players(typed: str) -> int:
    if not typed.isdecimal():
        raise ValueError(tr("{text} is not a number of players; give a whole number such as 4.", text=repr(typed)))
    return int(typed)


def check_options(wanted: TypedTable, games: Sequence[GameInfo], own_words: Sequence[str] | None = None) -> None:
    """Refuse an option that the game does not have, before the server does: it knows nothing of what else is typed.

    Args:
        wanted: The table.
        games: The games of the server; one that is not among them is left to it.
        own_words: The words that can be set beside the options of the game; by default the settings of a table.

    Raises:
        ValueError: There is no such option; the sentence names those that there are.
    """
    game = next((each for each in games if each.slug == wanted.game), None)
    wrong = [] if game is None else [name for name in wanted.options if name not in game.options]
    if game is None or not wrong:
        return
    words = ["players", *(own_words or (*_TERMS, *_SETTINGS))]
    raise ValueError(
        tr(
            "There is no setting {name}. Options of {game}: {options}. Other settings: {settings}.",
            name=wrong[0],
            game=game.title,
            options=", ".join(game.options) or tr("none"),
            settings=", ".join(words),
        )
    )


def _parse_setting(name: str, word: str) -> dict[str, Any]:
    field, fitting = _SETTINGS[name]
    _, value = parse_option(word)
    if field in _IN_SECONDS and type(value) is int:
        # 0 means never for bots that fill seats, and no delay for a countdown.
        value = 1000 * value or (None if field == "fill_ms" else 0)
    try:
        msgspec.convert({field: value}, TableSettingsParams)
    except msgspec.ValidationError:
        sentence = tr("{word} is not allowed: {name} is {fitting}.", word=word, name=name, fitting=render(fitting))
        raise ValueError(sentence) from None
    return {field: value}
