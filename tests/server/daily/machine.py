"""A machine that runs servers with a daily deal on one disk, and users who play it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from scoville_runtime.clock import Clock
from scoville_server.background.thinking import Asker
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.catalog import GameCatalog
from scoville_shared.bots.search import Thought
from scoville_shared.protocol import messages as m
from tests.support.clock import FakeClock
from tests.support.idle import wait_until_idle
from tests.support.server import CHEAP_HASHING, Caller, core_of

PASSWORD = "green or red?"
HOUR, DAY = 3_600, 86_400
SETTINGS = Settings(accounts=CHEAP_HASHING)

Choose = Callable[[Sequence[Any]], Any]


def first_move(moves: Sequence[Any]) -> Any:
    return moves[0]


def last_move(moves: Sequence[Any]) -> Any:
    return moves[-1]


def answer_at_once(_: Asker, work: Any, answered: Callable[[Any], None]) -> None:
    """Answer a search by its rule of thumb: nothing here waits for a process."""
    answered(Thought(work.question.moves[0], (), 0, cut=False))


class Machine:
    """A machine with a clock and a disk; `date_ms` is what its clock shows."""

    def __init__(self, start_ms: int) -> None:
        self.clock = FakeClock()
        self.journal = MemoryJournal()
        self.start_ms = start_ms

    @property
    def date_ms(self) -> int:
        return self.start_ms + int(self.clock.time * 1000)

    def set_clock(self, hours: float) -> None:
        """Set the machine's clock forwards or back; no time passes."""
        self.start_ms += int(hours * 3_600_000)

    def journal_rows(self, book: str) -> list[bytes]:
        """List the rows of all books whose names begin so."""
        return [
            row.value for name, rows in self.journal._books.items() if name.startswith(book) for row in rows.values()
        ]

    @asynccontextmanager
    async def run(self, settings: Settings = SETTINGS) -> AsyncIterator[Server]:
        server = await self.start(settings)
        try:
            yield server
        finally:
            await server.close()

    async def start(self, settings: Settings = SETTINGS) -> Server:
        fake = self.clock
        clock = Clock(lambda: self.date_ms, lambda: fake.time, fake.call_later, sleep=fake.sleep)
        server = Server(settings, catalog=GameCatalog(), journal=self.journal, clock=clock)
        core_of(server).thinking_pool.insist_on_work = answer_at_once  # type: ignore[method-assign]
        await server.start()
        core_of(server).daily.start_serving()
        await wait_until_idle()
        return server

    async def play_out(self, caller: Caller, table: str, choose: Choose = first_move, most: int = 10_000) -> None:
        """Let a user play at most so many moves of a game, which goes on as long as it takes."""
        for _ in range(most):
            seen = await self.wait_for_turn(caller, table)
            if seen.info.status == "finished":
                await core_of(caller.server).background.finish_tasks()
                return
            moves = (await caller.call(m.MovesRequest(table=table))).moves
            await caller.call(m.PlayRequest(table=table, move=choose(moves)))

    async def wait_for_turn(self, caller: Caller, table: str) -> m.TableSnapshot:
        """Wait until the user must move or the game is over."""
        while True:
            await wait_until_idle()
            seen: m.TableSnapshot = await caller.call(m.PollRequest(table=table))
            if seen.info.status == "finished" or seen.seat in seen.pending:
                return seen
            await self.clock.elapse(1)


async def new_user(server: Server, name: str, *, owns_name: bool = True, address: str = "") -> Caller:
    """Connect a user, with a claimed name or as a guest."""
    caller = await Caller(server, address).hello(name)
    if owns_name:
        await caller.call(m.ClaimNameRequest(password=PASSWORD))
    return caller


async def come_back(server: Server, caller: Caller) -> Caller:
    """Connect a user of an earlier run again."""
    assert caller.welcome is not None
    return await Caller(server).hello(token=caller.welcome.token)


async def show(caller: Caller) -> m.ShowDailyReply:
    reply: m.ShowDailyReply = await caller.call(m.ShowDailyRequest())
    return reply


async def begin(caller: Caller, day: int | None = None) -> str:
    """Begin or continue a deal; returns the table."""
    joined: m.JoinReply = await caller.call(m.PlayDailyRequest(day=day))
    return joined.info.table


async def story_of(caller: Caller, table: str) -> list[tuple[Any, ...]]:
    """Return the moves of a game with what everybody saw of them."""
    seen: m.TableSnapshot = await caller.call(m.PollRequest(table=table))
    return [(e.seat, e.mover, e.facts) for e in seen.events if isinstance(e, m.Played)]
