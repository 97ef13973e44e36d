"""A key signs for the server that the connection has proved, and passwords go nowhere unencrypted."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from scoville_client.session.session import Session
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import ChallengeReply, ChallengeRequest, HelloRequest
from scoville_shared.protocol.proofs import proof_text
from tests.support.client import HurriedClock, ScriptedLink

NONCE, PROVED, SAID = "9f" * 32, "5c" * 32, "ab" * 32


async def connected(keys: tuple[str, ...], *, local: bool = False) -> tuple[Session, ScriptedLink]:
    link, session = ScriptedLink(), Session(clock=HurriedClock().clock)
    link.server_keys, link.local = keys, local
    link.answers[ChallengeRequest] = ChallengeReply(nonce=NONCE)
    await session.connect(link)
    assert link.answers[HelloRequest].server_key == SAID
    return session, link


async def test_a_key_signs_for_the_proven_server_key() -> None:
    session, _ = await connected((PROVED,))
    assert await session.account.text_to_sign("log-in", "Zoe") == proof_text("log-in", PROVED, "Zoe", NONCE)
    assert await session.account.text_to_sign("confirm") == proof_text("confirm", PROVED, "Anna", NONCE)


async def test_a_key_signs_for_a_servers_present_key() -> None:
    session, _ = await connected((PROVED, "7d" * 32))
    assert f"server: {PROVED}\n" in await session.account.text_to_sign("add-key")


@pytest.mark.parametrize("local", [True, False])
async def test_no_key_signs_without_encryption_not_even_on_this_computer(local: bool) -> None:
    session, link = await connected((), local=local)
    before = len(link.asked)
    with pytest.raises(ScovilleError) as refused:
        await session.account.text_to_sign("log-in", "Zoe")
    assert refused.value.code == "insecure"
    assert len(link.asked) == before


@pytest.mark.parametrize(
    "action",
    [
        lambda session: session.account.log_in("Zoe", "seven habaneros"),
        lambda session: session.account.claim_name("seven habaneros"),
        lambda session: session.account.confirm_user("seven habaneros"),
        lambda session: session.account.change_password("seven habaneros"),
        lambda session: session.account.recover_account("Zoe", "code", "seven habaneros"),
    ],
)
async def test_no_password_leaves_this_computer_unencrypted(action: Callable[[Session], Awaitable[Any]]) -> None:
    session, link = await connected(())
    before = len(link.asked)
    with pytest.raises(ScovilleError) as refused:
        await action(session)
    assert (refused.value.code, len(link.asked)) == ("insecure", before)
    local, to_it = await connected((), local=True)
    await local.account.confirm_user("seven habaneros")
    assert "seven habaneros" in repr(to_it.asked[-1])


@pytest.mark.parametrize("nonce", ["", "9f", "9f" * 32 + "\n", "log me in at another server", "9F" * 32])
def test_a_server_chooses_only_hex_digits_of_the_text(nonce: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"nonce": nonce}, ChallengeReply)
