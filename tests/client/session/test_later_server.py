"""A later server of the same protocol version is not accused: the check compares what the rules' version freezes."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from msgspec.structs import replace

from scoville_client.i18n.own_words import FULL
from scoville_client.session.table.deal_check import OTHER_GAME, check_deal
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.session.table.table import AtTable
from scoville_client.transport.tcp import TcpLink
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import PauseRequest, Played, ResumeRequest, UnknownEvent
from tests.support.hostile import LaterServer
from tests.support.recording_session import GAMES, SHORT, RecordingSession, connect_guest, play_game


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.mark.parametrize("game", GAMES)
async def test_a_game_at_a_later_server_is_verified(stack: AsyncExitStack, game: str) -> None:
    server = Server(Settings(host="127.0.0.1", port=0))
    stack.push_async_callback(server.close)
    await server.start()
    proxy = await stack.enter_async_context(LaterServer(server.port))
    marie, paul = await connect_guest(stack, server, "Marie"), RecordingSession()
    await paul.connect(TcpLink("127.0.0.1", proxy.port), "Paul")
    stack.push_async_callback(paul.close)
    table = (await marie.lobby.create_table(game, 3, SHORT[game])).table
    await marie.join_table(table)
    await paul.lobby.enter_table(table=table)
    await paul.join_table(table)
    await marie.table_actions.start_game()
    await paul.until(lambda: paul.at.started is not None)
    await paul.table_actions.request_here(PauseRequest)
    await marie.table_actions.request_here(PauseRequest)
    await paul.until(lambda: paul.at.info.paused)
    await paul.table_actions.request_here(ResumeRequest)
    while paul.at.result is None:
        await paul.until(lambda: paul.at.result is not None or paul.at.my_turn or marie.at.my_turn)
        for user in (marie, paul):
            if user.at.my_turn and user.at.result is None:
                seq = await user.play_move(user.at.legal_moves()[0])
                # The reply may come before the event, and until then it is still the user's turn.
                await user.until(lambda at=user.at, seq=seq: at.seq >= seq)
    await paul.until(lambda: paul.at.deal.verdict is not None)
    assert any(isinstance(seen.event, UnknownEvent) for seen in paul.at.deal.events)
    assert paul.at.deal.verdict == (DealStanding.VERIFIED, FULL, ())


def with_facts(at: AtTable, number: int, *more: object) -> None:
    """Put facts in front of those of a move."""
    seen = at.deal.events[number]
    assert isinstance(seen.event, Played)
    at.deal.events[number] = seen._replace(event=replace(seen.event, facts=[*more, *seen.event.facts]))


@pytest.mark.parametrize("game", GAMES)
async def test_facts_that_the_rules_version_freezes_are_compared(stack: AsyncExitStack, game: str) -> None:
    at, lines = await play_game(stack, game)
    honest = list(at.deal.events)
    moves = [number for number, seen in enumerate(honest) if isinstance(seen.event, Played)]
    known = next(fact for number in moves for fact in honest[number].event.facts)
    for lie in (known, {**known, "seat": 99}, {"fact": known["fact"]}):
        with_facts(at, moves[-1], lie)
        assert check_deal(at, lines).phrase.text == OTHER_GAME.text
        at.deal.events = list(honest)
    with_facts(at, moves[-1], {"fact": "later_fact"})
    assert check_deal(at, lines).phrase == FULL


@pytest.mark.parametrize("fact", [{}, {"fact": 1}, {"fact": None}, {"kind": "won"}])
async def test_a_map_without_fact_ends_the_connection(stack: AsyncExitStack, fact: object) -> None:
    """No later version has such a thing: a fact has its name in the key `fact`."""
    at, _ = await play_game(stack, "no_thanks")
    move = next(seen.event for seen in at.deal.events if isinstance(seen.event, Played))
    with pytest.raises(ScovilleError, match="invalid fact") as refused:
        at.apply_event(replace(move, seq=at.seq + 1, facts=[fact]), None)
    assert refused.value.code == Code.BAD_FRAME
