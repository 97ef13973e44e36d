"""Commands of the line mode as values."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from scoville_client.plain.app import Context, LineModeApp

ANYWHERE: tuple[Context, ...] = ("menu", "lobby", "waiting", "playing", "finished")
ONLINE: tuple[Context, ...] = ("lobby", "waiting", "playing", "finished")
AT_TABLE: tuple[Context, ...] = ("waiting", "playing", "finished")
WITH_VIEW: tuple[Context, ...] = ("playing", "finished")


class Command(NamedTuple):
    """A command: names (the first is shown), form of its arguments, help, where it is allowed, function."""

    names: tuple[str, ...]
    after: str
    help: str
    contexts: tuple[Context, ...]
    run: Callable[[LineModeApp, list[str]], Awaitable[None]]
