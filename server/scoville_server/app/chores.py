"""What the house does on the side: writes that nobody waits for, and whatever else must be done before it closes."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from scoville_server.journal.base import JournalError
from scoville_shared.errors import ScovilleError

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Chores:
    """Work under way. The house does not close before it is done."""

    def __init__(self) -> None:
        self._under_way: set[asyncio.Task[Any]] = set()

    def do(self, chore: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Begin something."""
        task = asyncio.get_running_loop().create_task(chore)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def write(self, write: Coroutine[Any, Any, None]) -> None:
        """Write what can wait: if the journal cannot now, what it knows is older, but not wrong."""
        self.do(_if_it_can(write))

    async def finish(self) -> None:
        """Wait until nothing is under way; a refusal among it is for whoever asked, and no reason to stay open."""
        while self._under_way:
            done, _ = await asyncio.wait(self._under_way)
            self._under_way -= done
            for task in done:
                _report(task)


def _report(task: asyncio.Task[Any]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, ScovilleError):
        _log.error("what was to be done before the end has failed", exc_info=error)


async def _if_it_can(write: Coroutine[Any, Any, None]) -> None:
    try:
        await write
    except JournalError as error:
        _log.info("%s", error.message)
