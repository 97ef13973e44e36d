"""Password hashing by a few workers; users without a password cost the same time."""

import asyncio
import threading

import pytest

from scoville_server.accounts.model.account_limits import Hashing
from scoville_server.accounts.password_hasher import PasswordHasher
from scoville_server.limits.throttle import Source
from scoville_shared.errors import ScovilleError

CHEAP = Hashing(memory_kib=8, passes=1, waiting=4, waiting_per_address=2)
HERE = Source("anna", ["192.0.2.1"])


class Watched(PasswordHasher):
    """Counts comparisons; a gate can stop the workers."""

    def __init__(self, costs: Hashing = CHEAP) -> None:
        super().__init__(costs)
        self.compared: list[str] = []
        self.gate = threading.Event()
        self.gate.set()

    def _verify_hash(self, hashed: str, password: str) -> bool:
        self.gate.wait()
        self.compared.append(hashed)
        return super()._verify_hash(hashed, password)


async def test_a_password_fits_its_hash_however_its_accents_were_typed() -> None:
    passwords = Watched()
    hashed = await passwords.hash_password("p\u00e4prika!", HERE)
    assert hashed.startswith("$argon2id$")
    assert await passwords.match_password(hashed, "pa\u0308prika!", HERE)
    assert not await passwords.match_password(hashed, "paprika!", HERE)
    passwords.close()


async def test_the_usual_costs_are_those_that_owasp_recommends() -> None:
    passwords = PasswordHasher(Hashing())
    hashed = await passwords.hash_password("habanero", HERE)
    assert hashed.split("$")[3] == f"m={19 * 1024},t=2,p=1"
    assert await passwords.match_password(hashed, "habanero", HERE)
    passwords.close()


async def test_a_missing_password_costs_the_same_work() -> None:
    passwords = Watched()
    hashed = await passwords.hash_password("habanero", HERE)
    assert not await passwords.match_password(hashed, "wrong one", HERE)
    assert not await passwords.match_password("", "wrong one", HERE)
    assert len(passwords.compared) == 2
    assert [one.split("$")[3] for one in passwords.compared] == ["m=8,t=1,p=1"] * 2
    passwords.close()


async def test_a_hash_that_cannot_be_read_fits_nothing() -> None:
    passwords = Watched()
    assert not await passwords.match_password("not a hash", "habanero", HERE)
    passwords.close()


async def test_one_place_cannot_fill_the_queue() -> None:
    passwords = Watched()
    passwords.gate.clear()
    waiting = [asyncio.ensure_future(passwords.match_password("", "guess", Source("", [place]))) for place in "aabb"]
    await asyncio.sleep(0)
    for place in "ac":
        with pytest.raises(ScovilleError) as refused:
            await passwords.match_password("", "guess", Source("", [place]))
        assert refused.value.code == "busy"
    passwords.gate.set()
    assert await asyncio.gather(*waiting) == [False] * 4
    assert not await passwords.match_password("", "guess", HERE)
    passwords.close()


async def test_a_log_in_during_shutdown_gets_a_message() -> None:
    passwords = Watched()
    passwords.gate.clear()
    waiting = [asyncio.ensure_future(passwords.match_password("", "guess", Source("", [place]))) for place in "abcd"]
    await asyncio.sleep(0)
    passwords.close()
    passwords.gate.set()
    with pytest.raises(ScovilleError) as refused:
        await passwords.match_password("", "guess", HERE)
    assert refused.value.code == "shutting_down"
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    codes = [answer.code for answer in answers if isinstance(answer, ScovilleError)]
    assert codes == ["shutting_down"] * len(codes)
    assert len(codes) == 2, "two were at work already"


async def test_disconnected_user_leaves_the_queue() -> None:
    passwords = Watched()
    passwords.gate.clear()
    waiting = [asyncio.ensure_future(passwords.match_password("", "guess", HERE)) for _ in range(2)]
    await asyncio.sleep(0)
    for one in waiting:
        one.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    passwords.gate.set()
    assert not await passwords.match_password("", "guess", HERE)
    passwords.close()
