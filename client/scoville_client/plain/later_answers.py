"""The coach's answers, which take long: other lines are obeyed until they are ready."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

from scoville_client.i18n.language import tr
from scoville_client.plain.output import TextOutput
from scoville_client.session.coach_quota import QUESTIONS
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Filling
from scoville_shared.errors import ScovilleError


class Say(Protocol):
    """Writes a sentence at once, such as one on the progress."""

    def __call__(self, text: str, /, **fields: Filling) -> None: ...


Work = Callable[[Say], Awaitable[Sequence[str]]]

MOST_PENDING: Final = QUESTIONS
"""Questions that are worked on at most.

A user's quota is a minute's; questions that take longer, and those about games of the user's own list, which have no
quota, would pile up without it.
"""


SLOW_SECONDS: Final = 15.0
"""After so long a silence a listener would take the question for lost; first answers take a minute on slow machines."""


class LaterAnswers:
    """Works out answers beside the typed lines.

    Args:
        output: Where answers go.
        find_table: Returns the user's table. The answer about a decision at another one is dropped; one that `lasts`,
            such as the review of a finished game, is kept for the user, the latest of several.
        clock: How long a question is worked on before the user hears that it is.
    """

    def __init__(self, output: TextOutput, find_table: Callable[[], AtTable | None], clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._output = output
        self._find_table = find_table
        self._tasks: set[asyncio.Task[None]] = set()
        self._kept: Sequence[str] = ()

    def begin_answer(self, work: Work, *, lasts: bool = False) -> None:
        """Work out an answer, and write it when it is ready. Raises ValueError if too many are worked on."""
        if len(self._tasks) >= MOST_PENDING:
            raise ValueError(tr("The coach is still busy with {n} questions; wait for an answer.", n=MOST_PENDING))
        task = asyncio.get_running_loop().create_task(self._write_answer(work, lasts=lasts))
        # Kept: the loop refers to its tasks only weakly.
        self._tasks.add(task)
        task.add_done_callback(self._forget_task)

    def take_kept(self) -> Sequence[str]:
        """Return the answer that is kept for the user, once. Raises ValueError if there is none."""
        kept, self._kept = self._kept, ()
        if not kept and self._tasks:
            raise ValueError(tr("The coach still works on your question; the answer comes by itself."))
        if not kept:
            raise ValueError(tr("No answer of the coach is kept for you."))
        return kept

    async def finish(self) -> None:
        """Wait for all answers, and write the one that is kept."""
        await asyncio.gather(*self._tasks)
        if self._kept:
            self._output.write_answer(self.take_kept())

    def cancel(self) -> None:
        """Give up all answers."""
        for task in self._tasks:
            task.cancel()

    def _forget_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error  # a fault of our own: the loop reports it

    async def _write_answer(self, work: Work, *, lasts: bool) -> None:
        at, expected = self._find_table(), self._output.count
        move = _count_own_moves(at)

        def say(text: str, /, **fields: Filling) -> None:
            nonlocal expected
            if self._find_table() is at:  # elsewhere nobody would know what is half done
                expected += 1
                self._output.say(text, **fields)

        slow = self._clock.call_later(
            SLOW_SECONDS, lambda: say("The coach still thinks; everything else works meanwhile.")
        )
        try:
            sentences = await work(say)
        except (ScovilleError, LinkError, ValueError) as error:
            if lasts or self._find_table() is at:
                self._output.write_error(error)
            return
        finally:
            slow.cancel()
        here = self._find_table()
        if here is at:
            if _count_own_moves(at) != move:
                self._output.say("The answer about your last decision:")
            elif self._output.count != expected:
                self._output.say("The answer to your question:")
            self._output.write_answer(sentences)
        elif lasts and here is None:
            self._output.say("The answer to your question:")
            self._output.write_answer(sentences)
        elif lasts:
            # Minutes of reading would drown the game that is played meanwhile.
            self._kept = sentences
            self._output.say("The coach's answer about your earlier game is ready. Type answer to hear it.")


def _count_own_moves(at: AtTable | None) -> int:
    return 0 if at is None or at.seat is None or not at.played else at.played[at.seat]
