"""A signature is good for one purpose, server, name and connection; channels take only proofs that are safe there."""

import re
import textwrap
from pathlib import Path

import pytest

from scoville_server.accounts.connection import channel_of
from scoville_server.server import Server
from scoville_shared.protocol.messages import (
    AddKeyRequest,
    ChallengeRequest,
    ChangePasswordRequest,
    ClaimNameRequest,
    ConfirmRequest,
    LoginByKeyRequest,
    LoginRequest,
    RecoverRequest,
)
from scoville_shared.protocol.proofs import Purpose, proof_text
from tests.support.accounts import (
    PASSWORD,
    Keys,
    account_server,
    connect_guest,
    connect_owner,
    ed25519_keys,
    sign_request,
)
from tests.support.core import code_of
from tests.support.server import Caller, RecordingPeer

KEYS = ed25519_keys("anna@kitchen")
PAGE = (Path(__file__).parents[3] / "docs" / "protocol" / "methods.md").read_text(encoding="utf-8")
REMOTE, LOCAL = "192.0.2.7:4000", "127.0.0.1:4000"


@pytest.fixture
async def server(server: Server) -> Server:
    """Let Anna claim her name with a key."""
    anna = await connect_guest(server, "Anna")
    await anna.call(await sign_request(anna, KEYS, ClaimNameRequest))
    return server


async def nonce_of(caller: Caller) -> str:
    nonce: str = (await caller.call(ChallengeRequest())).nonce
    return nonce


def key_of(caller: Caller) -> str:
    assert caller.welcome is not None
    return caller.welcome.server_key


def log_in(text: str, name: str = "Anna", keys: Keys = KEYS) -> LoginByKeyRequest:
    return LoginByKeyRequest(name=name, key=keys.line, signature=keys.sign(text))


async def unsafe(server: Server, address: str) -> Caller:
    """A client on an unencrypted connection."""
    caller = Caller(server)
    caller.peer.address, caller.peer.secure = address, False
    return await caller.hello()


def test_the_text_that_is_signed_is_that_of_the_documents() -> None:
    [shown] = re.findall(r"(?:^    .*\n)+", PAGE[PAGE.index("### account.challenge") :], re.MULTILINE)[:1]
    text = textwrap.dedent(shown)
    said = dict(line.split(": ") for line in text.splitlines()[1:])
    assert proof_text("log-in", said["server"], said["name"], said["nonce"]) == text
    assert [(part, len(said[part])) for part in ("server", "nonce")] == [("server", 64), ("nonce", 64)]


async def test_a_right_signature_logs_in_whatever_the_capitals(server: Server) -> None:
    for name in ("Anna", "anna", " anna\n", "A\u0308nna"):
        caller = await connect_guest(server)
        text = proof_text("log-in", key_of(caller), name, await nonce_of(caller))
        assert (await caller.call(log_in(text, name))).name == "Anna"


async def test_a_signature_for_another_server_is_worthless(server: Server) -> None:
    evil = account_server()
    await evil.start()
    victim, relay = await connect_guest(evil), await connect_guest(server)
    nonce = await nonce_of(relay)  # the evil server passes the real one's challenge on
    text = proof_text("log-in", key_of(victim), "Anna", nonce)  # the victim names the server of its own connection
    assert await code_of(relay, log_in(text)) == "bad_key"
    await evil.close()


async def test_a_replayed_signature_is_worthless(server: Server) -> None:
    caller = await connect_guest(server)
    proof = log_in(proof_text("log-in", key_of(caller), "Anna", await nonce_of(caller)))
    assert (await caller.call(proof)).name == "Anna"
    assert await code_of(caller, proof) == "bad_key"
    again = await connect_guest(server)
    assert await code_of(again, proof) == "bad_key"
    await nonce_of(again)
    assert await code_of(again, proof) == "bad_key"


async def test_a_nonce_is_used_up_by_a_wrong_signature_too(server: Server) -> None:
    caller = await connect_guest(server)
    nonce = await nonce_of(caller)
    assert await code_of(caller, log_in("something else")) == "bad_key"
    assert await code_of(caller, log_in(proof_text("log-in", key_of(caller), "Anna", nonce))) == "bad_key"


@pytest.mark.parametrize("changed", ["server", "name", "nonce", "protocol"])
async def test_a_signature_of_anything_else_is_worthless(server: Server, changed: str) -> None:
    caller = await connect_guest(server)
    text = proof_text("log-in", key_of(caller), "Anna", await nonce_of(caller))
    lines = [
        f"{line[:-1]}{'1' if line.endswith('0') else '0'}" if line.startswith(f"{changed}: ") else line
        for line in text.split("\n")
    ]
    other = "\n".join(lines)
    assert other != text
    assert await code_of(caller, log_in(other)) == "bad_key"


@pytest.mark.parametrize("purpose", ["claim", "add-key", "confirm"])
async def test_a_signature_for_another_purpose_is_worthless(server: Server, purpose: Purpose) -> None:
    caller = await connect_guest(server)
    text = proof_text(purpose, key_of(caller), "Anna", await nonce_of(caller))
    assert await code_of(caller, log_in(text)) == "bad_key"


async def test_a_key_logs_in_to_its_own_name_only(server: Server) -> None:
    await connect_owner(server, "Ben")
    caller = await connect_guest(server)
    for name in ("Ben", "Nobody", ""):
        text = proof_text("log-in", key_of(caller), name, await nonce_of(caller))
        assert await code_of(caller, log_in(text, name)) == "wrong_login"
    stranger = ed25519_keys()
    text = proof_text("log-in", key_of(caller), "Anna", await nonce_of(caller))
    assert await code_of(caller, log_in(text, keys=stranger)) == "wrong_login"


async def test_claims_and_keys_are_bound_like_log_ins(server: Server) -> None:
    ben, keys = await connect_guest(server, "Ben"), ed25519_keys()
    for text in ("anything", proof_text("log-in", key_of(ben), "Ben", await nonce_of(ben))):
        claim = ClaimNameRequest(key=keys.line, signature=keys.sign(text))
        assert await code_of(ben, claim) == "bad_key"
    cleo = await connect_owner(server, "Cleo")
    wrong = proof_text("add-key", "00" * 32, "Cleo", await nonce_of(cleo))
    assert await code_of(cleo, AddKeyRequest(key=keys.line, signature=keys.sign(wrong))) == "bad_key"
    await cleo.call(await sign_request(cleo, keys, AddKeyRequest))


async def test_hello_lists_the_proofs_of_each_channel(server: Server) -> None:
    inside, remote = await connect_guest(server), await connect_guest(server, address=REMOTE)
    assert inside.welcome.proofs == remote.welcome.proofs == ["password", "ssh_key", "token"]
    assert (await unsafe(server, LOCAL)).welcome.proofs == ["password", "token"]
    assert (await unsafe(server, REMOTE)).welcome.proofs == ["token"]


async def test_keys_and_passwords_need_a_protected_connection(server: Server) -> None:
    await connect_owner(server, "Ben")
    for address in (LOCAL, REMOTE):
        caller = await unsafe(server, address)
        proof = log_in(proof_text("log-in", key_of(caller), "Anna", await nonce_of(caller)))
        assert await code_of(caller, proof) == "insecure"
    for params in (
        LoginRequest(name="Ben", password=PASSWORD),
        ClaimNameRequest(password=PASSWORD),
        RecoverRequest(name="Ben", code="x", password=PASSWORD),
    ):
        assert await code_of(caller, params) == "insecure"
    local = await unsafe(server, LOCAL)
    assert (await local.call(LoginRequest(name="Ben", password=PASSWORD))).name == "Ben"
    ben = await connect_guest(server, "Bea", address=LOCAL)
    await ben.call(ClaimNameRequest(password=PASSWORD))
    back = Caller(server)
    back.peer.address, back.peer.secure = REMOTE, False
    await back.hello(token=ben.welcome.token)
    for params in (ConfirmRequest(password=PASSWORD), ChangePasswordRequest(new="another one")):
        assert await code_of(back, params) == "insecure"


@pytest.mark.parametrize(
    ("address", "channel"),
    [
        ("", "in_process"),
        ("127.0.0.1:7", "loopback"),
        ("::1:7", "loopback"),
        ("::ffff:127.0.0.1:7", "loopback"),
        ("192.0.2.7:7", "plain"),
        ("somewhere:7", "plain"),
    ],
)
def test_the_address_says_whether_a_plain_connection_leaves_the_machine(address: str, channel: str) -> None:
    assert channel_of(RecordingPeer(address, secure=False)) == channel
    assert channel_of(RecordingPeer(address)) == ("tls" if address else "in_process")
