"""Metering of connections: processor time is charged to each connection and its network, for bytes of every kind.

Budgets of keys do not see what lies below them: pings of a WebSocket, ignored packets of SSH, updates of TLS keys, half
frames. Therefore bytes are handed on in small slices, and the time of the processor that each slice takes is charged.
A user in debt is read again when the debt is paid; beside many floods later, because all floods share one rate.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from types import coroutine
from typing import Any, Final, TypeVar

from scoville_client.doors.hosting.session_limits import (
    CPU_OF_ALL_RATE,
    CPU_OF_CONNECTION,
    CPU_OF_CONNECTION_RATE,
    CPU_OF_NETWORK,
    CPU_OF_NETWORK_RATE,
    CPU_OF_SITE_TIMES,
    FLOOD_SECONDS,
    SLICE_BYTES,
    WAITING_BYTES,
)
from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_runtime.token_bucket import TokenBucket, forget_full
from scoville_shared.networks import networks_of_host

T = TypeVar("T")
_MOST_NETWORKS: Final = 4_096
"""Networks that are remembered; beyond it those that have used nothing lately are forgotten."""


class Allowance(TokenBucket):
    """Seconds of processor time. It remembers for FLOOD_SECONDS that it was in debt."""

    __slots__ = ("_flood_until",)

    def __init__(self, most: float, rate: float, now: float) -> None:
        super().__init__(most, rate, now)
        self._flood_until = now

    def is_full(self, now: float) -> bool:
        """Return whether nothing was taken lately."""
        return super().is_full(now) and not self.was_in_debt(now)

    def was_in_debt(self, now: float) -> bool:
        """Whether it was in debt within the last FLOOD_SECONDS: else waiting for others would absolve a flood."""
        return now < self._flood_until

    def take_tokens(self, cost: float, now: float) -> None:
        """Spend processor time."""
        super().take_tokens(cost, now)
        if self.count_tokens(now) < 0:
            self._flood_until = now + FLOOD_SECONDS


class Meter:
    """Processor time that one connection may still cost: its allowance, its network's, and that of all floods."""

    def __init__(self, clock: Clock, own: Allowance, networks: "tuple[Allowance, ...]", floods: Allowance) -> None:
        self._clock = clock
        self._own = own
        self._networks = networks
        self._floods = floods

    def charge_seconds(self, seconds: float) -> None:
        """Charge processor time. That of a flood counts for all floods of the process."""
        now = self._clock.seconds()
        if self._is_flood(now):
            self._floods.take_tokens(seconds, now)
        for allowance in (self._own, *self._networks):
            allowance.take_tokens(seconds, now)

    def seconds_to_wait(self) -> float:
        """Return the seconds until this connection may cost something again; 0 for now."""
        now = self._clock.seconds()
        shared = self._floods.seconds_in_debt(now) if self._is_flood(now) else 0.0
        return max(shared, *(allowance.seconds_in_debt(now) for allowance in (self._own, *self._networks)))

    def _is_flood(self, now: float) -> bool:
        """Whether it or its network has lately spent more than it may spend at once."""
        return any(allowance.was_in_debt(now) for allowance in (self._own, *self._networks))


class Meters:
    """The meters of a process.

    Args:
        clock: Clock of the rates, and of the processor time that is charged.
    """

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self.clock = clock
        self._networks: dict[str, Allowance] = {}
        # Nothing at once: each flood has had what one connection may spend at once.
        self._floods = Allowance(0.0, CPU_OF_ALL_RATE, clock.seconds())

    def open_meter(self, address: str) -> Meter:
        """Return the meter of a new connection; without an address it shares its network with no other."""
        now = self.clock.seconds()
        self._networks = forget_full(self._networks, _MOST_NETWORKS, now)
        networks = tuple(
            self._networks.setdefault(key, Allowance(CPU_OF_NETWORK * times, CPU_OF_NETWORK_RATE * times, now))
            for key, times in zip(networks_of_host(address), (1, CPU_OF_SITE_TIMES), strict=False)
        )
        own = Allowance(CPU_OF_CONNECTION, CPU_OF_CONNECTION_RATE, now)
        return Meter(self.clock, own, networks, self._floods)


class MeteredReader:
    """Hands the bytes of one connection on in slices, and stops reading while it or its network is in debt.

    Args:
        clock: Clock of the waits.
        meter: The connection's meter, which its owner may replace once it knows the user's own network.
        take: Takes a slice; the processor time that it uses is charged. Its owner may replace it, too.
    """

    def __init__(self, clock: Clock, meter: Meter, take: Callable[[bytes], object]) -> None:
        self._clock = clock
        self.meter = meter
        self.take = take
        self._transport: asyncio.Transport | None = None
        self._waiting = bytearray()
        self._next: Alarm | None = None
        self._is_paused = False
        self._is_held = False

    def start_reading(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def stop_reading(self) -> None:
        """Drop waiting bytes, and hand nothing more on: the connection is over."""
        if self._next is not None:
            self._next.cancel()
        self._next = self._transport = None
        self._waiting.clear()

    def receive_bytes(self, data: bytes) -> None:
        """Hand bytes on, at once if nothing waits and there is no debt."""
        self._waiting += data
        # Not while something waits, which comes first; then reading stops only once much has piled up.
        if self._next is None:
            self._hand_on_after(self.meter.seconds_to_wait())
        elif len(self._waiting) > WAITING_BYTES:
            self._pause_reading(wanted=True)

    def hold_reading(self, *, held: bool) -> None:
        """Read no more while the peer does not take our bytes, or read again."""
        self._is_held = held
        self._pause_reading(wanted=held or bool(self._waiting))

    def _hand_on_after(self, wait: float) -> None:
        """Hand the next slice on, now or after a wait."""
        if wait > 0:
            self._pause_reading(wanted=True)
            self._next = self._clock.call_later(wait, self._hand_on)
        else:
            self._hand_on()

    def _hand_on(self) -> None:
        """Hand one slice on. The next one follows in another turn of the event loop: others come in between."""
        self._next = None
        data = bytes(self._waiting[:SLICE_BYTES])
        del self._waiting[:SLICE_BYTES]
        began = self._clock.working_seconds()
        self.take(data)
        self.meter.charge_seconds(self._clock.working_seconds() - began)
        # The requests of the slice may have ended the connection.
        if self._transport is None:
            return
        if self._waiting:
            wait = self.meter.seconds_to_wait()
            # Others get a turn in between, even where there is nothing to wait for.
            later = self._clock.call_later
            self._next = later(wait, self._hand_on) if wait else asyncio.get_running_loop().call_soon(self._hand_on)
        self._pause_reading(wanted=bool(self._waiting) or self._is_held)

    def _pause_reading(self, *, wanted: bool) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if wanted:  # also when it is paused already: the layer above may have resumed it
            transport.pause_reading()
        elif self._is_paused:
            transport.resume_reading()
        self._is_paused = wanted


@coroutine
def run_charged(work: Coroutine[Any, Any, T], meter: Meter, cpu: Callable[[], float]) -> Generator[Any, None, T]:
    """Run a coroutine, and charge the processor time of each of its steps."""
    error: BaseException | None = None
    while True:
        began = cpu()
        try:
            awaited = work.send(None) if error is None else work.throw(error)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            meter.charge_seconds(cpu() - began)
        error = None
        try:
            yield awaited
        except BaseException as raised:  # noqa: BLE001 - a cancellation too is for the work
            error = raised
