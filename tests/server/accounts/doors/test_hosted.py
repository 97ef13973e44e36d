"""Who the user of a door is: by a token, a key that was proved to the door, or a resume code."""

import pytest
from msgspec.structs import replace

from scoville_server.accounts.model.ssh_keys import fingerprint_of
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.support.accounts import (
    PASSWORD,
    account_server,
    connect_owner,
    ed25519_keys,
    make_cheap_limits,
    rsa_keys,
    sign_request,
)
from tests.support.core import PAGE, SSH, WEB, connect_hosted, stop_clocks
from tests.support.server import Caller, core_of, toy_server

KEYS = ed25519_keys()
KEYED = replace(SSH, key=KEYS.line)


async def refusal(server: Server, door: m.HostedUser, token: str = "") -> str:
    with pytest.raises(ScovilleError) as refused:
        await connect_hosted(server, door, token=token)
    return refused.value.code


def code_of(caller: Caller) -> str:
    assert caller.welcome is not None
    assert caller.welcome.resume_code is not None
    return caller.welcome.resume_code


def name_of(caller: Caller) -> str:
    assert caller.welcome is not None
    return caller.welcome.name


def user_of(server: Server, caller: Caller) -> str:
    return next(user.id for user in core_of(server).sessions.connected_users() if user.peer is caller.peer)


async def seated(server: Server, door: m.HostedUser) -> tuple[Caller, str]:
    caller = await connect_hosted(server, door, "Anna")
    table = await caller.create()
    await caller.call(m.JoinRequest(table=table))
    return caller, table


async def test_the_same_key_is_the_same_guest_with_their_seat() -> None:
    server = toy_server()
    anna, table = await seated(server, KEYED)
    user = user_of(server, anna)
    anna.hang_up()
    again = await connect_hosted(server, KEYED)
    assert again.welcome is not None
    assert again.welcome.resumed
    assert user_of(server, again) == user
    assert core_of(server).sessions.find_user(user).tables == {table}  # type: ignore[union-attr,arg-type]
    stranger = await connect_hosted(server, replace(SSH, key=ed25519_keys().line))
    assert user_of(server, stranger) != user


async def test_a_guest_with_a_key_returns_after_a_restart() -> None:
    server = toy_server()
    anna, _ = await seated(server, KEYED)
    user = user_of(server, anna)
    later = toy_server(journal=core_of(server).journal)
    await server.close()
    await later.start()
    assert user_of(later, await connect_hosted(later, KEYED)) == user


async def test_the_newest_connection_with_a_key_takes_over() -> None:
    server = toy_server()
    first = await connect_hosted(server, KEYED)
    second = await connect_hosted(server, KEYED)
    assert first.peer.bye is not None
    assert first.peer.bye.code == Code.TAKEN_OVER
    assert not second.peer.closed


async def test_a_key_has_one_session_however_often_it_comes() -> None:
    server = toy_server()
    for _ in range(30):
        caller = await connect_hosted(server, KEYED)
    assert len((await caller.call(m.ShowAccountRequest())).sessions) == 1


async def test_an_accounts_key_is_a_fresh_proof() -> None:
    server = account_server()
    ben = await connect_owner(server, "Ben")
    await ben.call(await sign_request(ben, KEYS, m.AddKeyRequest))
    hosted_ben = await connect_hosted(server, KEYED)
    assert hosted_ben.welcome is not None
    assert (hosted_ben.welcome.name, hosted_ben.welcome.claimed) == ("Ben", True)
    assert ben.peer.bye is not None
    shown = await hosted_ben.call(m.ShowAccountRequest())
    assert shown.sessions[0].origin == "ssh_key"
    await hosted_ben.call(m.ChangePasswordRequest(new="another password"))


async def test_an_old_proof_of_a_key_is_not_fresh() -> None:
    server = account_server()
    ben = await connect_owner(server, "Ben")
    await ben.call(await sign_request(ben, KEYS, m.AddKeyRequest))
    hosted_ben = await connect_hosted(server, replace(KEYED, key_age_ms=300_000))
    with pytest.raises(ScovilleError) as refused:
        await hosted_ben.call(m.ReleaseNameRequest())
    assert refused.value.code == Code.PROOF_REQUIRED


async def test_a_foreign_key_is_no_fresh_proof() -> None:
    server = account_server()
    ben = await connect_owner(server, "Ben")
    assert ben.welcome is not None
    thief = await connect_hosted(server, replace(SSH, key=ed25519_keys().line), token=ben.welcome.token)
    assert name_of(thief) == "Ben"
    with pytest.raises(ScovilleError) as refused:
        await thief.call(m.AddDoorKeyRequest())
    assert refused.value.code == Code.PROOF_REQUIRED


async def test_a_guest_claims_a_name_with_the_doors_key() -> None:
    server = account_server()
    anna = await connect_hosted(server, KEYED, "Anna")
    assert anna.welcome is not None
    assert "door_key" in anna.welcome.proofs
    await anna.call(m.ClaimNameRequest(door_key=True))
    again = await connect_hosted(server, KEYED)
    assert again.welcome is not None
    assert (again.welcome.name, again.welcome.claimed) == ("Anna", True)


async def test_a_password_name_does_not_open_by_key() -> None:
    server = account_server()
    anna = await connect_hosted(server, KEYED, "Anna")
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    anna.hang_up()
    again = await connect_hosted(server, KEYED)
    assert again.welcome is not None
    assert not again.welcome.claimed
    user = user_of(server, again)
    again.hang_up()
    assert user_of(server, await connect_hosted(server, KEYED)) == user, "the key has a new guest"


async def test_an_owner_adds_the_key_of_the_door() -> None:
    server = account_server()
    await connect_owner(server, "Ben")
    caller = await connect_hosted(server, KEYED)
    await caller.call(m.LoginRequest(name="Ben", password=PASSWORD))
    await caller.call(m.AddDoorKeyRequest())
    assert name_of(await connect_hosted(server, KEYED)) == "Ben"


async def test_password_login_survives_a_reconnect() -> None:
    server = account_server()
    await connect_owner(server, "Ben")
    caller = await connect_hosted(server, KEYED)
    token = (await caller.call(m.LoginRequest(name="Ben", password=PASSWORD))).token
    caller.hang_up()
    assert name_of(await connect_hosted(server, KEYED, token=token)) == "Ben"


async def test_without_a_key_there_is_nothing_to_claim_with() -> None:
    server = account_server()
    for caller in (await connect_hosted(server), await Caller(server).hello("Ben")):
        with pytest.raises(ScovilleError) as refused:
            await caller.call(m.ClaimNameRequest(door_key=True))
        assert refused.value.code == Code.BAD_KEY


async def test_keys_are_read_as_far_as_needed() -> None:
    server = account_server()
    assert await refusal(server, replace(SSH, key="ssh-rsa nonsense")) == Code.BAD_KEY
    weak = await connect_hosted(server, replace(SSH, key=rsa_keys(1024).line))
    with pytest.raises(ScovilleError) as refused:
        await weak.call(m.ClaimNameRequest(door_key=True))
    assert refused.value.code == Code.BAD_KEY


async def test_a_keyless_guest_returns_by_code_repeatedly() -> None:
    server = toy_server()
    anna, _ = await seated(server, SSH)
    user, code = user_of(server, anna), code_of(anna)
    assert len(code.split("-")) == 3
    for written in (code, code.upper().replace("-", " ")):
        again = await connect_hosted(server, replace(SSH, address="192.0.2.8", resume=written))
        assert user_of(server, again) == user
        assert code_of(again) == code
    assert again.welcome is not None
    by_token = await connect_hosted(server, token=again.welcome.token)
    assert user_of(server, by_token) == user
    assert by_token.welcome is not None
    assert by_token.welcome.resume_code is None
    assert user_of(server, await connect_hosted(server, replace(SSH, resume=code))) == user


async def test_only_guests_of_ssh_without_a_key_get_codes() -> None:
    server = account_server()
    for door in (KEYED, WEB):
        caller = await connect_hosted(server, door)
        assert caller.welcome is not None
        assert caller.welcome.resume_code is None


async def test_a_code_ends_when_its_guest_claims_a_name() -> None:
    server = account_server()
    anna = await connect_hosted(server)
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    assert await refusal(server, replace(SSH, resume=code_of(anna))) == Code.WRONG_CODE
    await anna.call(m.ReleaseNameRequest())
    assert await refusal(server, replace(SSH, resume=code_of(anna))) == Code.WRONG_CODE


async def test_wrong_codes_make_their_address_wait_and_nobody_else() -> None:
    server = toy_server()
    stop_clocks(server)
    anna = await connect_hosted(server)
    guessing = replace(SSH, address="198.51.100.1", resume="no-such-code")
    codes = [await refusal(server, guessing) for _ in range(8)]
    assert codes[:5] == [Code.WRONG_CODE] * 5
    assert codes[-1] == Code.SLOW_DOWN
    right = replace(guessing, resume=code_of(anna))
    assert await refusal(server, right) == Code.SLOW_DOWN, "the right code is guessing as well, for a while"
    assert await connect_hosted(server, replace(right, address="203.0.113.9"))
    assert await connect_hosted(server, replace(SSH, address="198.51.100.1")), "guests without a code do not wait"


async def test_without_encryption_nobody_is_the_owner_of_a_name() -> None:
    server = account_server()
    ben = await connect_owner(server, "Ben")
    assert ben.welcome is not None
    assert await refusal(server, PAGE, token=ben.welcome.token) == Code.INSECURE
    guest = await connect_hosted(server, PAGE)
    assert guest.welcome is not None
    assert guest.welcome.proofs == ["token"]
    for request in (m.ClaimNameRequest(password=PASSWORD), m.LoginRequest(name="Ben", password=PASSWORD)):
        with pytest.raises(ScovilleError) as refused:
            await guest.call(request)
        assert refused.value.code == Code.INSECURE
    assert (await connect_hosted(server, PAGE, token=guest.welcome.token)).welcome.resumed  # type: ignore[union-attr]


async def test_only_the_door_knows_whether_its_pages_are_secure() -> None:
    server = account_server()
    await connect_owner(server, "Ben")
    guest = await connect_hosted(server, replace(WEB, address="127.0.0.1"))
    await guest.call(m.LoginRequest(name="Ben", password=PASSWORD))
    proxied = await connect_hosted(server, replace(PAGE, address="127.0.0.1"))
    with pytest.raises(ScovilleError) as refused:
        await proxied.call(m.LoginRequest(name="Ben", password=PASSWORD))
    assert refused.value.code == Code.INSECURE


async def test_a_banned_key_is_refused_for_every_user() -> None:
    server = toy_server(Settings(accounts=make_cheap_limits(), admins=("Root",)))
    await server.start()
    root = await connect_owner(server, "Root")
    await root.call(m.BecomeAdminRequest(code=server.admin_codes["Root"]))
    guest = await connect_hosted(server, KEYED)
    await root.call(m.BanRequest(kind="key", target=fingerprint_of(KEYS.line), scope="server", reason="floods"))
    assert guest.peer.closed
    assert await refusal(server, KEYED) == Code.BANNED
    assert await connect_hosted(server, replace(SSH, key=ed25519_keys().line))


async def test_an_address_ban_covers_hosted_addresses() -> None:
    server = toy_server(Settings(accounts=make_cheap_limits(), admins=("Root",)))
    await server.start()
    root = await connect_owner(server, "Root")
    await root.call(m.BecomeAdminRequest(code=server.admin_codes["Root"]))
    bad = await connect_hosted(server)
    good = await connect_hosted(server, replace(SSH, address="192.0.2.8"))
    await root.call(m.BanRequest(kind="address", target="192.0.2.7", scope="server", reason="floods"))
    assert (bad.peer.closed, good.peer.closed) == (True, False)
    assert await refusal(server, SSH) == Code.BANNED
    assert await connect_hosted(server, replace(SSH, address="192.0.2.9"))


async def test_known_hosted_users_enter_beside_a_swarm() -> None:
    server = toy_server()
    core = core_of(server)
    keyed, _ = await seated(server, KEYED)
    coded = await connect_hosted(server)
    table = await coded.create()
    await coded.call(m.JoinRequest(table=table))
    known = [KEYED, replace(SSH, resume=code_of(coded))]
    strangers = [
        SSH,
        replace(SSH, resume="no-such-code"),
        replace(SSH, key="nonsense"),
        replace(SSH, key=rsa_keys().line),
    ]

    def knows(door: m.HostedUser | None) -> bool:
        return core.arrivals.is_known(m.HelloRequest(protocol=m.PROTOCOL, door=door))

    assert [*map(knows, known)] == [True, True]
    assert [*map(knows, strangers)] == [False] * 4
    assert not knows(None)
    assert keyed.welcome is not None
    assert core.arrivals.is_known(m.HelloRequest(protocol=m.PROTOCOL, token=keyed.welcome.token))
