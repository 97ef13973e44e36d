"""The announcer publishes one public table, at a bounded rate, and never a private one."""

import logging
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.lobby.announcer import ADDRESS_SECONDS, UPDATE_SECONDS, LanAnnouncer
from scoville_server.net.lan.publisher import Service
from scoville_server.nodes.nodes import single_node
from scoville_server.tables.actions.enter import Enter
from scoville_server.tables.actor import Done
from scoville_server.tables.model.table import Table
from scoville_shared.announcement import Announcement, read_entries
from scoville_shared.protocol.messages import TableSettings
from tests.support.clock import FakeClock
from tests.support.tables import carry_out, join_as, new_table, start_table, user_of

PIN = "ABCDEFGHIJKLMNOP2345"
HOME = ("192.0.2.7", "2001:db8::7")


class Network:
    """A network on which services are published."""

    def __init__(self) -> None:
        self.published: list[Service] = []
        self.present: Service | None = None
        self.error: OSError | None = None

    async def publish(self, service: Service) -> None:
        if self.error is not None:
            raise self.error
        self.published.append(service)
        self.present = service

    async def withdraw(self) -> None:
        self.present = None


class Announced:
    """A server with some tables on a network, whose time stands still."""

    def __init__(self, *tables: Table) -> None:
        self.network, self.clock, self.background = Network(), FakeClock(), BackgroundTasks()
        self.addresses = HOME
        self.tables = [*tables]
        lobby: Any = SimpleNamespace(all_tables=lambda: [SimpleNamespace(table=table) for table in self.tables])
        self.announcer = LanAnnouncer(lobby, self.network, lambda: self.addresses, self.background, self.clock.server)

    async def begin(self) -> None:
        self.announcer.begin_announcing(PIN, 5757)
        await self.background.finish_tasks()

    async def become(self, before: Table, now: Table, seconds: float = UPDATE_SECONDS) -> None:
        """Change a table, and let time pass."""
        self.tables = [now if table is before else table for table in self.tables]
        self.announcer.table_changed(None, Done(before, now))  # type: ignore[arg-type]
        await self.elapse(seconds)

    async def elapse(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await self.background.finish_tasks()

    @property
    def said(self) -> Announcement:
        assert self.network.present is not None
        entries: dict[bytes, bytes | None] = {
            key.encode(): value.encode() for key, value in self.network.present.entries.items()
        }
        return read_entries(entries)


def private(**more: Any) -> Table:
    return new_table(code="brave-otter", settings=TableSettings(private=True), **more)


async def test_a_server_announces_itself_with_its_table() -> None:
    server = Announced(carry_out(new_table(code="brave-otter"), join_as("Anna")))
    await server.begin()
    assert server.network.present is not None
    assert server.network.present[:3] == (PIN, HOME, 5757)
    said = server.said
    assert (said.game, said.taken, said.seats, said.locked, said.name) == ("high_card", 1, 3, False, "Anna")


async def test_nothing_of_a_private_table_is_announced_but_its_server() -> None:
    server = Announced(carry_out(private(), join_as("Anna")))
    await server.begin()
    assert server.network.present is not None
    assert set(server.network.present.entries) == {"txtvers", "proto", "pin"}


async def test_no_code_is_announced() -> None:
    server = Announced(carry_out(new_table(code="brave-otter"), join_as("Anna")))
    await server.begin()
    assert "otter" not in str(server.network.published)


def choices() -> Sequence[Table]:
    """Tables, the most attractive first."""
    return (
        carry_out(new_table(seats=2), join_as("Anna")),
        carry_out(new_table(seats=3, password=b"hash"), Enter(user=user_of("Ben")), join_as("Ben")),
        new_table(seats=4),
        start_table("Cleo", "Dan", seats=5),
    )


async def test_the_table_that_others_most_likely_want_is_announced() -> None:
    first, *rest = choices()
    server = Announced(private(), *reversed(rest), first)
    await server.begin()
    for table in choices():
        assert server.said.seats == len(table.seats)
        server.tables = [each for each in server.tables if len(each.seats) != len(table.seats)]
        server.announcer.table_removed(None)  # type: ignore[arg-type]
        await server.elapse(UPDATE_SECONDS)
    assert server.said.game == ""


async def test_changes_are_published_together_and_not_too_often() -> None:
    table = new_table()
    server = Announced(table)
    await server.begin()
    for name in ("Anna", "Ben"):
        now = carry_out(table, join_as(name))
        await server.become(table, now, seconds=UPDATE_SECONDS / 4)
        table = now
    assert len(server.network.published) == 1
    await server.elapse(UPDATE_SECONDS / 2)
    assert (len(server.network.published), server.said.taken) == (2, 2)


async def test_unchanged_announcement_is_not_published_again() -> None:
    table = carry_out(new_table(), join_as("Anna"))
    server = Announced(table)
    await server.begin()
    await server.become(table, table)
    server.announcer.table_opened(None)  # type: ignore[arg-type]
    await server.elapse(10 * ADDRESS_SECONDS)
    assert len(server.network.published) == 1


async def test_new_addresses_are_announced_and_lost_ones_withdrawn() -> None:
    server = Announced()
    await server.begin()
    server.addresses = ("192.0.2.8",)
    await server.elapse(ADDRESS_SECONDS)
    assert server.network.present is not None
    assert server.network.present.addresses == ("192.0.2.8",)
    server.addresses = ()
    await server.elapse(ADDRESS_SECONDS)
    assert server.network.present is None
    server.addresses = HOME
    await server.elapse(ADDRESS_SECONDS)
    assert server.network.present is not None


async def test_without_a_network_it_tries_again_and_logs_that_once(caplog: pytest.LogCaptureFixture) -> None:
    server = Announced()
    server.network.error = OSError(101, "Network is unreachable")
    with caplog.at_level(logging.WARNING):
        await server.begin()
        await server.elapse(3 * ADDRESS_SECONDS)
    assert [record.getMessage() for record in caplog.records] == [
        "The server could not be announced on the local network: Network is unreachable"
    ]
    server.network.error = None
    await server.elapse(ADDRESS_SECONDS)
    assert server.network.present is not None


async def test_it_is_withdrawn_at_the_end_and_stays_so() -> None:
    table = new_table()
    server = Announced(table)
    await server.begin()
    server.announcer.withdraw_announcement()
    server.announcer.withdraw_announcement()
    await server.become(table, carry_out(table, join_as("Anna")), seconds=2 * ADDRESS_SECONDS)
    assert server.network.present is None
    assert server.clock.alarms == []


async def test_an_end_during_a_publication_withdraws_it_too() -> None:
    server = Announced()
    server.announcer.begin_announcing(PIN, 5757)
    server.announcer.withdraw_announcement()
    await server.background.finish_tasks()
    assert server.network.present is None


async def test_a_server_without_a_port_or_a_publisher_announces_nothing() -> None:
    server = Announced()
    server.announcer.begin_announcing(PIN, 0)
    idle = LanAnnouncer(single_node().tables, None, lambda: HOME, server.background, server.clock.server)
    idle.begin_announcing(PIN, 5757)
    idle.withdraw_announcement()
    await server.background.finish_tasks()
    assert server.network.published == []
    assert server.clock.alarms == []
