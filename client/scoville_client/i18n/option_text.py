"""The options of games, how tables live, and how they stand in a list, in plain words."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoville_client.i18n.clock_text import clock_terms, limits_thinking
from scoville_client.i18n.language import told, words
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableClock, TableSettings

_OPTIONS = {
    "cycles": Phrase("Cycles"),
    "open_won": Phrase("Won peppers open"),
    "take_back": Phrase("May take back"),
    "rounds": Phrase("Rounds"),
    "open_chips": Phrase("Chips open"),
    "show_removed": Phrase("Show removed"),
    "tactical": Phrase("Tactical"),
    "points": Phrase("Points to win"),
    "extended": Phrase("Roots, remainder"),
    "zero": Phrase("Zero allowed"),
    "cap": Phrase("Largest total"),
    "die_scores": Phrase("Scores 1 to 12"),
    "shuffle": Phrase("Shuffle Hot Pile"),
    "turn_limit": Phrase("Turn limit"),
}
"""The options of the games that are at home here; those of others are shown by their names."""

STARTS = {
    "host": Phrase("when the host says so"),
    "full": Phrase("when all seats are taken"),
    "ready": Phrase("when everybody is ready"),
}
"""How a game may begin."""


def option_name(key: str) -> str:
    """Name an option."""
    known = _OPTIONS.get(key)
    return key.replace("_", " ").capitalize() if known is None else told(known)


def option_value(value: object) -> str:
    """Write what an option is set to; nothing where there might be a number is no limit."""
    if isinstance(value, bool):
        return words("yes" if value else "no")
    return words("no limit") if value is None else str(value)


def unusual_options(options: Mapping[str, Any], usual: Mapping[str, Any]) -> Iterator[str]:
    """Say what of a game's options is not as usual."""
    for key, value in options.items():
        if key in usual and value != usual[key] and isinstance(value, bool | int | None):
            name = option_name(key)
            yield name if value is True else words("{option}: {value}", option=name, value=option_value(value))


def unusual_clock(clock: TableClock) -> Iterator[str]:
    """Say how long one may think, where that is limited."""
    if limits_thinking(clock):
        yield clock_terms(clock)


def unusual_manners(settings: TableSettings, *, begun: bool = False) -> Iterator[str]:
    """Say what of a table's life is not as usual, but for its being private; how it begins until it has `begun`."""
    if settings.start != "host" and not begun:
        yield words("starts {when}", when=told(STARTS[settings.start]))
    if settings.fill and not begun:
        yield words("bots fill in after {seconds} s", seconds=settings.fill)
    if settings.spectators != "anybody":
        yield told(lookers_on(settings))
    if settings.spectators != "nobody" and not settings.spectators_talk:
        yield words("spectators keep silent")
    if settings.commentary:
        yield words("with commentators")
    if not settings.rated:
        yield words("not rated")


def lookers_on(settings: TableSettings) -> Phrase:
    """Say who may look on, and what they see."""
    if settings.spectators == "anybody":
        return Phrase("anybody looks on")
    if settings.spectators == "nobody":
        return Phrase("nobody looks on")
    if not settings.behind:
        return Phrase("spectators see each round when it is over")
    return Phrase(
        "spectators are {n} more round behind",
        {"n": settings.behind},
        many="spectators are {n} more rounds behind",
        number=settings.behind,
    )
