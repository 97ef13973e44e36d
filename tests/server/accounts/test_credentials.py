"""Credentials change only after a fresh proof; accounts are recovered by an admin and deleted by their owner."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from scoville_server.accounts.model.account_limits import DAY_MS, AccountLimits, Hashing
from scoville_server.chat.model.messages import whispers_of
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    AccountWarnedNotice,
    AddKeyRequest,
    AuditRequest,
    BecomeAdminRequest,
    ChangePasswordRequest,
    ClaimNameRequest,
    ConfirmRequest,
    DeleteAccountRequest,
    JoinRequest,
    LeaveRequest,
    LoginByKeyRequest,
    LoginRequest,
    ProfileRequest,
    RecoverAccountRequest,
    RecoverRequest,
    ReleaseNameRequest,
    RemoveKeyRequest,
    SayRequest,
    ShowAccountRequest,
)
from tests.support.accounts import (
    PASSWORD,
    account_server,
    confirm_identity,
    connect_guest,
    connect_owner,
    ed25519_keys,
    make_cheap_limits,
    sign_request,
)
from tests.support.core import code_of
from tests.support.journals import read_rows
from tests.support.server import Caller, core_of, toy_server

NEW = "eight jalapenos"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = toy_server(Settings(accounts=make_cheap_limits(claims_per_hour=100), admins=("Ada",)))
    await server.start()
    yield server
    await server.close()


async def by_token(server: Server, caller: Caller) -> Caller:
    """The same user on another connection, by nothing but a token."""
    assert caller.welcome is not None
    return await connect_guest(server, token=caller.welcome.token)


async def test_a_token_alone_changes_no_credentials(server: Server) -> None:
    keys = ed25519_keys()
    thief = await by_token(server, await connect_owner(server, "Anna"))
    add = await sign_request(thief, keys, AddKeyRequest)
    for params in (ChangePasswordRequest(new=NEW), add, RemoveKeyRequest(fingerprint="x"), ReleaseNameRequest()):
        assert await code_of(thief, params) == "proof_required"
    assert await code_of(thief, DeleteAccountRequest()) == "proof_required"
    await confirm_identity(thief)
    await thief.call(await sign_request(thief, keys, AddKeyRequest))


async def test_a_proof_is_fresh_for_five_minutes_on_its_connection(server: Server) -> None:
    core = core_of(server)
    now = 1_000.0
    core.accounts._clock = lambda: now
    anna = await confirm_identity(await connect_owner(server, "Anna"))
    now += 299
    await anna.call(ChangePasswordRequest(new=NEW))
    now += 2
    assert await code_of(anna, ChangePasswordRequest(new=PASSWORD)) == "proof_required"
    await confirm_identity(anna, NEW)
    elsewhere = await by_token(server, anna)
    assert await code_of(elsewhere, ChangePasswordRequest(new=PASSWORD)) == "proof_required"


async def test_ones_own_key_confirms_too(server: Server) -> None:
    keys, others = ed25519_keys(), ed25519_keys()
    anna, ben = await connect_guest(server, "Anna"), await connect_guest(server, "Ben")
    await anna.call(await sign_request(anna, keys, ClaimNameRequest))
    await ben.call(await sign_request(ben, others, ClaimNameRequest))
    back = await by_token(server, anna)
    assert await code_of(back, await sign_request(back, others, ConfirmRequest)) == "wrong_login"
    assert await code_of(back, ChangePasswordRequest(new=NEW)) == "proof_required"
    await back.call(await sign_request(back, keys, ConfirmRequest))
    await back.call(ChangePasswordRequest(new=NEW))
    assert await code_of(await connect_guest(server), ConfirmRequest(password=NEW)) == "not_claimed"


async def test_wrong_passwords_of_a_confirmation_count_as_log_ins() -> None:
    server = account_server(failures=3, failures_per_name=3)
    core = core_of(server)
    core.accounts._clock = lambda: 0.0
    anna = await connect_owner(server, "Anna", address="192.0.2.7:1")
    thief = await connect_guest(server, token=anna.welcome.token, address="198.51.100.9:1")
    codes = [await code_of(thief, ConfirmRequest(password="wrong one")) for _ in range(4)]
    assert codes == ["wrong_login"] * 3 + ["slow_down"]
    stranger = await connect_guest(server, address="198.51.100.9:2")
    assert await code_of(stranger, LoginRequest(name="Anna", password="wrong one")) == "slow_down"
    await server.close()


async def test_a_new_password_ends_other_sessions(server: Server) -> None:
    keys = ed25519_keys("planted")
    anna = await connect_owner(server, "Anna")
    await anna.call(await sign_request(anna, keys, AddKeyRequest))
    phone = await connect_guest(server)
    login = await phone.call(LoginRequest(name="Anna", password=PASSWORD))
    back = await confirm_identity(await by_token(server, anna))
    changed = await back.call(ChangePasswordRequest(new=NEW))
    assert changed.sessions_ended == 1
    assert [key.comment for key in changed.keys] == ["planted"]
    assert not (await connect_guest(server, token=login.token)).welcome.resumed
    assert not back.peer.closed
    assert len((await back.call(ShowAccountRequest())).sessions) == 1


async def test_old_hashes_are_made_again_at_the_log_in() -> None:
    journal = MemoryJournal()
    first = toy_server(Settings(accounts=make_cheap_limits()), journal)
    await first.start()
    await connect_owner(first, "Anna")
    await first.close()
    dearer = AccountLimits(hashing=Hashing(memory_kib=16, passes=2))
    server = toy_server(Settings(accounts=dearer), journal)
    await server.start()
    core = core_of(server)
    user = core.sessions.find_by_name("Anna")
    before = core.users.claims.known_account(user.id).password
    assert await code_of(await connect_guest(server), LoginRequest(name="Anna", password="wrong one")) == "wrong_login"
    await core.background.finish_tasks()
    assert core.users.claims.known_account(user.id).password == before
    await (await connect_guest(server)).call(LoginRequest(name="Anna", password=PASSWORD))
    await core.background.finish_tasks()
    after = core.users.claims.known_account(user.id).password
    assert ("m=8,t=1" in before, "m=16,t=2" in after) == (True, True)
    await (await connect_guest(server)).call(LoginRequest(name="Anna", password=PASSWORD))
    await core.background.finish_tasks()
    assert core.users.claims.known_account(user.id).password == after
    await server.close()


# --- recovery ----------------------------------------------------------------------------------------------


async def recovery_code(server: Server, name: str = "Anna") -> str:
    if core_of(server).sessions.find_by_name("Ada") is None:
        await (await connect_owner(server, "Ada")).call(BecomeAdminRequest(code=server.admin_codes["Ada"]))
    made = await (await ada(server)).call(RecoverAccountRequest(name=name, reason="asked by phone"))
    code: str = made.code
    return code


async def ada(server: Server) -> Caller:
    caller = await connect_guest(server)
    await caller.call(LoginRequest(name="Ada", password=PASSWORD))
    return caller


async def test_an_admins_code_resets_a_password_once(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    code = await recovery_code(server)
    [warned] = [notice.warning.kind for notice in anna.peer.heard if isinstance(notice, AccountWarnedNotice)]
    assert warned == "recovery_code"
    caller = await connect_guest(server)
    assert await code_of(caller, RecoverRequest(name="Anna", code=code, password="short")) == "bad_params"
    reply = await caller.call(RecoverRequest(name="Anna", code=code.replace("-", " ").upper(), password=NEW))
    assert reply.name == "Anna"
    assert anna.peer.closed
    [session] = (await caller.call(ShowAccountRequest())).sessions
    assert session.origin == "recovery"
    again = await connect_guest(server)
    assert await code_of(again, RecoverRequest(name="Anna", code=code, password=NEW)) == "wrong_login"
    assert await code_of(again, LoginRequest(name="Anna", password=PASSWORD)) == "wrong_login"
    await again.call(LoginRequest(name="Anna", password=NEW))
    entries = (await (await ada(server)).call(AuditRequest())).entries
    assert [(line.by, line.action, line.target) for line in entries if line.action.startswith("recover")] == [
        ("Ada", "recovery code", "Anna"),
        ("Anna", "recovered", "Anna"),
    ]


async def test_one_of_two_simultaneous_codes_works(server: Server) -> None:
    await connect_owner(server, "Anna")
    code = await recovery_code(server)
    callers = [await connect_guest(server) for _ in range(2)]
    requests = [caller.call(RecoverRequest(name="Anna", code=code, password=NEW)) for caller in callers]
    results = await asyncio.gather(*requests, return_exceptions=True)
    assert sorted(getattr(result, "code", "") for result in results) == ["", "wrong_login"]


async def test_codes_expire_and_are_replaced(server: Server) -> None:
    anna, core = await connect_owner(server, "Anna"), core_of(server)
    old = await recovery_code(server)
    code = await recovery_code(server)
    assert (
        await code_of(await connect_guest(server), RecoverRequest(name="Anna", code=old, password=NEW)) == "wrong_login"
    )
    now_ms = core.users.time.now_ms()
    user = core.sessions.find_by_name("Anna")
    assert core.users.recoveries.is_valid_code(user.id, code, now_ms + 2 * DAY_MS - 60_000)
    assert not core.users.recoveries.is_valid_code(user.id, code, now_ms + 2 * DAY_MS)
    await (await confirm_identity(anna)).call(ChangePasswordRequest(new=NEW))
    assert not core.users.recoveries.is_valid_code(user.id, code, now_ms)
    assert await code_of(anna, RecoverAccountRequest(name="Anna")) == "not_allowed"
    await connect_guest(server, "Gus")
    assert await code_of(await ada(server), RecoverAccountRequest(name="Gus")) == "not_claimed"


async def test_wrong_codes_count_as_log_ins() -> None:
    server = account_server(failures=3)
    core_of(server).accounts._clock = lambda: 0.0
    await connect_owner(server, "Anna")
    caller = await connect_guest(server, address="198.51.100.9:1")
    wrong = RecoverRequest(name="Anna", code="aaaa-bbbb", password=NEW)
    assert [await code_of(caller, wrong) for _ in range(4)] == ["wrong_login"] * 3 + ["slow_down"]
    await server.close()


# --- deletion ----------------------------------------------------------------------------------------------


async def test_a_deleted_account_leaves_only_its_retired_name() -> None:
    journal = MemoryJournal()
    server = toy_server(Settings(accounts=make_cheap_limits(claims_per_hour=100)), journal)
    await server.start()
    keys, core = ed25519_keys(), core_of(server)
    anna, ben = await connect_owner(server, "Anna"), await connect_owner(server, "Ben")
    await anna.call(await sign_request(anna, keys, AddKeyRequest))
    await anna.call(SayRequest(text="A secret", to="Ben"))
    number = core.sessions.find_by_name("Anna").id
    reply = await anna.call(DeleteAccountRequest())
    assert reply.name != "Anna"
    await core.background.finish_tasks()
    books = {book: await read_rows(journal, book) for book in journal._books}
    assert sorted(name for name, rows in books.items() if number in repr(rows)) == ["claims", "names.retired"]
    assert (
        core.chat.channels.messages_since(whispers_of(number), 0) == []
    )  # Ben has his own copy of what she said to him
    assert not [key for key in books["chat"] if number in key]
    assert number not in repr(await journal.users())
    assert await code_of(ben, ProfileRequest(name="Anna")) == "unknown_user"
    other = await connect_guest(server, "Anna")
    assert other.welcome.name != "Anna"
    assert await code_of(other, LoginRequest(name="Anna", password=PASSWORD)) == "wrong_login"
    assert await code_of(other, await sign_request(other, keys, LoginByKeyRequest, "Anna")) == "wrong_login"
    await core.users.claims.expire_retired_names(core.users.time.now_ms() + 30 * DAY_MS - 60_000)
    assert (await connect_guest(server, "Anna")).welcome.name != "Anna"
    await core.users.claims.expire_retired_names(core.users.time.now_ms() + 30 * DAY_MS)
    assert (await connect_guest(server, "Anna")).welcome.name == "Anna"
    await server.close()


async def test_a_retired_name_stays_so_after_a_restart() -> None:
    journal = MemoryJournal()
    server = toy_server(Settings(accounts=make_cheap_limits()), journal)
    await server.start()
    await (await connect_owner(server, "Anna")).call(DeleteAccountRequest())
    await server.close()
    again = toy_server(Settings(accounts=make_cheap_limits()), journal)
    await again.start()
    assert (await connect_guest(again, "Anna")).welcome.name != "Anna"
    await again.close()


async def test_a_user_who_deletes_the_account_leaves_every_table_first(server: Server) -> None:
    anna = await connect_owner(server, "Anna")
    table = await anna.create()
    await anna.call(JoinRequest(table=table))
    assert await code_of(anna, DeleteAccountRequest()) == "seated"
    await anna.call(LeaveRequest(table=table))
    await anna.call(DeleteAccountRequest())
    assert await code_of(anna, DeleteAccountRequest()) == "not_claimed"
