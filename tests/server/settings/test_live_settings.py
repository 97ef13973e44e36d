"""Every setting is either live, which a probe of a running server shows, or needs a restart, with a reason."""

import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.chat.model.messages import LOBBY
from scoville_server.limits.throttle import Source
from scoville_server.lobby import webhook
from scoville_server.moderation.model.community import TEXTS
from scoville_server.server import Server
from scoville_server.settings.derived import derive_bounds, with_value
from scoville_server.settings.description import all_settings
from scoville_server.settings.live import NEEDS_RESTART, LiveSettings
from scoville_server.settings.model import LoadedSettings, Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    ClaimNameRequest,
    CreateRequest,
    DescribeServerRequest,
    JoinRequest,
    SayRequest,
)
from tests.support.core import connect_user
from tests.support.server import Caller, core_of, toy_shelf, until

SETTINGS = sorted(setting.key for setting in all_settings(Settings()) if not setting.is_table)

OF_THE_PROCESS = {"log.level", "log.format", "log.file"}
"""Settings of the command's process: `test_signals.py` and `test_cli.py` show them."""


class Bench:
    """A running server whose settings a test changes, and users at it."""

    def __init__(self, folder: Path) -> None:
        cheap = AccountLimits(hashing=Hashing(memory_kib=8, passes=1))
        self.usual = self.wanted = Settings(host="127.0.0.1", port=0, data=folder, accounts=cheap)
        self.server = Server(LiveSettings(self.usual, read=lambda: LoadedSettings(self.wanted)), toy_shelf())
        self.core = core_of(self.server)
        self.posts: list[str] = []
        self._names = count()

    async def reload_with(self, key: str, value: object) -> None:
        # As the sources do it: a scale changes the bounds that derive from it.
        self.wanted = derive_bounds(with_value(self.usual, key, value), [key])
        reload = await self.server.reload()
        assert reload.is_in_force
        assert key in [change.setting for change in reload.changed]

    async def greet(self) -> Caller:
        return await connect_user(self.server, f"User{next(self._names)}")

    async def outcome(self, act: Awaitable[Any]) -> str:
        try:
            await act
        except ScovilleError as error:
            return error.code
        return "ok"

    async def open_table(self) -> Caller:
        user = await self.greet()
        await user.call(JoinRequest(table=await user.create()))  # an empty table would make room for another one
        return user

    async def default_tables(self) -> list[str]:
        wanted = [*self.core.live.value.default_tables]
        await until(lambda: len(self.core.tables) == len(wanted))
        return [actor.table.opened.game for actor in self.core.tables.all_tables()]

    @property
    def quick(self) -> CreateRequest:
        return self.core.factory.request_for_anybody("high_card")

    async def limits(self) -> Any:
        user = await self.greet()
        assert user.welcome is not None
        user.hang_up()
        return user.welcome.limits

    def count_openings(self, source: Callable[[int], Source]) -> int:
        """Count the tables that may be opened until somebody has to wait."""
        for number in range(10_000):
            try:
                self.core.budgets.count_opening(source(number))
            except ScovilleError:
                return number
        raise AssertionError

    async def say_in_lobby(self) -> int:
        user = await self.greet()
        for text in ("one", "two", "three"):
            await user.call(SayRequest(text=text))
        return len(self.core.chat.channels.messages_since(LOBBY))

    async def call_webhook(self) -> str:
        user = await self.greet()
        await user.call(JoinRequest(table=await user.create()))
        asked = self.core.live.value.webhook
        if asked:
            await until(lambda: bool(self.posts))
        return self.posts[-1] if self.posts else ""


numbers = count(1)


def user_source(_: int) -> Source:
    return Source("somebody", (f"203.0.113.{next(numbers) % 250}",), arrival=1, latest=1)


def address_source(number: int) -> Source:
    return Source(f"user{number}", ("198.51.100.7",))


Probe = Callable[[Bench], Any]


def protocol_of(bench: Bench) -> Any:
    assert bench.server._tcp is not None
    return bench.server._tcp._make_protocol(b"", "127.0.0.1:4711")


async def describe(bench: Bench) -> Any:
    user = await bench.greet()
    assert user.welcome is not None
    return user.welcome.community, await user.call(DescribeServerRequest())


async def is_named_moderator(bench: Bench) -> bool:
    owner = bench.core.users.claims.find_owner("Named")
    if owner is None:
        named = await connect_user(bench.server, "Named")
        await named.call(ClaimNameRequest(password="green or red?"))
        owner = bench.core.users.claims.find_owner("Named")
    assert owner is not None
    user = bench.core.sessions.find_user(owner)
    assert user is not None
    return bench.core.moderation.is_moderator(user)


LIVE: dict[str, tuple[object, Probe]] = {
    "plain_text": (True, lambda b: protocol_of(b)._plain_text),
    "local_plain_text": (False, lambda b: protocol_of(b)._local_plain_text),
    "proxies": (("192.0.2.0/24",), lambda b: type(protocol_of(b)).__name__),
    "webhook": ("http://hooks.example/2", lambda b: b.call_webhook()),
    "digests": ("internet", lambda b: b.core.digests._delivery.reach.value),
    "admins": (("Anna",), lambda b: {*b.server.admin_codes}),
    **{f"community.{text}": ("Hello", describe) for text in ("name", *TEXTS)},
    "community.password": ("seven habaneros", lambda b: b.outcome(Caller(b.server, "192.0.2.1:1").hello("New"))),
    "community.moderators": (("Named",), is_named_moderator),
    "community.claimed_names_only": (True, lambda b: b.outcome(b.open_table())),
    "daily.enabled": (False, lambda b: b.core.daily.days.enabled),
    "daily.start_hour": (9, lambda b: b.core.daily.days.calendar.start_hour),
    "guests": (1, lambda b: b.outcome(b.greet())),
    "tables": (1, lambda b: b.outcome(b.open_table())),
    "default_tables": (("heap",), lambda b: b.default_tables()),
    "bot_fill_seconds": (77, lambda b: b.quick.settings.fill_ms),
    "quick_move_seconds": (77, lambda b: b.quick.clock.move_ms),
    "quick_bank_seconds": (77, lambda b: b.quick.clock.bank_ms),
    "drain_seconds": (77.0, lambda b: b.server.settings.drain_seconds),
    "grace_seconds": (77.0, lambda b: b.limits()),
    "deserted_seconds": (77.0, lambda b: b.core.deserted._deserted_seconds.value),
    "host_idle_seconds": (77.0, lambda b: b.core.idle_timeouts._of.value.host_idle),
    "idle_seconds": (77.0, lambda b: b.core.idle_timeouts._of.value.idle),
    "finished_seconds": (77.0, lambda b: b.core.idle_timeouts._of.value.finished),
    "limits.memory_mib": (2560, lambda b: (b.core.space._most.value, b.server._scheduler.buffers._most.value)),
    "limits.per_user": (2.0, lambda b: b.count_openings(user_source)),
    "limits.per_address": (2.0, lambda b: b.count_openings(address_source)),
    "connections.total": (77, lambda b: b.server._tcp and b.server._tcp._admission._most_open),
    "retention.audit_days": (77, lambda b: b.core.retention._settings.value),
    "retention.report_days": (77, lambda b: b.core.retention._settings.value),
    "retention.chat_days": (77, lambda b: b.core.retention._settings.value),
    "chat.slow_seconds": (77.0, lambda b: b.outcome(b.say_in_lobby())),
    "accounts.token_days": (77, lambda b: b.core.users.tokens._limits.value.token_ms(True)),
    "accounts.password_shortest": (12, lambda b: b.limits()),
    "accounts.hashing.memory_kib": (77, lambda b: b.core.accounts.passwords._argon2.memory_cost),
    "accounts.hashing.workers": (7, lambda b: b.core.accounts.passwords._workers._pool._max_workers),
    "thinking.workers": (7, lambda b: b.core.bot_thinking._thinking._pool._threads.most),
    "games.files": (77, lambda b: b.core.archive and b.core.archive._index._limits.value.files),
    "games.bytes": (77, lambda b: b.core.archive and b.core.archive._index._limits.value.bytes),
}
"""For each live setting another value, and what a running server does by it."""


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    async def post(url: str, _: object) -> None:
        started.posts.append(url)

    monkeypatch.setattr(webhook, "_post_json", post)
    started = Bench(tmp_path / "data")
    await started.server.start()
    yield started
    await started.server.close()


async def observe(bench: Bench, probe: Probe) -> Any:
    found = probe(bench)
    return await found if isinstance(found, Awaitable) else found


def test_each_setting_is_live_or_says_why_not() -> None:
    assert sorted([*LIVE, *NEEDS_RESTART, *OF_THE_PROCESS]) == SETTINGS
    assert all(len(reason.split()) > 4 for reason in NEEDS_RESTART.values())


@pytest.mark.parametrize("key", LIVE)
async def test_a_live_setting_changes_what_the_server_does(bench: Bench, key: str) -> None:
    value, probe = LIVE[key]
    if key in ("guests", "tables"):  # the first one takes the only place
        assert await observe(bench, probe) == "ok"
    before = await observe(bench, probe)
    await bench.reload_with(key, value)
    after = await observe(bench, probe)
    assert before != after
    bench.wanted = bench.usual
    assert (await bench.server.reload()).is_in_force
    assert bench.server.settings == bench.usual


async def test_a_hundred_reloads_leave_nothing_behind(bench: Bench) -> None:
    async def reload_twice() -> None:
        for tables in (7, 8):
            bench.wanted = replace(bench.usual, tables=tables, default_tables=("heap",) if tables == 7 else ())
            assert (await bench.server.reload()).is_in_force

    for _ in range(5):
        await reload_twice()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        await reload_twice()
    gc.collect()
    assert len(gc.get_objects()) - before < 500
