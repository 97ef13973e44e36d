"""Contestants: built-in bots by level, mixes of them, programs by command."""

import shlex
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_shared.bots.registry import find_level, list_levels, list_references

LONGEST_LABEL = 20
_MIXES = "+"
"""Stands between the levels of a mix."""


class Contestant(Struct, frozen=True, kw_only=True):
    """A player of the arena: a built-in bot, or the program `command` with arguments.

    `level` is a level, or the name of a reference bot; with several in `mixed`, each match has one of them.
    """

    label: str
    level: str = ""
    mixed: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


def contestants(game: str, specs: Sequence[str]) -> list[Contestant]:
    """Parse the contestants. A name without a space or slash is a level. Raises ValueError with a sentence."""
    made = [_contestant(game, text) for text in specs]
    times = Counter(entrant.label for entrant in made)
    seen: Counter[str] = Counter()
    named = []
    for entrant in made:
        seen[entrant.label] += 1
        label = entrant.label if times[entrant.label] == 1 else f"{entrant.label} {seen[entrant.label]}"
        named.append(replace(entrant, label=label))
    return named


def _contestant(game: str, text: str) -> Contestant:
    if not set(text) & {" ", "/", "\\"}:
        return _built_in(game, text)
    try:
        command = tuple(shlex.split(text))
    except ValueError:
        raise ValueError(tr("A quotation mark is missing in the command {command}.", command=text)) from None
    return Contestant(label=_last_word(command), command=command)


def _built_in(game: str, text: str) -> Contestant:
    names = [_known(game, name) for name in text.split(_MIXES)]
    mixed = tuple(names) if len(names) > 1 else ()
    return Contestant(label=_MIXES.join(names)[:LONGEST_LABEL], level=names[0], mixed=mixed)


def _known(game: str, name: str) -> str:
    """Return the level that a name means, or the reference bot."""
    level = name if name in list_references(game) else find_level(game, name)
    if level is None:
        raise ValueError(
            tr(
                "{name} is not a bot of this game; the bots are {known}. To run a program, give its path: ./{name}",
                name=name,
                known=", ".join([*list_levels(game), *list_references(game)]),
            )
        )
    return level


def _last_word(command: Sequence[str]) -> str:
    """Return the name of a program: the last word that is no option, without folder and suffix."""
    name = next((word for word in reversed(command) if not word.startswith("-")), command[0])
    stem = name.replace("\\", "/").rsplit("/", 1)[-1]
    return stem.partition(".")[0][:LONGEST_LABEL] or stem[:LONGEST_LABEL]
