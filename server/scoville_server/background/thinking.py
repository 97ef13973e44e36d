"""Thinking of searching bots beside the event loop: questions go to a pool of processes, which starts when needed."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from scoville_server.clock import Clock
from scoville_shared.bots.search import Question, Thought

if TYPE_CHECKING:
    from scoville_thinking.pool import Pool

WORKERS: Final = 1
MOVE_SECONDS: Final = 0.2
"""The time of a move in its process; what is not finished by then is cut."""

PATIENCE_SECONDS: Final = 2.0
"""After so long a table plays on without the answer: while kernels are compiled, or when too much waits."""

Answered = Callable[[Thought | None], None]


class Thinking:
    """Has questions answered in other processes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def ask(self, question: Question, playouts: int, seed: int, answered: Answered) -> None:
        """Have a question answered; `answered` is called once, with None where there is no answer in time."""
        from scoville_thinking.messages import Task

        waiting = _Waiting(answered)
        alarm = self._clock.call_later(PATIENCE_SECONDS, lambda: waiting.end(None))
        loop = asyncio.get_running_loop()

        def deliver(thought: Thought | None) -> None:
            alarm.cancel()
            waiting.end(thought)

        def done(answer: "Future[Thought | None]") -> None:
            with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
                loop.call_soon_threadsafe(partial(deliver, None if answer.cancelled() else answer.result()))

        self._pool.ask(Task(question, playouts, seed, MOVE_SECONDS)).add_done_callback(done)

    def close(self) -> None:
        """End the processes."""
        if "_pool" in self.__dict__:
            self._pool.close()

    @cached_property
    def _pool(self) -> "Pool":
        from scoville_thinking.pool import Pool

        return Pool(WORKERS)


class _Waiting:
    """A caller who is answered once."""

    def __init__(self, answered: Answered) -> None:
        self._answered: Answered | None = answered

    def end(self, thought: Thought | None) -> None:
        answered, self._answered = self._answered, None
        if answered is not None:
            answered(thought)
