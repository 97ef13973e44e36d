"""Sessions rotate their tokens; a reused token ends its session and warns the owner."""

import pytest

from scoville_server.accounts import tokens
from scoville_server.server import Server
from scoville_shared.protocol.messages import (
    AccountWarnedNotice,
    AccountWarning,
    ClaimNameRequest,
    JoinRequest,
    LoginRequest,
    ReleaseNameRequest,
    ShowAccountRequest,
)
from tests.support.accounts import PASSWORD, connect_guest, connect_owner
from tests.support.server import Caller, core_of


def token_of(caller: Caller) -> str:
    assert caller.welcome is not None
    return caller.welcome.token


def warned(caller: Caller) -> list[AccountWarning]:
    return [notice.warning for notice in caller.peer.heard if isinstance(notice, AccountWarnedNotice)]


async def test_a_hello_with_a_token_gives_the_next_one(server: Server) -> None:
    first = await connect_guest(server, "Anna")
    assert (first.welcome.resumed, first.welcome.token_reused) == (False, False)
    second = await connect_guest(server, token=token_of(first))
    third = await connect_guest(server, token=token_of(second))
    assert [caller.welcome.name for caller in (second, third)] == ["Anna", "Anna"]
    assert (third.welcome.resumed, third.welcome.token_reused) == (True, False)
    assert len({token_of(caller) for caller in (first, second, third)}) == 3


async def test_a_hello_checks_its_token_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the loss of a node thousands come back at once, and a hello asks for its token in five places."""
    first = await connect_guest(server, "Anna")
    seal, sealed = tokens._seal_token, list[bytes]()
    monkeypatch.setattr(tokens, "_seal_token", lambda session, data: sealed.append(data) or seal(session, data))
    assert (await connect_guest(server, token=token_of(first))).welcome.resumed
    assert len(sealed) == 2, "the token that was shown, and the next one"


async def test_a_client_without_the_reply_uses_the_former_token(server: Server) -> None:
    first = await connect_guest(server, "Anna")
    for _ in range(3):
        assert (await connect_guest(server, token=token_of(first))).welcome.resumed


async def test_an_old_token_ends_its_session(server: Server) -> None:
    first = await connect_guest(server, "Anna")
    second = await connect_guest(server, token=token_of(first))
    third = await connect_guest(server, token=token_of(second))
    thief = await connect_guest(server, token=token_of(first), address="192.0.2.66:4000")
    assert (thief.welcome.resumed, thief.welcome.token_reused) == (False, True)
    assert thief.welcome.name != "Anna"
    assert third.peer.bye.code == "token_reused"
    third.hang_up()
    back = await connect_guest(server, token=token_of(third))
    assert (back.welcome.resumed, back.welcome.token_reused) == (False, False)


async def test_guest_without_session_is_forgotten_with_the_connection(server: Server) -> None:
    first = await connect_guest(server, "Anna")
    second = await connect_guest(server, token=token_of(first))
    third = await connect_guest(server, token=token_of(second))
    user = core_of(server).sessions.known_user("Anna")
    await connect_guest(server, token=token_of(first))
    assert core_of(server).sessions.find_user(user.id) is user, "still connected"
    third.hang_up()
    assert core_of(server).sessions.find_user(user.id) is None


async def test_the_owners_other_session_learns_of_a_reused_token(server: Server) -> None:
    first = await connect_owner(server, "Anna")
    second = await connect_guest(server, token=token_of(first))
    await connect_guest(server, token=token_of(second))
    elsewhere = await connect_guest(server)
    await elsewhere.call(LoginRequest(name="Anna", password=PASSWORD))
    await connect_guest(server, token=token_of(first))
    [warning] = warned(elsewhere)
    assert warning.kind == "token_reused"
    assert not elsewhere.peer.closed
    account = await elsewhere.call(ShowAccountRequest())
    assert [session.origin for session in account.sessions] == ["password"]
    assert account.warnings == [warning]
    assert warned(await connect_guest(server, token=token_of(first))) == []


async def test_an_absent_owner_learns_of_it_once(server: Server) -> None:
    first = await connect_owner(server, "Anna")
    login = await (elsewhere := await connect_guest(server)).call(LoginRequest(name="Anna", password=PASSWORD))
    elsewhere.hang_up()
    newer = await connect_guest(server, token=token_of(await connect_guest(server, token=token_of(first))))
    newer.hang_up()
    await connect_guest(server, token=token_of(first))
    back = await connect_guest(server, token=login.token)
    await core_of(server).background.finish_tasks()
    assert [warning.kind for warning in warned(back)] == ["token_reused"]
    again = await connect_guest(server, token=token_of(back))
    await core_of(server).background.finish_tasks()
    assert warned(again) == []


async def test_an_owner_without_session_learns_of_it_at_log_in(server: Server) -> None:
    first = await connect_owner(server, "Anna")
    await connect_guest(server, token=token_of(await connect_guest(server, token=token_of(first))))
    stranger = await connect_guest(server, token=token_of(first))
    assert warned(stranger) == []
    await stranger.call(LoginRequest(name="Anna", password=PASSWORD))
    await core_of(server).background.finish_tasks()
    assert [warning.kind for warning in warned(stranger)] == ["token_reused"]


async def test_a_seated_guest_loses_the_seat_only_by_token_reuse(
    server: Server,
) -> None:
    anna = await connect_guest(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    tokens = [token_of(anna)]
    for _ in range(5):
        tokens.append(token_of(await connect_guest(server, token=tokens[-1])))
    seats = core_of(server).sessions.find_by_name("Anna").tables
    assert seats == {table}
    assert (await connect_guest(server, token=tokens[1])).welcome.token_reused


async def test_warnings_end_with_the_account(server: Server) -> None:
    first = await connect_owner(server, "Anna")
    await connect_guest(server, token=token_of(await connect_guest(server, token=token_of(first))))
    caller = await connect_guest(server, token=token_of(first))
    await caller.call(LoginRequest(name="Anna", password=PASSWORD))
    await caller.call(ReleaseNameRequest())
    assert (await caller.call(ShowAccountRequest())).warnings == []
    await caller.call(ClaimNameRequest(password=PASSWORD))
    assert (await caller.call(ShowAccountRequest())).warnings == []
