"""Teardown of an App that has ended: reference counts free it and its widgets, without a collection of garbage."""

import asyncio
from collections.abc import Iterable
from typing import Any

from textual.message_pump import MessagePump


async def dismantle_app(pumps: Iterable[Any]) -> None:
    """Empty an app and all of its widgets, which refer to each other in circles.

    Only a collection of the oldest generation would find these, and it stops all users of a process.
    """
    emptied: list[MessagePump] = list(pumps)
    unfinished = [pump._task for pump in emptied if pump._task is not None and not pump._task.done()]  # noqa: SLF001
    for task in unfinished:  # a session that was cancelled has not ended its widgets
        task.cancel()
    if unfinished:
        await asyncio.wait(unfinished)
    for pump in emptied:
        pump.__dict__.clear()
        pump._closing = pump._closed = True  # noqa: SLF001 - a late timer still posts messages, which this drops
        pump._running = False  # noqa: SLF001
