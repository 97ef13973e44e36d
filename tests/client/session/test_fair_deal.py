"""The client's part in a verifiable deal: what it stores, reveals, refuses to reveal, and draws again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.session.changes import RemovedFromTable, TableChanged
from scoville_client.session.table.deal_check import FROM_THE_DEAL, VOID_STARTS
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.session.table.pledge import file_pledges
from scoville_client.session.table.start_record import Committed, HeldHash
from scoville_client.transport.in_process import LocalLink
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.actions.start import REVEAL_MS, AutoStart, Start
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    NoncesRequested,
    Params,
    Reply,
    RevealRequest,
    Started,
    StartVoided,
)
from tests.support.recording_session import RecordingSession, connect_guest, seat_two_guests
from tests.support.server import core_of, until


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
async def server(stack: AsyncExitStack) -> Server:
    server = Server(Settings())
    stack.push_async_callback(server.close)
    return server


class FailingLink(LocalLink):
    """A connection that breaks `times` times when a nonce is revealed: before the request `arrives`, or after it."""

    def __init__(self, server: Server, times: int, *, arrives: bool = False) -> None:
        super().__init__(server)
        self.reveals = 0
        self._times = times
        self._arrives = arrives

    async def call(self, params: Params) -> Reply:
        if isinstance(params, RevealRequest):
            self.reveals += 1
            if self.reveals <= self._times:
                if self._arrives:
                    await super().call(params)
                assert self._caller is not None
                self._caller._transport.abort()
        return await super().call(params)


class RefusingLink(LocalLink):
    """A connection whose server refuses the first nonce with `code`."""

    def __init__(self, server: Server, code: Code) -> None:
        super().__init__(server)
        self.reveals = 0
        self._code = code

    async def call(self, params: Params) -> Reply:
        if isinstance(params, RevealRequest):
            self.reveals += 1
            if self.reveals == 1:
                raise ScovilleError(self._code, "no")
        return await super().call(params)


async def test_the_server_learns_a_nonce_only_when_it_requests_all(stack: AsyncExitStack, server: Server) -> None:
    anna, ben = await seat_two_guests(stack, server)
    table = core_of(server).tables.find_table(anna.at.id).table
    assert all(len(seat_state.nonce_hash) == 32 and not seat_state.nonce for seat_state in table.seats[:2])
    await anna.table_actions.start_game()
    await ben.until(lambda: ben.at.started is not None)
    kinds = [type(seen.event) for seen in ben.at.deal.events]
    assert kinds.index(NoncesRequested) < kinds.index(Started)
    assert ben.at.started is not None
    for user in (anna, ben):
        assert user.at.seat is not None
        assert user.at.deal.pledge is not None
        assert ben.at.started.nonces[user.at.seat] == user.at.deal.pledge.nonce


@pytest.mark.parametrize("what", ["commitment", "options", "rules_version", "dealer", "hash"])
async def test_a_server_that_changes_what_was_pinned_gets_no_nonce(
    stack: AsyncExitStack, server: Server, what: str
) -> None:
    anna, ben = await seat_two_guests(stack, server)
    mine = ben.at.deal.pledge
    assert mine is not None
    other = {
        "commitment": replace(mine, commitment="00" * 32),
        "options": replace(mine, terms=replace(mine.terms, options={"rounds": 2})),
        "rules_version": replace(mine, terms=replace(mine.terms, rules_version=2)),
        "dealer": replace(mine, terms=replace(mine.terms, dealer=1)),
        "hash": replace(mine, nonce="00" * 32),
    }[what]
    ben.at.deal.pledge = other
    ben.at.deal.start.add_entry(Committed(other.nonce_hash or ""))
    ben.at.deal.start.add_entry(HeldHash(1, other.nonce_hash))
    await anna.table_actions.start_game()
    await ben.until(lambda: bool(ben.recorder.of(RemovedFromTable)))
    table = core_of(server).tables.find_table(anna.at.id).table
    assert [seat_state.nonce for seat_state in table.seats[1:2]] == [b""]
    assert table.status == "waiting"
    (removed,) = ben.recorder.of(RemovedFromTable)
    assert "your random number was not revealed" in removed.sentence.text


async def test_a_void_start_draws_anew_and_verifies(stack: AsyncExitStack, server: Server) -> None:
    anna, ben = await seat_two_guests(stack, server)
    cleo = await connect_guest(stack, server, "Cleo")
    await cleo.lobby.enter_table(table=anna.at.id)
    await cleo.join_table(anna.at.id)
    first = anna.at.deal.pledge
    cleo.fair_deal.stop_tasks()
    cleo.fair_deal.follow_table = lambda at: None  # type: ignore[method-assign]  # a client that withholds its nonce
    actor = core_of(server).tables.find_table(anna.at.id)
    host = actor.table.seats[0].user
    assert host is not None
    await actor.carry_out(Start(user=host, strength="random"))
    await until(lambda: actor.table.unrevealed_seats == [2])
    later = REVEAL_MS + actor.now()
    actor.now = lambda: later  # type: ignore[method-assign]
    await actor.carry_out(AutoStart())
    await anna.until(lambda: any(isinstance(seen.event, StartVoided) for seen in anna.at.deal.events))
    await until(lambda: anna.at.deal.redrawn > 0 and ben.at.deal.redrawn > 0)
    assert first is not None
    assert anna.at.deal.pledge is not None
    assert anna.at.deal.pledge.nonce != first.nonce
    assert anna.at.deal.pledge.commitment == first.commitment
    log = [entry.phrase.render(anna.at.names) for entry in anna.at.log]
    assert "The start is void: no random number came from Cleo. New ones are drawn for the next start." in log
    await cleo.leave_table()
    await anna.table_actions.start_game()
    assert anna.at.started is not None
    while anna.at.result is None:
        await anna.until(lambda: anna.at.result is not None or anna.at.my_turn or ben.at.my_turn)
        for user in (anna, ben):
            if user.at.my_turn:
                await user.play_move(user.at.legal_moves()[0])
    await anna.until(lambda: anna.at.deal.verdict is not None)
    void = VOID_STARTS.with_fields({"n": 1, "players": ["Cleo"]}, 1)
    assert anna.at.deal.verdict == (DealStanding.VERIFIED, FROM_THE_DEAL, (void,))


async def test_a_killed_client_reveals_its_stored_nonce(stack: AsyncExitStack, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "nonces.json"
    anna = await connect_guest(stack, server, "Anna")
    ben = await connect_guest(stack, server, "Ben", file_pledges(file))
    table = (await anna.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    kept = ben.at.deal.pledge
    assert kept is not None
    token = ben.connection.token
    await ben.close()
    again = RecordingSession()
    again.fair_deal.pledges, again.connection.token = file_pledges(file), token
    await again.connect(LocalLink(server), "Ben")
    stack.push_async_callback(again.close)
    await again.join_table(table)
    await anna.table_actions.start_game()
    await again.until(lambda: again.at.started is not None)
    assert again.at.started is not None
    assert again.at.started.nonces[1] == kept.nonce


@pytest.mark.parametrize("arrives", [False, True])
async def test_a_lost_reveal_is_repeated_after_reconnecting(
    stack: AsyncExitStack, server: Server, *, arrives: bool
) -> None:
    anna, link = await connect_guest(stack, server, "Anna"), FailingLink(server, 2, arrives=arrives)
    ben = await connect_guest(stack, server, "Ben", link=link)
    table = (await anna.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    await anna.table_actions.start_game()
    await ben.until(lambda: ben.connection.online and ben.returns > 0 and ben.at.started is not None)
    assert arrives or link.reveals == 3
    assert ben.at.started is not None
    assert ben.at.deal.pledge is not None
    assert (ben.at.started.nonces[1], ben.at.started.missing) == (ben.at.deal.pledge.nonce, [])


@pytest.mark.parametrize(("code", "reveals"), [(Code.BUSY, 2), (Code.WRONG_NONCE, 1)])
async def test_a_reveal_is_repeated_after_a_temporary_refusal(
    stack: AsyncExitStack, server: Server, code: Code, reveals: int
) -> None:
    anna, link = await connect_guest(stack, server, "Anna"), RefusingLink(server, code)
    ben = await connect_guest(stack, server, "Ben", link=link)
    table = (await anna.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    starting = asyncio.ensure_future(anna.table_actions.start_game())
    await until(lambda: link.reveals == reveals and not ben.fair_deal._tasks)
    ben.publish_change(TableChanged())
    await until(lambda: not ben.fair_deal._tasks)
    assert link.reveals == reveals
    starting.cancel()


async def test_a_spectator_who_takes_a_seat_reveals_too(stack: AsyncExitStack, server: Server) -> None:
    anna, ben = await connect_guest(stack, server, "Anna"), await connect_guest(stack, server, "Ben")
    table = (await anna.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.watch_table(table)
    await ben.join_table(table)
    assert ben.at.deal.pledge is not None
    await anna.table_actions.start_game()
    await ben.until(lambda: ben.at.started is not None)
    assert ben.at.started is not None
    assert ben.at.started.nonces[1] == ben.at.deal.pledge.nonce


async def test_a_nonce_is_revealed_for_one_set_of_hashes_only(stack: AsyncExitStack, server: Server) -> None:
    _, ben = await seat_two_guests(stack, server)
    mine = ben.at.deal.pledge
    assert mine is not None
    ben.at.deal.pledge = replace(mine, revealed_for=("00" * 32, mine.nonce_hash, None))
    asked = NoncesRequested(seq=9, nonce_hashes=["11" * 32, mine.nonce_hash, None], starts_in_ms=5_000)
    assert not ben.fair_deal._as_pinned(ben.at, ben.at.deal.pledge, asked)
    assert ben.fair_deal._as_pinned(ben.at, mine, asked)
    same = replace(mine, revealed_for=tuple(asked.nonce_hashes))
    assert ben.fair_deal._as_pinned(ben.at, same, asked), "the answer to the same request may be repeated"
