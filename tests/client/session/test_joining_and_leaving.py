"""Joining, leaving, kicks and reconnecting with a real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from scoville_client.i18n.own_words import FULL
from scoville_client.session.changes import ChatReceived, RemovedFromTable
from scoville_client.session.chat_channels import LOBBY, WHISPERS
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.session.table.pledge import Pledge
from scoville_client.transport.tcp import TcpLink
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.process import ServerProcess
from tests.support.recording_session import RecordingSession

LOCAL = "127.0.0.1"


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def served(stack: AsyncExitStack, **settings: object) -> Server:
    server = Server(Settings(**{"host": LOCAL, "port": 0, **settings}))  # type: ignore[arg-type]
    await server.start()
    stack.push_async_callback(server.close)
    return server


async def connect_user(
    stack: AsyncExitStack, server: Server | ServerProcess, name: str, token: str = ""
) -> RecordingSession:
    session = RecordingSession()
    session.connection.token = token
    stack.push_async_callback(session.close)
    await session.connect(TcpLink(LOCAL, server.port), name)
    await session.lobby.watch_lobby()
    return session


async def at_one_table(anna: RecordingSession, ben: RecordingSession, **settings: object) -> str:
    """A waiting table for two."""
    table = (await anna.lobby.create_table("dicht_dran", 2, {"cycles": 1}, settings=settings)).table
    await anna.join_table(table)
    await ben.lobby.enter_table(code=anna.at.info.code)
    await ben.join_table(table)
    return table


async def play_out(*users: RecordingSession) -> None:
    """Play first legal moves until the game is over for all players."""

    async def play(user: RecordingSession) -> None:
        while True:
            await user.until(lambda: user.at.result is not None or user.at.my_turn)
            if user.at.result is not None:
                return
            await user.play_move(user.at.legal_moves()[0])

    await asyncio.gather(*map(play, users))


def why(user: RecordingSession) -> list[str]:
    return [sent.sentence.render(()) for sent in user.recorder.of(RemovedFromTable)]


# --- kicked ------------------------------------------------------------------------------------------


async def test_a_kicked_user_leaves_the_table_and_learns_why(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = await at_one_table(anna, ben)
    await anna.table_actions.kick_user(table, "Ben", "too slow")
    await ben.until(lambda: ben.table is None)
    assert why(ben) == ["The host has kicked you from the table: too slow"]
    assert anna.at.id == table


async def test_a_kick_of_another_player_is_only_reported(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben, caro = [await connect_user(stack, server, name) for name in ("Anna", "Ben", "Caro")]
    table = await at_one_table(anna, ben)
    await caro.watch_table(table)
    await anna.table_actions.kick_user(table, "Caro")
    await caro.until(lambda: caro.table is None)
    assert why(caro) == ["The host has kicked you from the table."]
    assert (ben.at.id, why(ben)) == (table, [])


async def test_a_user_kicked_while_disconnected_returns_to_the_lobby(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = await at_one_table(anna, ben)
    ben.connection.link.note_loss("cut")
    await anna.table_actions.kick_user(table, "Ben", "gone")
    await ben.until(lambda: ben.returns == 1)
    assert ben.table is None
    [sentence] = why(ben)
    assert "gone" in sentence
    assert ben.connection.online


# --- leaving, and coming back ---------------------------------------------------------------------------


async def test_a_player_who_left_returns_only_on_request(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = await at_one_table(anna, ben)
    await anna.table_actions.start_game()
    await ben.leave_table()
    await ben.close()
    again = await connect_user(stack, server, "Ben", ben.connection.token)
    assert [each.your_seat for each in again.lobby.tables] == [1]
    await again.rejoin_table()
    assert again.table is None
    assert again.lobby.waiting_for_me == []
    await again.join_table(table)
    assert again.at.seat == 1


async def test_a_reconnected_player_is_at_the_table_to_move(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    waiting = (await ben.lobby.create_table("dicht_dran", 2)).table
    await ben.join_table(waiting)
    await ben.return_to_lobby()
    table = await at_one_table(anna, ben)
    await anna.table_actions.start_game()
    await ben.close()
    again = await connect_user(stack, server, "Ben", ben.connection.token)
    await again.rejoin_table()
    assert (again.at.id, again.at.seat) == (table, 1)


async def test_a_long_absent_player_returns_despite_the_bot(stack: AsyncExitStack) -> None:
    server = await served(stack, grace_seconds=0.01)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = await at_one_table(anna, ben)
    await anna.table_actions.start_game()
    await ben.close()
    await anna.until(lambda: anna.at.info.seats[1].kind == "bot")
    assert anna.at.info.seats[1].level == "sensible"
    again = await connect_user(stack, server, "Ben", ben.connection.token)
    await again.rejoin_table()
    assert (again.at.id, again.at.seat) == (table, 1)


async def test_code_leads_away_from_an_ended_game(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = await at_one_table(anna, ben)
    code = anna.at.info.code
    assert code
    await anna.table_actions.start_game()
    await play_out(anna, ben)
    await ben.close()
    again = await connect_user(stack, server, "Ben", ben.connection.token)
    await again.rejoin_table("zesty-zeppelin")
    assert again.table is None
    # Who reloads a page that was opened by a code wants to see the result.
    await again.rejoin_table(code.upper().replace("-", " "))
    assert again.at.id == table


async def test_user_in_the_lobby_keeps_seat_and_chat(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = await at_one_table(anna, ben)
    await ben.return_to_lobby()
    assert ben.table is None
    await anna.chat.send_message("Where are you?", table=table)
    await ben.until(lambda: bool(ben.chat.lines_of(table)))
    await ben.join_table(table)
    assert ben.at.seat == 1


# --- shares of the chance -------------------------------------------------------------------------------


async def test_a_kept_seats_nonce_counts_in_the_deal(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    await at_one_table(anna, ben)
    await anna.table_actions.start_game()
    await play_out(anna, ben)
    await anna.table_actions.open_rematch()
    await ben.until(lambda: ben.at.notes.next is not None)
    await asyncio.gather(anna.follow_rematch(), ben.follow_rematch())
    await anna.table_actions.start_game()
    await play_out(anna, ben)
    for user in (anna, ben):
        assert isinstance(user.at.deal.pledge, Pledge)
        await user.until(lambda user=user: user.at.deal.verdict is not None)
        assert user.at.deal.verdict == (DealStanding.VERIFIED, FULL, ())


async def test_a_share_after_a_quick_match_is_in_the_deal(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    await anna.quick_match("no_thanks")
    await ben.quick_match("no_thanks")
    assert ben.at.id == anna.at.id
    assert None not in (anna.at.deal.pledge, ben.at.deal.pledge)


async def test_late_follower_claims_no_share(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    await at_one_table(anna, ben)
    await anna.table_actions.start_game()
    await play_out(anna, ben)
    await anna.table_actions.open_rematch()
    await anna.follow_rematch()
    await anna.table_actions.start_game()
    await ben.until(lambda: ben.at.notes.next is not None)
    await ben.follow_rematch()
    assert (ben.at.seat, ben.at.deal.pledge) == (1, None)
    assert ben.at.started is not None
    assert ben.at.started.nonces[1] is None


# --- a server that was killed ---------------------------------------------------------------------------


async def test_a_crash_loses_no_lobby_chat_or_seat(stack: AsyncExitStack, tmp_path: Path) -> None:
    server = ServerProcess(tmp_path)
    await server.start()
    stack.push_async_callback(server.kill)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = await at_one_table(anna, ben, private=True)
    await anna.chat.send_message("before")
    await ben.until(lambda: bool(ben.chat.lines_of(LOBBY)))
    await ben.chat.send_message("psst", to="Anna")
    await anna.until(lambda: bool(anna.chat.lines_of(WHISPERS)))
    await anna.chat.ignore_user("Ben")
    await server.kill()
    await anna.until(lambda: anna.connection.reconnecting)
    await server.start()
    for user in (anna, ben):
        await user.until(lambda user=user: user.returns >= 1)  # type: ignore[misc]
        assert user.at.id == table
        assert [each.table for each in user.lobby.tables] == [table]
        assert user.lobby.watched
    assert await anna.chat.read_ignored() == ["Ben"]
    caro = await connect_user(stack, server, "Caro")
    await caro.chat.send_message("after")
    await ben.until(lambda: len(ben.chat.lines_of(LOBBY)) == 2)
    assert [line.text for line in ben.chat.lines_of(LOBBY)] == ["before", "after"]
    texts = [change.line.text for change in ben.recorder.of(ChatReceived) if change.line.channel == "lobby"]
    assert texts == ["before", "after"]


async def test_messages_of_a_lost_connection_arrive_after_it(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    await ben.chat.read_channel(LOBBY)
    ben.connection.link.note_loss("cut")
    await anna.chat.send_message("missed")
    await ben.until(lambda: ben.returns == 1)
    assert [change.line.text for change in ben.recorder.of(ChatReceived)] == ["missed"]


async def test_an_invitation_outlives_a_lost_connection_but_not_its_table(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben = await connect_user(stack, server, "Anna"), await connect_user(stack, server, "Ben")
    table = (await anna.lobby.create_table("dicht_dran", 2, settings={"private": True})).table
    await anna.join_table(table)
    await anna.table_actions.invite_user(table, "Ben")
    await ben.until(lambda: bool(ben.lobby.invitations))
    ben.connection.link.note_loss("cut")
    await ben.until(lambda: ben.returns == 1)
    assert [each.info.table for each in ben.lobby.invitations] == [table]
    await anna.leave_table()
    await ben.until(lambda: ben.lobby.find_table(table) is None)
    assert ben.lobby.invitations == []
