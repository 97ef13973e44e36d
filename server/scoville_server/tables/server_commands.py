"""Commands that the server itself sends to tables, repeated with back-off while the disk refuses them."""

import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Alarm, Clock
from scoville_server.background.eventual import Pending
from scoville_server.nodes.directory import Directory
from scoville_server.tables.actions.action import Command, Refused
from scoville_server.tables.actor import Done, TableActor
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import TableId

_log = logging.getLogger(__name__)


def _always() -> bool:
    return True


def _nothing() -> None:
    pass


class _Order(NamedTuple):
    table: TableId
    command: Command
    wanted: Callable[[], bool]
    settled: Callable[[], None]
    delay: BackOff


class Commands:
    """Sends commands for which no client waits.

    `send` sends once: its caller repeats what is still due. `insist` repeats a command until the table has carried it
    out or refused it by its own rules.
    """

    def __init__(self, lobby: Directory[TableActor], delay: Callable[[], BackOff], clock: Clock) -> None:
        self._lobby = lobby
        self._delay = delay
        self._call_later = clock.call_later
        self._retries: set[Alarm] = set()
        self._closed = False

    def send(self, table: TableId, command: Command) -> None:
        """Send a command once; if the table cannot carry it out now, it is dropped."""
        try:
            self._lobby.find(table).ask(command)
        except ScovilleError as error:
            _log.info("table %s: %s", table, error.message)

    def insist(
        self,
        table: TableId,
        command: Command,
        wanted: Callable[[], bool] = _always,
        settled: Callable[[], None] = _nothing,
    ) -> None:
        """Send a command until the table answers it, as long as it is `wanted`; `settled` gets the answer."""
        self._try(_Order(table, command, wanted, settled, self._delay()))

    def close(self) -> None:
        """Stop all repetitions."""
        self._closed = True
        for retry in self._retries:
            retry.cancel()
        self._retries.clear()

    def _try(self, order: _Order) -> None:
        if not order.wanted():
            return
        try:
            answer = self._lobby.find(order.table).ask(order.command)
        except ScovilleError as error:
            _log.info("table %s: %s", order.table, error.message)
            if error.code == Code.BUSY:
                self._later(order)
        else:
            answer.add_done_callback(partial(self._answered, order))

    def _answered(self, order: _Order, answer: Pending[Done | Refused]) -> None:
        if answer.cancelled():
            return
        result = answer.result()
        if isinstance(result, Refused) and result.passing:
            self._later(order)
        else:
            order.settled()

    def _later(self, order: _Order) -> None:
        if self._closed:
            return
        holder: list[Alarm] = []

        def ring() -> None:
            self._retries.discard(holder[0])
            self._try(order)

        holder.append(self._call_later(order.delay.next_wait(), ring))
        self._retries.add(holder[0])
