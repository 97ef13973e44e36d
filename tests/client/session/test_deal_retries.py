"""Requests of the fair deal that are refused for now are repeated, and accuse nobody."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from scoville_client.i18n.own_words import FULL
from scoville_client.session.changes import TournamentNews
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.session.table.fair_deal import MOST_TRIES
from scoville_runtime.clock import Clock
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    ExportRequest,
    Finished,
    JoinRequest,
    NoncesRequested,
    Params,
    StartVoided,
    TournamentInfo,
)
from tests.support.recording_session import seat_two_guests
from tests.support.server import until


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.fixture
async def server(stack: AsyncExitStack) -> Server:
    server = Server(Settings())
    stack.push_async_callback(server.close)
    return server


async def test_a_postponed_hash_is_sent_again(stack: AsyncExitStack, server: Server) -> None:
    _, ben = await seat_two_guests(stack, server)
    deal, request, refused = ben.at.deal, ben.fair_deal._request, []

    async def busy(params: Params, kind: type[Any]) -> Any:
        if isinstance(params, JoinRequest) and not refused:
            refused.append(params)
            raise ScovilleError("busy", "Try again in a moment.")
        return await request(params, kind)

    ben.fair_deal._request = busy
    deal.voided = 7
    ben.fair_deal.follow_table(ben.at)
    await until(lambda: bool(refused))
    assert deal.redrawn == 0
    await until(lambda: deal.redrawn == 7)


async def test_a_start_without_the_refused_hash_needs_no_nonce(stack: AsyncExitStack, server: Server) -> None:
    _, ben = await seat_two_guests(stack, server)
    ben.at.deal.voided = 7
    ben.at.deal.start.add_entry(StartVoided(seq=7, missing=[0], reason="missing"))
    ben.at.deal.requested = NoncesRequested(seq=9, nonce_hashes=["11" * 32, None, None], starts_in_ms=5_000)
    ben.fair_deal.follow_table(ben.at)
    await until(lambda: ben.at.deal.answered == 9)
    assert ben.table is not None
    assert ben.at.deal.pledge is not None
    assert not ben.at.deal.pledge.revealed_for


async def test_an_export_that_is_refused_for_now_is_requested_again(stack: AsyncExitStack, server: Server) -> None:
    anna, ben = await seat_two_guests(stack, server)
    request, refused = anna.fair_deal._request, []

    async def busy(params: Params, kind: type[Any]) -> Any:
        if isinstance(params, ExportRequest) and not refused:
            refused.append(params)
            raise ScovilleError("busy", "Try again in a moment.")
        return await request(params, kind)

    anna.fair_deal._request = busy
    await anna.table_actions.start_game()
    while anna.at.result is None:
        await anna.until(lambda: anna.at.result is not None or anna.at.my_turn or ben.at.my_turn)
        for user in (anna, ben):
            if user.at.my_turn:
                await user.play_move(user.at.legal_moves()[0])
    await until(lambda: bool(refused))
    await until(lambda: anna.at.deal.verdict == (DealStanding.VERIFIED, FULL, ()))


async def test_a_refused_export_is_requested_a_few_times(stack: AsyncExitStack, server: Server) -> None:
    anna, _ = await seat_two_guests(stack, server)
    request, refused = anna.fair_deal._request, []

    async def busy(params: Params, kind: type[Any]) -> Any:
        if isinstance(params, ExportRequest):
            refused.append(params)
            raise ScovilleError("busy", "Try again in a moment.")
        return await request(params, kind)

    anna.fair_deal._request = busy
    at = anna.at
    await anna.table_actions.start_game()
    at.result = Finished(seq=99, scores=[0, 0, 0], places=[1, 1, 1], reason="", server_seed="")
    anna.fair_deal.follow_table(at)
    await until(lambda: at.deal.verdict is not None)
    assert at.deal.verdict is not None
    assert at.deal.verdict.standing is DealStanding.OPEN, "to refuse an export may be allowed, and proves nothing"
    assert len(refused) == MOST_TRIES


async def test_a_running_check_delays_no_reveal(stack: AsyncExitStack, server: Server) -> None:
    anna, ben = await seat_two_guests(stack, server)
    request, gate = anna.fair_deal._request, asyncio.Event()

    async def slow(params: Params, kind: type[Any]) -> Any:
        if isinstance(params, ExportRequest):
            await gate.wait()
        return await request(params, kind)

    anna.fair_deal._request = slow
    old = anna.at
    await anna.table_actions.start_game()
    old.result = Finished(seq=99, scores=[0, 0, 0], places=[1, 1, 1], reason="", server_seed="")
    anna.fair_deal.follow_table(old)
    table = (await anna.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    await anna.table_actions.start_game()
    assert anna.at.started is not None
    assert anna.at.started.missing == []
    assert old.deal.verdict is None
    gate.set()
    await until(lambda: old.deal.verdict is not None)


async def test_a_sealed_daily_deal_is_not_verified_yet(stack: AsyncExitStack, server: Server) -> None:
    anna, _ = await seat_two_guests(stack, server)
    request = anna.fair_deal._request

    async def sealed(params: Params, kind: type[Any]) -> Any:
        if isinstance(params, ExportRequest):
            raise ScovilleError(Code.DEAL_SEALED, "The seed of a daily deal is revealed when its time is over.")
        return await request(params, kind)

    anna.fair_deal._request = sealed
    at = anna.at
    await anna.table_actions.start_game()
    at.result = Finished(seq=99, scores=[0, 0, 0], places=[1, 1, 1], reason="", server_seed="")
    anna.fair_deal.follow_table(at)
    await until(lambda: at.deal.verdict is not None)
    assert at.deal.verdict is not None
    assert at.deal.verdict.standing is DealStanding.OPEN
    said = [phrase.render(at.names) for phrase in at.deal.verdict.phrases]
    assert said == ["Not verified yet: this deal is secret until everybody has played it, or its time is over."]


async def test_a_deal_that_all_have_played_is_checked_then(stack: AsyncExitStack, server: Server) -> None:
    anna, _ = await seat_two_guests(stack, server)
    request, exports = anna.fair_deal._request, 0

    async def sealed(params: Params, kind: type[Any]) -> Any:
        nonlocal exports
        if isinstance(params, ExportRequest):
            exports += 1
            if exports < 4:  # the news is there before the table knows it
                raise ScovilleError(Code.DEAL_SEALED, "Others still play this deal.")
        return await request(params, kind)

    anna.fair_deal._request = sealed
    anna.fair_deal._clock = Clock(sleep=lambda _: asyncio.sleep(0))
    at = anna.at
    await anna.table_actions.start_game()
    at.info = replace(at.info, tournament="evening")
    at.result = Finished(seq=99, scores=[0, 0, 0], places=[1, 1, 1], reason="", server_seed="")
    anna.fair_deal.follow_table(at)
    await until(lambda: at.deal.verdict is not None)
    waiting = at.deal.verdict
    for scored in (0, 1):
        assert exports == 1
        anna.publish_change(TournamentNews(evening_info(scored), "changed"))
        await asyncio.sleep(0)
    await until(lambda: at.deal.verdict not in (None, waiting))
    assert exports == 4


def evening_info(scored: int) -> TournamentInfo:
    """An evening of one deal that so many deals of all tables have been scored of."""
    return msgspec.convert(
        {
            "id": "evening",
            "name": "Evening",
            "format": "duplicate",
            "game": "no_thanks",
            "options": {},
            "seat_count": 3,
            "level": "calm",
            "clock": {},
            "director": None,
            "starts_ms": 1,
            "stage": "running",
            "round_number": 1,
            "scored_count": scored,
        },
        TournamentInfo,
    )
