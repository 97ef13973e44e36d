"""The announcer: announces the server on the local network, with one public table, and keeps the announcement true."""

import logging
from collections.abc import Callable
from typing import Final

from scoville_runtime.clock import Alarm, Clock
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.net.lan.publisher import Publisher, Service
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.announcement import Announcement, write_entries
from scoville_shared.protocol.messages import PROTOCOL

_log = logging.getLogger(__name__)

UPDATE_SECONDS: Final = 2.0
"""Seconds between two updates at least: each is a packet to everybody on the network."""
ADDRESS_SECONDS: Final = 15.0
"""Seconds between two looks at this machine's addresses, which change with its network."""

Addresses = Callable[[], tuple[str, ...]]
"""Returns the addresses under which this machine is announced now."""


class LanAnnouncer(TableObserver):
    """Publishes the server until `withdraw_announcement`. A private table is never named.

    Without a publisher it is idle.

    Args:
        lobby: The tables.
        publisher: Publishes the announcement; None announces nothing.
        addresses: This machine's addresses, asked again and again.
        background: Runs the publication.
        clock: Clock for the times between updates.
    """

    observed = frozenset({Change.STATUS, Change.SEATS, Change.HOST})

    def __init__(
        self,
        lobby: Serving[TableActor],
        publisher: Publisher | None,
        addresses: Addresses,
        background: BackgroundTasks,
        clock: Clock,
    ) -> None:
        self._lobby = lobby
        self._publisher = publisher
        self._addresses = addresses
        self._background = background
        self._clock = clock
        self._pin, self._port = "", 0
        self._published: Service | None = None
        self._failed = False
        self._running, self._missed = False, False
        self._alarm: Alarm | None = None
        self._due = 0.0

    def begin_announcing(self, pin: str, port: int) -> None:
        """Announce the server with the pin of its key, now that it listens on a port."""
        if self._publisher is not None and port:
            self._pin, self._port = pin, port
            self._publish_changes()

    def change_pin(self, pin: str) -> None:
        """Announce another pin from now on, if anything is announced."""
        if self._pin:
            self.begin_announcing(pin, self._port)

    def table_opened(self, actor: TableActor) -> None:  # noqa: ARG002 - all tables are looked at
        self._publish_soon()

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - the tables are in what was done
        """Announce a change of seats or status soon; moves change nothing here."""
        if self._pin and _announced_parts(done.before) != _announced_parts(done.after):
            self._publish_soon()

    def table_removed(self, actor: TableActor) -> None:  # noqa: ARG002 - all tables are looked at
        self._publish_soon()

    def withdraw_announcement(self) -> None:
        """Withdraw the announcement; the server does not close before that is done."""
        if self._pin and self._publisher is not None:
            self._pin = ""
            self._set_alarm(None)
            # A publication that is under way withdraws itself when it ends.
            if not self._running:
                self._background.start_task(self._withdraw_from(self._publisher))

    # --- publication ------------------------------------------------------------------------------------

    def _publish_soon(self) -> None:
        if self._pin:
            self._due = min(self._due, self._clock.seconds() + UPDATE_SECONDS)
            self._set_alarm(max(0.0, self._due - self._clock.seconds()))

    def _set_alarm(self, seconds: float | None) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None if seconds is None else self._clock.call_later(seconds, self._publish_changes)

    def _publish_changes(self) -> None:
        """Publish changes, and look again after a while."""
        if not self._pin or self._publisher is None:
            return
        self._due = self._clock.seconds() + ADDRESS_SECONDS
        self._set_alarm(ADDRESS_SECONDS)
        service = Service(self._pin, self._addresses(), self._port, write_entries(self._describe_server()))
        # One at a time: changes while one is under way are published after it.
        self._missed = self._running
        if service != self._published and not self._running:
            self._running = True
            self._background.start_task(self._replace_announcement(self._publisher, service))

    async def _replace_announcement(self, publisher: Publisher, service: Service) -> None:
        try:
            await (publisher.publish(service) if service.addresses else publisher.withdraw())
        except OSError as error:
            self._log_failure(error)
        else:
            self._published, self._failed = service, False
        finally:
            self._running = False
            # Withdrawn meanwhile.
            if not self._pin:
                await self._withdraw_from(publisher)
            elif self._missed:
                self._publish_soon()

    async def _withdraw_from(self, publisher: Publisher) -> None:
        try:
            await publisher.withdraw()
        except OSError as error:
            self._log_failure(error)

    def _log_failure(self, error: OSError) -> None:
        """Log a failure once: the next attempts follow until one succeeds."""
        if not self._failed:
            _log.warning("The server could not be announced on the local network: %s", error.strerror or error)
        self._failed = True

    # --- content ----------------------------------------------------------------------------------------

    def _describe_server(self) -> Announcement:
        """Describe the table that others most likely want to join, or only the server if no table is public."""
        tables = [actor.table for actor in self._lobby.all_tables() if _is_public(actor.table)]
        if not tables:
            return Announcement(protocol=PROTOCOL, pin=self._pin)
        table = min(tables, key=_order_by_appeal)
        host = "" if table.host is None else table.seats[table.host].name
        return Announcement(
            protocol=PROTOCOL,
            pin=self._pin,
            game=table.opened.game,
            taken=len(table.seats) - len(table.free_seats),
            seats=len(table.seats),
            locked=table.locked,
            playing=table.status == "playing",
            name=host,
        )


def _is_public(table: Table) -> bool:
    return not table.opened.settings.private and table.closed is None and table.status != "finished"


def _order_by_appeal(table: Table) -> tuple[bool, bool, bool]:
    """Order tables: with free seats before the game, then with players, then without a password; the oldest first."""
    return table.status != "waiting" or not table.free_seats, not table.human_seats, table.locked


def _announced_parts(table: Table) -> tuple[object, ...]:
    return table.status, table.closed, table.host, len(table.free_seats), len(table.human_seats)
