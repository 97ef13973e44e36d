"""Reloads of a running server's settings: all changes or none, without a restart."""

import asyncio
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from scoville_runtime.events import Event, Priority
from scoville_server.events import ConfigReload, ConfigReloadRefused
from scoville_server.limits.live import Live
from scoville_server.server import Server
from scoville_server.settings.live import LiveSettings, Reload
from scoville_server.settings.model import BadSettings, LoadedSettings, Settings
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import CreateRequest
from tests.support.core import connect_user
from tests.support.server import toy_shelf


class Source:
    """Settings that a test changes, as a file would."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.error: Exception | None = None

    def __call__(self) -> LoadedSettings:
        if self.error is not None:
            raise self.error
        return LoadedSettings(self.settings, {"tables": "server.toml:3"})


class Reported:
    """A sink that collects what is reported."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take_event(self, event: Event) -> None:
        self.events.append(event)

    def close_sink(self) -> None:
        """Write nothing."""


def reloading_server(source: Source) -> Server:
    return Server(LiveSettings(source.settings, read=source), toy_shelf())


async def reload_with(source: Source, server: Server, **changed: object) -> Reload:
    source.settings = replace(source.settings, **changed)
    return await server.reload()


async def test_reload_changes_a_limit_for_the_next_request() -> None:
    source = Source(Settings(tables=0))
    server = reloading_server(source)
    anna = await connect_user(server, "Anna")
    with pytest.raises(ScovilleError, match="All 0 tables"):
        await anna.call(CreateRequest(game="heap", seat_count=2))
    reload = await reload_with(source, server, tables=1)
    assert reload.list_lines() == ["Changed: tables: 0 → 1 (server.toml:3)"]
    await anna.call(CreateRequest(game="heap", seat_count=2))
    await server.close()


async def test_reload_names_what_needs_a_restart() -> None:
    source = Source(Settings())
    server = reloading_server(source)
    for _ in range(2):  # and again at the next one, until the restart
        reload = await reload_with(source, server, host="10.0.0.1")
        assert reload.is_in_force
        [line] = reload.list_lines()
        assert line.startswith('Needs a restart: host: "" → "10.0.0.1"; the server listens')
        assert server.settings.host == ""
    await server.close()


async def test_a_refused_reload_changes_nothing() -> None:
    source = Source(Settings())
    server = reloading_server(source)
    source.error = BadSettings("server.toml:1: tabels: there is no such setting", "server.toml:2: worse")
    reload = await reload_with(source, server, tables=7)
    assert reload.faults == source.error.faults
    assert server.settings.tables == 1_000
    assert not server.live_settings.last_reload_ok
    source.error = None
    assert (await server.reload()).is_in_force
    assert server.live_settings.last_reload_ok
    await server.close()


async def test_refused_reload_is_an_error_event() -> None:
    source, reported = Source(Settings()), Reported()
    server = reloading_server(source)
    server.events.add_sink(reported)
    await reload_with(source, server, tables=7, host="10.0.0.1")
    source.error = BadSettings("server.toml:1: tabels: there is no such setting", "server.toml:2: worse")
    await server.reload()
    assert reported.events == [
        ConfigReload(changed=1, restart=1),
        ConfigReloadRefused(faults=2, reason="server.toml:1: tabels: there is no such setting server.toml:2: worse"),
    ]
    assert [event.priority for event in reported.events] == [Priority.NOTICE, Priority.ERROR]
    await server.close()


async def test_an_unexpected_error_keeps_the_old_settings() -> None:
    source = Source(Settings())
    server = reloading_server(source)
    source.error = MemoryError("no memory")
    assert (await server.reload()).faults == ("The settings could not be read: no memory",)
    await server.close()


async def test_services_go_back_when_one_refuses() -> None:
    source = Source(Settings())
    server = reloading_server(source)
    before = server.live_settings.live.select(lambda s: s.tables)

    def refuse(tables: int) -> None:
        if tables == 7:
            raise BadSettings("not seven")

    server.live_settings.live.select(lambda s: s.tables).follow(refuse)
    assert (await reload_with(source, server, tables=7, guests=7)).faults == ("not seven",)
    assert (server.settings, before.value) == (Settings(), 1_000)
    await server.close()


async def test_two_reloads_at_once_run_one_after_the_other() -> None:
    source = Source(Settings())
    server = reloading_server(source)
    source.settings = replace(source.settings, tables=7)
    reloads = await asyncio.gather(server.reload(), server.reload())
    assert [len(reload.changed) for reload in reloads] == [1, 0]
    await server.close()


def test_parts_of_live_values_follow_only_their_own_changes() -> None:
    pair = Live((1, 2))
    calls: list[int] = []
    first: Live[int] = pair.select(lambda both: both[0])
    remember: Callable[[int], None] = calls.append
    assert first.follow(remember) == 1
    pair.change_to((1, 3))
    pair.change_to((4, 3))
    assert (calls, first.value) == ([4], 4)
