"""Thinking of searching bots beside the event loop: questions go to a pool of processes, which starts when needed."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from scoville_runtime.clock import Clock
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.thinking_limits import ThinkingLimits
from scoville_server.limits.throttle import WIDER
from scoville_shared.bots.search import Question, Thought
from scoville_shared.bots.turn import BotTurn

if TYPE_CHECKING:
    from scoville_thinking.pool import Pool

Answered = Callable[[Thought | None], None]

OUTSIDE_HANGING_SECONDS = 5.0
"""Seconds beyond its own time after which the process of another package's bot is killed."""


class Asker(NamedTuple):
    """For whom a bot thinks, from the widest group to the narrowest; askers of one group take turns."""

    network: str
    address: str
    user: str
    table: str


class Thinking:
    """Has questions answered in other processes.

    Args:
        clock: The time after which a bot waits no longer.
        limits: How many processes there are, and how askers share them.
    """

    def __init__(self, clock: Clock, limits: Adjustable[ThinkingLimits] | None = None) -> None:
        self._clock = clock
        self._limits = as_live(limits or ThinkingLimits())
        self._limits.follow(lambda _: self._replace_pools())
        self._pools: dict[str, Pool] = {}
        self._replaced: set[Pool] = set()

    @property
    def waiting(self) -> int:
        """How many questions wait for a process; looking at it starts none."""
        own = self._pool.waiting if "_pool" in self.__dict__ else 0
        return own + sum(pool.waiting for pool in self._pools.values())

    def ask_pool(
        self, asker: Asker, question: Question | BotTurn, playouts: int, seed: int, answered: Answered
    ) -> None:
        """Have a question or a turn answered; `answered` is called once, with None where there is no answer in time."""
        from scoville_thinking.messages import Task

        waiting = _Waiting(answered)
        if isinstance(question, BotTurn):
            answer = self._pool_of_package(question.game).run_work(question, asker)
        else:
            answer = self._pool.ask_question(Task(question, playouts, seed, self._limits.value.move_seconds), asker)
        loop = asyncio.get_running_loop()

        def give_up() -> None:
            waiting.end(None)
            answer.cancel()

        alarm = self._clock.call_later(self._limits.value.patience_seconds, give_up)

        def deliver(thought: Thought | None) -> None:
            alarm.cancel()
            waiting.end(thought)

        def done(answer: "Future[Thought | None]") -> None:
            # Called by a thread of the pool.
            with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
                loop.call_soon_threadsafe(partial(deliver, None if answer.cancelled() else answer.result()))

        answer.add_done_callback(done)

    def warm_up(self, asker: Asker, game: str, level: str) -> None:
        """Start a process for a searching level, so that its first move need not wait for that."""
        self._pool.warm_up(game, level, asker)

    def close(self) -> None:
        """End the processes."""
        for pool in (*self._take_pools(), *self._replaced):
            pool.close()

    def _take_pools(self) -> "list[Pool]":
        pools, self._pools = [*self._pools.values()], {}
        own: Pool | None = self.__dict__.pop("_pool", None)
        return pools if own is None else [own, *pools]

    def _replace_pools(self) -> None:
        """Ask new processes from now on; the old ones end when nobody waits for their answers any more."""
        for pool in self._take_pools():
            self._replaced.add(pool)
            self._clock.call_later(self._limits.value.patience_seconds, partial(self._end_replaced, pool))

    def _end_replaced(self, pool: "Pool") -> None:
        if pool in self._replaced:
            self._replaced.discard(pool)
            pool.close()

    @cached_property
    def _pool(self) -> "Pool":
        return self._new_pool(self._limits.value.workers)

    def _pool_of_package(self, game: str) -> "Pool":
        """Return the pool of a game from another package: one that hangs takes no process from other games' bots."""
        if game not in self._pools:
            self._pools[game] = self._new_pool(1, hanging_seconds=OUTSIDE_HANGING_SECONDS)
        return self._pools[game]

    def _new_pool(self, workers: int, **hanging: float) -> "Pool":
        from scoville_thinking.pool import Pool, PoolLimits

        limits = self._limits.value
        address = limits.waiting_per_address
        quotas = (WIDER * address, address, limits.waiting_per_user, limits.waiting_per_table)
        return Pool(PoolLimits(workers, limits.process_idle_seconds, limits.waiting, quotas, **hanging))


class _Waiting:
    """A caller who is answered once."""

    def __init__(self, answered: Answered) -> None:
        self._answered: Answered | None = answered

    def end(self, thought: Thought | None) -> None:
        answered, self._answered = self._answered, None
        if answered is not None:
            answered(thought)
