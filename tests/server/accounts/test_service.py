"""Claiming names, credentials, and logging in on any connection."""

import asyncio

import pytest

from scoville_server.limits.live import Live
from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    AddKeyRequest,
    ChallengeRequest,
    ChangePasswordRequest,
    ClaimNameRequest,
    ConfirmRequest,
    EndSessionRequest,
    JoinRequest,
    LeaveRequest,
    LoginByKeyRequest,
    LoginRequest,
    LogoutRequest,
    ReleaseNameRequest,
    RemoveKeyRequest,
    ShowAccountRequest,
)
from tests.support.accounts import (
    PASSWORD,
    account_server,
    confirm_identity,
    connect_guest,
    connect_owner,
    ed25519_keys,
    log_in,
    sign_request,
)
from tests.support.core import code_of
from tests.support.server import core_of

HOME = "198.51.100.7:5000"


# --- claiming --------------------------------------------------------------------------------------------


async def test_a_claimed_name_is_unique_and_says_so(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    anna.hang_up()
    for wanted in ("Anna", "anna", "A nna", "Änna"):
        other = await connect_guest(server, wanted)
        assert other.welcome.name.endswith(" 2")
        assert other.welcome.name_claimed
        other.hang_up()
    hanna = await connect_guest(server, "Hanna")
    assert (hanna.welcome.name, hanna.welcome.name_claimed) == ("Hanna", False)


async def test_a_returning_user_keeps_the_claimed_name(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    assert not anna.welcome.claimed
    again = await connect_guest(server, "Zoe", token=anna.welcome.token)
    assert (again.welcome.name, again.welcome.claimed, again.welcome.name_claimed) == ("Anna", True, False)


async def test_one_of_two_simultaneous_claims_wins(server: Server) -> None:
    users = [await connect_guest(server, name) for name in ("Anna", "Ben", "Zoe")]
    for user, name in zip(core_of(server).sessions.connected_users(), ("Anna", "\u0410nna", "A-nna"), strict=True):
        user.name = name
    claims = [user.call(ClaimNameRequest(password=PASSWORD)) for user in users]
    results = await asyncio.gather(*claims, return_exceptions=True)
    refused = [result.code for result in results if isinstance(result, ScovilleError)]
    assert refused == ["name_claimed"] * 2
    shown = [await user.call(ShowAccountRequest()) for user in users]
    assert [account.claimed for account in shown] == [True, False, False]


async def test_one_user_claims_once(server: Server) -> None:
    anna = await connect_guest(server, "Anna")
    claim = ClaimNameRequest(password=PASSWORD)
    results = await asyncio.gather(*(anna.call(claim) for _ in range(2)), return_exceptions=True)
    assert [getattr(result, "code", "") for result in results] == ["", "name_claimed"]
    assert await code_of(anna, ClaimNameRequest(password=PASSWORD)) == "name_claimed"


async def test_a_name_being_claimed_survives_its_users_return(server: Server) -> None:
    anna = await connect_guest(server, "Anna")
    claim = asyncio.ensure_future(anna.call(ClaimNameRequest(password=PASSWORD)))
    await asyncio.sleep(0)
    again = await connect_guest(server, "Zoe", token=anna.welcome.token)
    await claim
    assert (again.welcome.name, (await again.call(ShowAccountRequest())).claimed) == ("Anna", True)


async def test_a_claim_continues_when_its_connection_is_lost(server: Server) -> None:
    anna = await connect_guest(server, "Anna")
    claim = asyncio.ensure_future(anna.call(ClaimNameRequest(password=PASSWORD)))
    await asyncio.sleep(0)
    claim.cancel()
    anna.hang_up()
    await core_of(server).background.finish_tasks()
    assert (await connect_guest(server, token=anna.welcome.token)).welcome.claimed


@pytest.mark.parametrize("password", ["", "seven77"])
async def test_a_password_has_eight_characters(server: Server, password: str) -> None:
    assert await code_of(await connect_guest(server, "Anna"), ClaimNameRequest(password=password)) == "bad_params"


async def test_claims_from_one_address_are_counted() -> None:
    server = account_server(claims_per_hour=1)
    await connect_owner(server, "Anna", address=HOME)
    ben = await connect_guest(server, "Ben", address=HOME)
    with pytest.raises(ScovilleError) as refused:
        await ben.call(ClaimNameRequest(password=PASSWORD))
    assert refused.value.code == "slow_down"
    assert 0 < refused.value.data["retry_after_ms"] <= 3_600_000
    await server.close()


async def test_users_who_claimed_a_name_make_no_room_for_guests(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    anna.hang_up()
    sessions = core_of(server).sessions
    sessions._limit = Live(1)
    for _ in range(3):
        (await connect_guest(server)).hang_up()
    assert len(sessions._by_id) == 2
    assert sessions.find_by_name("ANNA").claimed


# --- keys ------------------------------------------------------------------------------------------------


async def test_a_key_claims_a_name_and_logs_in(server: Server) -> None:
    keys = ed25519_keys("anna@kitchen")
    anna = await connect_guest(server, "Anna")
    await anna.call(await sign_request(anna, keys, ClaimNameRequest))
    elsewhere = await connect_guest(server)
    assert (await elsewhere.call(await sign_request(elsewhere, keys, LoginByKeyRequest, "Anna"))).name == "Anna"
    account = await elsewhere.call(ShowAccountRequest())
    assert (account.claimed, account.has_password, account.keys[0].comment) == (True, False, "anna@kitchen")
    anna_here = core_of(server).sessions.find_by_name("Anna")
    assert anna_here is not None
    assert core_of(server).users.claims.find_key_owner(account.keys[0].fingerprint) == anna_here.id


async def test_a_challenge_is_good_once_and_on_its_line_alone(server: Server) -> None:
    keys = ed25519_keys()
    anna, other = await connect_guest(server, "Anna"), await connect_guest(server)
    await anna.call(await sign_request(anna, keys, ClaimNameRequest))
    proof = await sign_request(other, keys, LoginByKeyRequest, "Anna")
    third = await connect_guest(server)
    await third.call(ChallengeRequest())
    assert await code_of(third, proof) == "bad_key"
    assert (await other.call(proof)).name == "Anna"
    assert await code_of(other, proof) == "bad_key"


async def test_a_key_nobody_holds_logs_nobody_in(server: Server) -> None:
    caller = await connect_guest(server)
    assert await code_of(caller, await sign_request(caller, ed25519_keys(), LoginByKeyRequest, "Anna")) == "wrong_login"


async def test_a_key_belongs_to_one_user(server: Server) -> None:
    keys = ed25519_keys()
    anna, ben = await connect_owner(server, "Anna"), await connect_owner(server, "Ben")
    await anna.call(await sign_request(anna, keys, AddKeyRequest))
    assert await code_of(ben, await sign_request(ben, keys, AddKeyRequest)) == "bad_key"
    cleo = await connect_guest(server, "Cleo")
    assert await code_of(cleo, await sign_request(cleo, keys, ClaimNameRequest)) == "bad_key"
    assert not (await cleo.call(ShowAccountRequest())).claimed


async def test_several_proofs_may_go_but_for_the_last(server: Server) -> None:
    first, second = ed25519_keys(), ed25519_keys()
    anna = await connect_guest(server, "Anna")
    await anna.call(await sign_request(anna, first, ClaimNameRequest))
    await anna.call(await sign_request(anna, second, AddKeyRequest))
    await anna.call(await sign_request(anna, second, AddKeyRequest))
    prints = [key.fingerprint for key in (await anna.call(ShowAccountRequest())).keys]
    assert len(prints) == 2
    await anna.call(RemoveKeyRequest(fingerprint=prints[0]))
    assert await code_of(anna, RemoveKeyRequest(fingerprint=prints[0])) == "bad_key"
    assert await code_of(anna, RemoveKeyRequest(fingerprint=prints[1])) == "bad_key"
    await anna.call(ChangePasswordRequest(new=PASSWORD))
    await anna.call(RemoveKeyRequest(fingerprint=prints[1]))
    await log_in(await connect_guest(server))


async def test_keys_are_bounded_and_need_a_name() -> None:
    server = account_server(keys=1)
    ben = await connect_guest(server, "Ben")
    assert await code_of(ben, await sign_request(ben, ed25519_keys(), AddKeyRequest)) == "not_claimed"
    anna = await connect_owner(server, "Anna")
    await anna.call(await sign_request(anna, ed25519_keys(), AddKeyRequest))
    assert await code_of(anna, await sign_request(anna, ed25519_keys(), AddKeyRequest)) == "too_many"
    await server.close()


# --- what an owner may change ------------------------------------------------------------------------------


async def test_a_password_is_changed_by_who_knows_the_old_one(server: Server) -> None:
    anna = await connect_guest(server, token=(await connect_owner(server, "Anna")).welcome.token)
    assert await code_of(anna, ChangePasswordRequest(new="another one")) == "proof_required"
    assert await code_of(anna, ConfirmRequest(password="wrong one")) == "wrong_login"
    assert await code_of(anna, ChangePasswordRequest(new="another one")) == "proof_required"
    await confirm_identity(anna)
    assert await code_of(anna, ChangePasswordRequest(new="short")) == "bad_params"
    await anna.call(ChangePasswordRequest(new="another one"))
    caller = await connect_guest(server)
    assert await code_of(caller, LoginRequest(name="Anna", password=PASSWORD)) == "wrong_login"
    await log_in(caller, password="another one")


async def test_a_name_given_up_is_free_again(server: Server) -> None:
    anna = await connect_guest(server, token=(await connect_owner(server, "Anna")).welcome.token)
    assert await code_of(anna, ReleaseNameRequest()) == "proof_required"
    await confirm_identity(anna)
    await anna.call(ReleaseNameRequest())
    account = await anna.call(ShowAccountRequest())
    assert (account.name, account.claimed, account.has_password) == ("Anna", False, False)
    assert await code_of(anna, ReleaseNameRequest()) == "not_claimed"
    anna.hang_up()
    ben = await connect_guest(server, "Anna")
    assert (ben.welcome.name, ben.welcome.name_claimed) == ("Anna", False)
    await ben.call(ClaimNameRequest(password=PASSWORD))


async def test_a_revoked_token_is_void_and_disconnects(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    elsewhere = await connect_guest(server)
    token = await log_in(elsewhere)
    tokens = (await elsewhere.call(ShowAccountRequest())).sessions
    assert [token.current for token in tokens].count(True) == 1
    assert await code_of(elsewhere, EndSessionRequest(id="none")) == "bad_params"
    await elsewhere.call(EndSessionRequest())
    assert not (await connect_guest(server, token=anna.welcome.token)).welcome.claimed
    [current] = (await elsewhere.call(ShowAccountRequest())).sessions
    await elsewhere.call(EndSessionRequest(id=current.id))
    assert elsewhere.peer.bye.code == "revoked"
    assert not (await connect_guest(server, token=token)).welcome.claimed


async def test_changes_are_counted() -> None:
    server = account_server(changes_per_hour=2)
    anna = await connect_owner(server, "Anna")
    await anna.call(EndSessionRequest())
    await anna.call(ChangePasswordRequest(new="another one"))
    for params in (EndSessionRequest(), LogoutRequest(), ReleaseNameRequest()):
        assert await code_of(anna, params) == "slow_down"
    await server.close()


async def test_passers_by_do_not_replace_seated_guests(server: Server) -> None:
    anna = await connect_guest(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    await anna.call(LeaveRequest(table=table))
    anna.hang_up()
    core_of(server).sessions._limit = Live(5)
    for _ in range(50):
        (await connect_guest(server)).hang_up()
    assert (await connect_guest(server, token=anna.welcome.token)).welcome.name == "Anna"
