"""The coach's answers, which take long: other lines are obeyed until they are ready."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from scoville_client.plain.output import TextOutput
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_shared.engine.phrases import Filling
from scoville_shared.errors import ScovilleError


class Say(Protocol):
    """Writes a sentence at once, such as one on the progress."""

    def __call__(self, text: str, /, **fields: Filling) -> None: ...


Work = Callable[[Say], Awaitable[Sequence[str]]]


class LaterAnswers:
    """Works out answers beside the typed lines.

    Args:
        output: Where answers go.
        find_table: Returns the user's table; the answer to a question at another one is dropped.
    """

    def __init__(self, output: TextOutput, find_table: Callable[[], AtTable | None]) -> None:
        self._output = output
        self._find_table = find_table
        self._tasks: set[asyncio.Task[None]] = set()

    def begin_answer(self, work: Work) -> None:
        """Work out an answer, and write it when it is ready."""
        task = asyncio.get_running_loop().create_task(self._write_answer(work))
        # Kept: the loop refers to its tasks only weakly.
        self._tasks.add(task)
        task.add_done_callback(self._forget_task)

    async def finish(self) -> None:
        """Wait for all answers."""
        await asyncio.gather(*self._tasks)

    def cancel(self) -> None:
        """Give up all answers."""
        for task in self._tasks:
            task.cancel()

    def _forget_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error  # a fault of our own: the loop reports it

    async def _write_answer(self, work: Work) -> None:
        at, expected = self._find_table(), self._output.count
        move = _count_own_moves(at)

        def say(text: str, /, **fields: Filling) -> None:
            nonlocal expected
            expected += 1
            self._output.say(text, **fields)

        try:
            sentences = await work(say)
        except (ScovilleError, LinkError, ValueError) as error:
            if self._find_table() is at:
                self._output.write_error(error)
            return
        if self._find_table() is not at:
            return
        if _count_own_moves(at) != move:
            self._output.say("The answer about your last decision:")
        elif self._output.count != expected:
            self._output.say("The answer to your question:")
        self._output.write_answer(sentences)


def _count_own_moves(at: AtTable | None) -> int:
    return 0 if at is None or at.seat is None or not at.played else at.played[at.seat]
