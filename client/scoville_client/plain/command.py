"""What a command of the line mode is, and where it can be typed."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from scoville_client.plain.app import LineModeApp, Place

ANYWHERE: tuple[Place, ...] = ("menu", "lobby", "waiting", "playing", "finished")
ONLINE: tuple[Place, ...] = ("lobby", "waiting", "playing", "finished")
AT_TABLE: tuple[Place, ...] = ("waiting", "playing", "finished")
WITH_VIEW: tuple[Place, ...] = ("playing", "finished")


class Command(NamedTuple):
    """A command: its names (the first is shown), what may follow, one line of help, where it works, what it does."""

    names: tuple[str, ...]
    after: str
    help: str
    places: tuple[Place, ...]
    run: Callable[[LineModeApp, list[str]], Awaitable[None]]
