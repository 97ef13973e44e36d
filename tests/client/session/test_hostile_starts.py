"""Servers that deal in their heads once they know all nonces, and make the start void until they like the deal.

Each is the real server with one dishonest decision, which a real client meets over a connection that the server cuts.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

import pytest
from msgspec.structs import replace

from scoville_client.session.table.deal_check import DOUBTS, FROM_THE_DEAL, NOT_TAKEN, UNFAIR_START, VOID_STARTS
from scoville_client.session.table.deal_record import DealStanding, DealVerdict
from scoville_client.session.table.start_record import Accepted, Doubt
from scoville_client.transport.tcp import TcpLink
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actions import join, start
from scoville_server.tables.actions.start import AutoStart
from scoville_server.tables.actions.void_start import StartVoided
from scoville_server.tables.actor import TableActor
from scoville_shared.ids import Seat
from tests.support.proxy import Proxy
from tests.support.recording_session import SHORT, RecordingSession, connect_guest
from tests.support.server import core_of, until

ANNA, BEN = Seat(0), Seat(1)


class Victim:
    """Anna, who plays over a connection that can be cut, and Ben, who works with the server."""

    def __init__(self, proxy: Proxy, server: Server, anna: RecordingSession, ben: RecordingSession) -> None:
        self.proxy, self.anna, self.ben = proxy, anna, ben
        self.actor: TableActor = core_of(server).tables.find_table(anna.at.id)
        self.follow = ben.fair_deal.follow_table

    async def reveal(self) -> None:
        """Let Anna reveal her nonce while Ben's is missing: the server knows both, and what it would deal."""
        self.ben.fair_deal.follow_table = lambda at: None  # type: ignore[method-assign]
        self.starting = asyncio.ensure_future(self.anna.table_actions.start_game())
        await until(lambda: any(isinstance(entry, Accepted) for entry in self.anna.at.deal.start.entries))

    async def end_start(self) -> None:
        """End the time for revealing."""
        await self.actor.carry_out(AutoStart())

    async def play(self) -> DealVerdict:
        """Start again and play to the end; returns Anna's verdict."""
        anna, ben = self.anna, self.ben
        ben.fair_deal.follow_table = self.follow  # type: ignore[method-assign]
        ben.fair_deal.follow_table(ben.at)
        await until(lambda: ben.at.deal.redrawn == ben.at.deal.voided and not ben.fair_deal._tasks)
        await until(lambda: anna.at.deal.redrawn == anna.at.deal.voided and not anna.fair_deal._tasks)
        await anna.table_actions.start_game()
        await anna.until(lambda: anna.at.started is not None)
        return await self.finish()

    async def finish(self) -> DealVerdict:
        """Play to the end; returns Anna's verdict."""
        anna, ben = self.anna, self.ben
        while anna.at.result is None:
            await anna.until(lambda: anna.at.result is not None or anna.at.my_turn or ben.at.my_turn)
            for user in (anna, ben):
                if user.at.my_turn:
                    await user.play_move(user.at.legal_moves()[0])
        await anna.until(lambda: anna.at.deal.verdict is not None)
        assert anna.at.deal.verdict is not None
        return anna.at.deal.verdict


@asynccontextmanager
async def open_victim(
    monkeypatch: pytest.MonkeyPatch, game: str = "no_thanks", seats: int = 3
) -> AsyncIterator[Victim]:
    """Seat Anna and Ben at a table, with a bot where there are more seats."""
    monkeypatch.setattr(start, "REVEAL_MS", 10**9)  # the server decides when the time is over
    async with AsyncExitStack() as stack:
        server = Server(Settings(host="127.0.0.1", port=0))
        stack.push_async_callback(server.close)
        await server.start()
        proxy = await stack.enter_async_context(Proxy(server.port))
        anna = RecordingSession()
        await anna.connect(TcpLink("127.0.0.1", proxy.port), "Anna")
        stack.push_async_callback(anna.close)
        ben = await connect_guest(stack, server, "Ben")
        table = (await anna.lobby.create_table(game, seats, SHORT[game])).table
        await anna.join_table(table)
        await ben.lobby.enter_table(table=table)
        await ben.join_table(table)
        yield Victim(proxy, server, anna, ben)


@pytest.fixture
async def victim(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Victim]:
    async with open_victim(monkeypatch) as victim:
        yield victim


@contextmanager
def voiding(monkeypatch: pytest.MonkeyPatch, seat: Seat, reason: str) -> Iterator[None]:
    """Make a server that blames one seat for a void start, whatever was revealed."""
    with monkeypatch.context() as patched:
        patched.setattr(
            start,
            "_settle_start",
            lambda table, asked, now_ms: (StartVoided(at_ms=now_ms, missing=(seat,), reason=reason),),
        )
        yield


@pytest.mark.parametrize("reason", ["missing", "left"])
@pytest.mark.parametrize("gap", [0, 1])
@pytest.mark.parametrize("cut", [True, False])
async def test_a_start_void_by_the_victim_is_not_verified(
    victim: Victim, monkeypatch: pytest.MonkeyPatch, *, reason: str, gap: int, cut: bool
) -> None:
    await victim.reveal()
    if cut:
        victim.proxy.cut()
        await victim.anna.until(lambda: not victim.anna.connection.online)
    with voiding(monkeypatch, ANNA, reason):
        victim.actor.watched.table = replace(victim.actor.table, dropped=victim.actor.table.dropped + gap)
        await victim.end_start()
    victim.proxy.mend()
    await victim.anna.until(lambda: victim.anna.connection.online and victim.anna.at.deal.voided > 0)
    verdict = await victim.play()
    assert verdict.standing is not DealStanding.VERIFIED
    if gap == 0 or reason == "left":
        assert verdict.phrase.text == UNFAIR_START.text
    else:
        assert verdict.phrase == DOUBTS[Doubt.BLAMED].with_fields(verdict.phrase.fields)


async def test_nobody_has_left_after_a_void_start_that_says_so(victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    await victim.reveal()
    with voiding(monkeypatch, BEN, "left"):
        await victim.end_start()
    verdict = await victim.play()
    assert (verdict.standing, verdict.phrase.text) == (DealStanding.BROKEN, UNFAIR_START.text)


async def test_void_starts_are_counted_and_the_players_named(victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ben helps the server: he withholds his nonce whenever it does not like the deal."""
    await victim.reveal()
    with voiding(monkeypatch, BEN, "missing"):
        await victim.end_start()
    verdict = await victim.play()
    note = VOID_STARTS.with_fields({"n": 1, "players": ["Ben"]}, 1)
    assert verdict == (DealStanding.VERIFIED, FROM_THE_DEAL, (note,))
    assert note.render([]).startswith("1 start was void before this deal; missing: Ben.")


async def test_a_refused_next_hash_is_not_verified(victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nonce of an accomplice is all that the server needs then."""
    await victim.reveal()
    honest = join._replace_nonce
    monkeypatch.setattr(
        join,
        "_replace_nonce",
        lambda table, mine, command, now_ms: () if mine == ANNA else honest(table, mine, command, now_ms),
    )
    with voiding(monkeypatch, BEN, "missing"):
        await victim.end_start()
    victim.actor.watched.table = replace(victim.actor.table, redrawing=frozenset())
    verdict = await victim.play()
    assert (verdict.standing, verdict.phrase) == (DealStanding.OPEN, NOT_TAKEN)


async def test_a_void_start_survives_leaving_and_rejoining(victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    await victim.reveal()
    with voiding(monkeypatch, ANNA, "missing"):
        await victim.end_start()
    await victim.anna.until(lambda: victim.anna.at.deal.voided > 0)
    table = victim.anna.at.id
    await victim.anna.leave_table()
    await victim.anna.join_table(table)
    host = victim.actor.table.seats[ANNA].user
    assert host is not None
    victim.actor.watched.table = replace(victim.actor.table, host=ANNA)
    verdict = await victim.play()
    assert verdict.standing is not DealStanding.VERIFIED


async def test_table_called_unrated_later_needs_all_nonces(monkeypatch: pytest.MonkeyPatch) -> None:
    """With or without Ben's nonce: the server could choose between two deals, and no start would be void."""
    async with open_victim(monkeypatch, "dicht_dran", 2) as victim:
        assert victim.actor.table.needs_all_nonces
        await victim.reveal()
        opened = victim.actor.table.opened
        victim.actor.watched.table = replace(
            victim.actor.table, opened=replace(opened, settings=replace(opened.settings, rated=False))
        )
        victim.proxy.cut()
        await victim.anna.until(lambda: not victim.anna.connection.online)
        victim.proxy.mend()
        await victim.anna.until(lambda: victim.anna.connection.online and not victim.anna.at.info.settings.rated)
        revealing = victim.actor.table.revealing
        assert revealing is not None
        victim.actor.watched.table = replace(victim.actor.table, revealing=replace(revealing, until_ms=0))
        await victim.end_start()
        await victim.anna.until(lambda: victim.anna.at.started is not None)
        verdict = await victim.finish()
    assert (verdict.standing, verdict.phrase.text) == (DealStanding.BROKEN, UNFAIR_START.text)
