"""Commands of the line mode as values."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from scoville_client.plain.app import LineModeApp, Place

ANYWHERE: tuple[Place, ...] = ("menu", "lobby", "waiting", "playing", "finished")
ONLINE: tuple[Place, ...] = ("lobby", "waiting", "playing", "finished")
AT_TABLE: tuple[Place, ...] = ("waiting", "playing", "finished")
WITH_VIEW: tuple[Place, ...] = ("playing", "finished")


class Command(NamedTuple):
    """A command: names (the first is shown), form of its arguments, help, where it is allowed, function."""

    names: tuple[str, ...]
    after: str
    help: str
    places: tuple[Place, ...]
    run: Callable[[LineModeApp, list[str]], Awaitable[None]]
