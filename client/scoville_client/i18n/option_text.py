"""Game options and table settings in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoville_client.i18n.clock_text import clock_terms, limits_thinking, short_seconds
from scoville_client.i18n.game_text import option_name, value_name
from scoville_client.i18n.language import render, tr
from scoville_shared.bots.registry import list_equal_levels
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableClock, TableSettings

STARTS = {
    "host": Phrase("when the host starts it"),
    "full": Phrase("when all seats are taken"),
    "ready": Phrase("when everybody is ready"),
}
"""Ways in which a game may start."""

_LEVELS = {
    "random": Phrase("random"),
    "easy": Phrase("easy"),
    "casual": Phrase("casual"),
    "sensible": Phrase("sensible"),
    "strong": Phrase("strong"),
    "master": Phrase("master"),
    "adaptive": Phrase("adaptive"),
}


def level_name(level: str) -> str:
    """Return the name of a level of bots; a level of a newer server keeps its own."""
    return render(_LEVELS[level]) if level in _LEVELS else level


def bot_of_level(level: str | None) -> str:
    """Name a bot by its level; of older servers it is unknown."""
    return tr("{level} bot", level=level_name(level)) if level else tr("bot")


def bot_levels(settings: TableSettings) -> str:
    """Return the levels of a table's bots: the usual one, then those of single seats, which count from 1."""
    own = enumerate(settings.bot_levels, 1)
    varied = [tr("seat {n}: {level}", n=seat, level=level_name(level)) for seat, level in own if level]
    return ", ".join([level_name(settings.bot_level), *varied])


def list_equal_bots(game: str, seats: int, level: str) -> str:
    """Return which levels win as often as this one with so many players, in a few words; empty if there is none."""
    equal = list_equal_levels(game, seats)
    if level not in equal:
        return ""
    return tr("equally strong with {n} players: {levels}", n=seats, levels=", ".join(map(level_name, equal)))


def add_equal_bots(text: str, game: str, seats: int, level: str) -> str:
    """Append to a sentence which levels win as often as this one, as a sentence of its own."""
    equal = list_equal_bots(game, seats, level)
    return f"{text} {equal[:1].upper()}{equal[1:]}." if equal else text


def option_value(value: object, game: str = "", key: str = "") -> str:
    """Return the value of an option as text; None means no limit.

    With the slug of its `game` and its `key` a value that the game names is called so.
    """
    if game and (named := value_name(game, key, value)):
        return named
    if isinstance(value, str):
        return value.replace("_", " ")
    if isinstance(value, bool):
        return tr("yes" if value else "no")
    return tr("no limit") if value is None else str(value)


def unusual_options(game: str, options: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[str]:
    """List the options of a game (by its slug) that differ from the usual ones."""
    for key, value in options.items():
        if key in usual and value != usual[key] and isinstance(value, bool | int | str | None):
            name, shown = option_name(game, key), option_value(value, game, key)
            yield name if value is True else tr("{option}: {value}", option=name, value=shown)


def unusual_clock(clock: TableClock) -> Iterator[str]:
    """Yield the thinking time, if it is limited."""
    if limits_thinking(clock):
        yield clock_terms(clock)


def unusual_settings(
    settings: TableSettings, clock: TableClock, *, begun: bool = False, rated: bool = True
) -> Iterator[str]:
    """Yield the table settings that differ from the default, except for `private`, and whether a game is not rated.

    How the game starts is left out once it has `begun`; `rated` is what the server says of the table.
    """
    if settings.hostless and settings.start == "host":
        yield tr("no host")
    if (settings.start != "host" or settings.hostless) and not begun:
        yield tr("starts {when}", when=render(STARTS["ready" if settings.start == "host" else settings.start]))
    if settings.fill_ms is not None and not begun:
        yield tr("bots take free seats after {time}", time=short_seconds(round(settings.fill_ms / 1000)))
    if settings.bot_level != TableSettings().bot_level or any(settings.bot_levels):
        yield tr("bots: {level}", level=bot_levels(settings))
    if settings.absent_level is not None:
        yield tr("{level} bots for absent players", level=level_name(settings.absent_level))
    if settings.spectating != "anybody":
        yield render(spectator_access(settings))
    if settings.spectating != "nobody" and not settings.spectators_talk:
        yield tr("spectators cannot chat")
    if settings.commentary:
        yield tr("commentators may see all hands")
    if settings.coach:
        yield tr("players may ask the coach")
    yield from unrated_terms(settings, clock, rated=rated)


def unrated_terms(settings: TableSettings, clock: TableClock, *, rated: bool = True) -> Iterator[str]:
    """Yield that a game is not rated, and why if that is the clock; games at private tables never are.

    A server may have reasons of its own: where it does not say `rated`, the game is not.
    """
    if settings.commentary or settings.coach or not settings.rated:
        yield tr("not rated")
    elif not settings.private and not clock.timed:
        yield tr("not rated without a clock")
    elif not settings.private and not clock.fits_rating:
        yield tr("not rated with this clock")
    elif not settings.private and not rated:
        yield tr("not rated")


def spectator_access(settings: TableSettings) -> Phrase:
    """Return who may spectate, and what spectators see."""
    if settings.spectating == "anybody":
        return Phrase("open to spectators")
    if settings.spectating == "nobody":
        return Phrase("no spectators")
    if not settings.rounds_behind:
        return Phrase("spectators see each round when it is over")
    return Phrase(
        "spectators see it {n} round later",
        {"n": settings.rounds_behind},
        many="spectators see it {n} rounds later",
        number=settings.rounds_behind,
    )
