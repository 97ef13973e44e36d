"""Thinking of searching bots beside the event loop: questions go to a pool of processes, which starts when needed."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scoville_runtime.clock import Alarm, Clock
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.thinking_limits import ThinkingLimits
from scoville_server.limits.throttle import WIDER
from scoville_shared.bots.search import Question, Thought
from scoville_shared.bots.turn import BotTurn
from scoville_shared.games.registry import is_ours

if TYPE_CHECKING:
    from scoville_thinking.messages import Work
    from scoville_thinking.pool import Pool

Answered = Callable[[Thought | None], None]

OUTSIDE_HANGING_SECONDS = 10.0
"""Seconds beyond its own time after which the process of another package's bot is killed: it may have to start."""

RETRY_SECONDS = 1.0
"""Seconds after which work that must be answered is asked for again."""


class Asker(NamedTuple):
    """The users behind a bot's question, from the widest group to the narrowest; askers of one group take turns."""

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
        self._retries: defaultdict[str, set[Alarm]] = defaultdict(set)
        """The next attempts at work that must be answered, by the table that asks."""
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

        waiting, patience = _Waiting(answered), self._limits.value.patience_seconds
        if isinstance(question, BotTurn):
            # Its bot has no rule of thumb: it is waited for as long as it may think.
            patience = max(patience, question.seconds)
            answer = self._pool_of_package(question.game).run_work(question, asker)
        else:
            answer = self._pool.ask_question(Task(question, playouts, seed, self._limits.value.move_seconds), asker)

        def give_up() -> None:
            waiting.answer_once(None)
            answer.cancel()

        alarm = self._clock.call_later(patience, give_up)

        def deliver(thought: Thought | None) -> None:
            alarm.cancel()
            waiting.answer_once(thought)

        _pass_to_loop(answer, deliver)

    def insist_on_work(self, asker: Asker, work: "Work", answered: Callable[[Any], None]) -> None:
        """Have work done, however long it takes and however often a process fails; `answered` is called once.

        `stop_insisting` ends the attempts for a table.
        """

        def deliver(answer: object) -> None:
            if answer is None:
                holder: list[Alarm] = []

                def try_again() -> None:
                    self._retries[asker.table].discard(holder[0])
                    self.insist_on_work(asker, work, answered)

                holder.append(self._clock.call_later(RETRY_SECONDS, try_again))
                self._retries[asker.table].add(holder[0])
            else:
                answered(answer)

        _pass_to_loop(self._pool.run_work(work, asker), deliver)

    def stop_insisting(self, table: str) -> None:
        """Make no further attempts for a table."""
        for retry in self._retries.pop(table, ()):
            retry.cancel()

    def warm_up(self, asker: Asker, game: str, level: str) -> None:
        """Start a process for a level, so that its first move need not wait for that."""
        pool = self._pool if is_ours(game) else self._pool_of_package(game)
        pool.warm_up(game, level, asker)

    def close(self) -> None:
        """End the processes."""
        for table in tuple(self._retries):
            self.stop_insisting(table)
        for pool in (*self._take_pools(), *self._replaced):
            pool.close()

    def _take_pools(self) -> "list[Pool]":
        pools, self._pools = [*self._pools.values()], {}
        own: Pool | None = self.__dict__.pop("_pool", None)
        return pools if own is None else [own, *pools]

    def _replace_pools(self) -> None:
        """Use new processes from now on; the old ones end after their last answer."""
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
    """A caller who waits for one answer."""

    def __init__(self, answered: Answered) -> None:
        self._answered: Answered | None = answered

    def answer_once(self, thought: Thought | None) -> None:
        answered, self._answered = self._answered, None
        if answered is not None:
            answered(thought)


def _pass_to_loop(answer: "Future[Any]", deliver: Callable[[Any], None]) -> None:
    """Deliver a pool's answers on the running event loop; None where the work was cancelled."""
    loop = asyncio.get_running_loop()

    def pass_on(answer: "Future[Any]") -> None:
        # Called by a thread of the pool.
        with suppress(RuntimeError):  # the loop has been closed: nobody waits any more
            loop.call_soon_threadsafe(deliver, None if answer.cancelled() else answer.result())

    answer.add_done_callback(pass_on)
