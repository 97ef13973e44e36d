"""A server that shows each player another deal: each client verifies its own, and together they prove it."""

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from types import SimpleNamespace

import pytest

from scoville_client.i18n.own_words import FULL
from scoville_client.session.commands.at_table import describe_deal
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.transport.in_process import LocalLink
from scoville_server.identity import ServerKey
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables import factory
from scoville_shared.replay import read_game, verify_game
from tests.support.recording_session import RecordingSession

KEY = ServerKey(bytes(range(32)))


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def played_alone(stack: AsyncExitStack, name: str) -> RecordingSession:
    """Let one player play with bots that could stand for the others; the server has the same key each time."""
    journal = MemoryJournal()
    journal._key = KEY
    server = Server(Settings(host="127.0.0.1", port=0), journal=journal)
    stack.push_async_callback(server.close)
    await server.start()
    user = RecordingSession()
    await user.connect(LocalLink(server), name)
    stack.push_async_callback(user.close)
    table = (await user.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await user.join_table(table)
    await user.table_actions.start_game()
    while user.at.result is None:
        await user.until(lambda: user.at.result is not None or user.at.my_turn)
        if user.at.my_turn:
            await user.play_move(user.at.legal_moves()[0])
    await user.until(lambda: user.at.deal.verdict is not None)
    return user


async def test_two_players_detect_a_split_table(stack: AsyncExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    same = SimpleNamespace(token_hex=lambda _: "08efa6d47f85", token_bytes=secrets.token_bytes)
    monkeypatch.setattr(factory, "secrets", same)
    users = [await played_alone(stack, name) for name in ("Anna", "Ben")]
    files = [read_game(await user.table_actions.export_game()) for user in users]
    for user, file in zip(users, files, strict=True):
        assert user.at.deal.verdict == (DealStanding.VERIFIED, FULL, ())
        assert verify_game(file).verified
        assert file.header.server_key == KEY.public.hex()
        shown = describe_deal(user.at)
        assert file.header.commitment in shown[0]
        assert any(file.digest.hex() in line for line in shown), "the signed result names the commitment of its file"
        assert all(nonce is None or any(nonce in line for line in shown) for nonce in file.header.nonces)
    one, other = (describe_deal(user.at) for user in users)
    assert len(one) == len(other)
    assert one[0] != other[0], "the commitments tell them before the game"
    assert files[0].header.table == files[1].header.table, "and both signatures of one table prove it afterwards"
    assert files[0].digest != files[1].digest


async def test_players_at_one_table_see_the_same_lines(stack: AsyncExitStack) -> None:
    server = Server(Settings())
    stack.push_async_callback(server.close)
    users = []
    for name in ("Anna", "Ben"):
        user = RecordingSession()
        await user.connect(LocalLink(server), name)
        stack.push_async_callback(user.close)
        users.append(user)
    anna, ben = users
    table = (await anna.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    assert describe_deal(anna.at) == describe_deal(ben.at)
    await anna.table_actions.start_game()
    await ben.until(lambda: ben.at.started is not None)
    assert describe_deal(anna.at) == describe_deal(ben.at)
    assert len(describe_deal(anna.at)) == 5
