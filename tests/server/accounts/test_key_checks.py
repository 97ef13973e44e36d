"""SSH signatures are checked by a worker, and several account requests may run at once."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from scoville_server.accounts.model import ssh_keys
from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import ChallengeRequest, LoginByKeyRequest, LogoutRequest
from tests.support.accounts import account_server, ed25519_keys
from tests.support.core import code_of
from tests.support.server import Caller


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = account_server()
    await made.start()
    yield made
    await made.close()


async def test_keys_are_checked_a_few_at_a_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, threads = threading.Event(), []

    def check(*_: object) -> None:
        threads.append(threading.current_thread().name)
        gate.wait(10)

    monkeypatch.setattr(ssh_keys, "check_signature", check)
    keys = ed25519_keys()
    callers = [await Caller(server, "192.0.2.7:1").hello() for _ in range(6)]
    for caller in callers:
        await caller.call(ChallengeRequest())
    params = LoginByKeyRequest(name="Anna", key=keys.line, signature="x")

    waiting = [asyncio.ensure_future(caller.call(params)) for caller in callers[:4]]
    await asyncio.sleep(0)
    assert await code_of(callers[4], params) == "busy"
    gate.set()

    codes = [answer.code for answer in await asyncio.gather(*waiting, return_exceptions=True)]  # type: ignore[union-attr]
    assert codes == ["wrong_login"] * 4
    assert {name.partition("_")[0] for name in threads} == {"keys"}


async def test_to_log_out_twice_at_once_is_no_fault(server: Server) -> None:
    caller = await Caller(server).hello("Ben")
    answers = await asyncio.gather(*(caller.call(LogoutRequest()) for _ in range(3)), return_exceptions=True)
    assert not [answer for answer in answers if isinstance(answer, Exception) and not isinstance(answer, ScovilleError)]
