"""Locks by key: who works on the same waits, and nobody else."""

import asyncio

from scoville_server.background.keyed_locks import KeyedLocks


async def test_work_on_one_key_is_done_one_after_the_other() -> None:
    locks, log = KeyedLocks(), []

    async def work(name: str, *keys: str) -> None:
        async with locks.hold_keys(keys):
            log.append(f"{name} begins")
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            log.append(f"{name} ends")

    await asyncio.gather(work("one", "a"), work("two", "a", "b"), work("other", "c"))
    assert log.index("one ends") < log.index("two begins")
    assert log.index("other begins") < log.index("one ends")


async def test_keys_taken_in_any_order_block_nobody() -> None:
    locks = KeyedLocks()

    async def work(*keys: str) -> None:
        for _ in range(20):
            async with locks.hold_keys(keys):
                await asyncio.sleep(0)

    await asyncio.gather(work("a", "b", "c"), work("c", "b", "a"), work("b", "b"), work("c", "a"))
    assert locks._held == {}


async def test_a_cancelled_waiter_leaves_nothing_behind() -> None:
    locks = KeyedLocks()
    async with locks.hold_keys(["a"]):
        waiting = asyncio.ensure_future(_hold(locks))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
    assert locks._held == {}


async def _hold(locks: KeyedLocks) -> None:
    async with locks.hold_keys(["b", "a"]):
        raise AssertionError("it is held")
