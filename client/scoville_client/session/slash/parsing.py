"""Parsing of slash commands and their arguments."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from scoville_client.i18n.exceptions import Fault
from scoville_client.i18n.language import tr
from scoville_client.session.conversations import Conversations
from scoville_shared.engine.phrases import Phrase

_UNITS: Final = {"m": 60, "h": 3_600, "d": 86_400}
_SPAN: Final = re.compile(r"(\d{1,4})([mhd])")


class Misuse(Fault):
    """A command was typed wrongly; the text is a sentence for the user."""


class Command(NamedTuple):
    """A slash command: name, form of its arguments, help, function, and whether it is for admins only.

    `run` receives the conversations and the text after the name; it returns lines to show and raises as `Request` does.
    """

    name: str
    takes: str
    help: Phrase
    run: "Callable[[Conversations, str], Awaitable[Sequence[str]]]"
    admin: bool = False


def name_and_rest(typed: str, known: Sequence[str]) -> tuple[str, str]:
    """Split off a name: the longest known one that fits, one in quotes, or else the first word."""
    if typed.startswith('"') and '"' in typed[1:]:
        name, _, rest = typed[1:].partition('"')
        return name, rest.strip()
    fits = [name for name in known if _begins(typed.casefold(), name.casefold())]
    if fits:
        name = max(fits, key=len)
        return name, typed[len(name) :].strip()
    name, _, rest = typed.partition(" ")
    return name, rest.strip()


def _begins(typed: str, name: str) -> bool:
    return typed == name or typed.startswith(f"{name} ")


def somebody(talk: Conversations, typed: str, form: str) -> tuple[str, str]:
    """Split off a name. Raises Misuse with the `form` of the command when there is none."""
    name, rest = name_and_rest(typed, talk.names())
    if not name:
        raise Misuse(tr("The name is missing: type {form}", form=form))
    return name, rest


def number(typed: str, form: str) -> tuple[int, str]:
    """Split off a number. Raises Misuse with the `form` of the command when there is none."""
    first, _, rest = typed.partition(" ")
    if not first.removeprefix("#").isdecimal():
        raise Misuse(tr("The number is missing: type {form}", form=form))
    return int(first.removeprefix("#")), rest.strip()


def span(typed: str) -> tuple[int, str]:
    """Split off a duration such as `30m`, `12h` or `7d`, in seconds; 0 means permanently."""
    first, _, rest = typed.partition(" ")
    found = _SPAN.fullmatch(first)
    return (0, typed) if found is None else (int(found[1]) * _UNITS[found[2]], rest.strip())
