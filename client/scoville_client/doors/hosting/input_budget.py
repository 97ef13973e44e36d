"""Budgets of input: keys, clicks, pastes and sizes of one session, and of all sessions of one network.

Each key costs the process several milliseconds. Twenty sessions of one address that type without end would let
everybody else wait for seconds; what is over the budget is dropped, and a size waits.
"""

import ipaddress
from typing import NamedTuple

from scoville_client.doors.hosting.limits import (
    INPUTS_OF_NETWORK,
    INPUTS_OF_NETWORK_RATE,
    INPUTS_OF_SESSION,
    INPUTS_OF_SESSION_RATE,
    SIZES_OF_NETWORK,
    SIZES_OF_NETWORK_RATE,
    SIZES_OF_SESSION,
    SIZES_OF_SESSION_RATE,
)
from scoville_runtime.clock import SYSTEM, Clock

_MOST_NETWORKS = 1_024
"""Networks that are remembered; beyond it those that have used nothing lately are forgotten."""


class Bucket:
    """An allowance of up to `most`, which `rate` refills in a second."""

    def __init__(self, most: float, rate: float, now: float) -> None:
        self._most = most
        self._rate = rate
        self._left = most
        self._at = now

    def left(self, now: float) -> float:
        """Return what is left at `now`, in seconds of the clock."""
        self._left = min(self._most, self._left + (now - self._at) * self._rate)
        self._at = now
        return self._left

    def is_full(self, now: float) -> bool:
        """Whether nothing was taken lately."""
        return self.left(now) >= self._most

    def take(self, cost: float) -> None:
        """Take so much of it."""
        self._left -= cost


class _Network(NamedTuple):
    """What all sessions of a network may still send."""

    inputs: Bucket
    sizes: Bucket

    def is_full(self, now: float) -> bool:
        """Whether it has sent nothing lately."""
        return self.inputs.is_full(now) and self.sizes.is_full(now)


class InputBudget(NamedTuple):
    """What one session may still send: its own allowances, and those of its network."""

    clock: Clock
    inputs: Bucket
    sizes: Bucket
    network: _Network

    def take(self, cost: int = 1) -> bool:
        """Take what costs as much as so many keys from both; returns False, and takes nothing, when one has too little.

        What costs nothing may pass as long as a key might.
        """
        now = self.clock.seconds()
        if min(self.inputs.left(now), self.network.inputs.left(now)) < max(cost, 1):
            return False
        self.inputs.take(cost)
        self.network.inputs.take(cost)
        return True

    def take_size(self) -> bool:
        """Count a size of the terminal; returns False when both the session and its network have sent too many."""
        now = self.clock.seconds()
        buckets = [bucket for bucket in (self.sizes, self.network.sizes) if bucket.left(now) >= 1]
        for bucket in buckets:
            bucket.take(1)
        return bool(buckets)


class InputBudgets:
    """The budgets of all sessions of a process."""

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._networks: dict[str, _Network] = {}

    def of(self, address: str) -> InputBudget:
        """Return the budget of a new session from an address; without one it shares its network with no other."""
        now = self._clock.seconds()
        inputs = Bucket(INPUTS_OF_SESSION, INPUTS_OF_SESSION_RATE, now)
        sizes = Bucket(SIZES_OF_SESSION, SIZES_OF_SESSION_RATE, now)
        network = _Network(
            Bucket(INPUTS_OF_NETWORK, INPUTS_OF_NETWORK_RATE, now), Bucket(SIZES_OF_NETWORK, SIZES_OF_NETWORK_RATE, now)
        )
        if address:
            self._forget(now)
            network = self._networks.setdefault(network_of(address), network)
        return InputBudget(self._clock, inputs, sizes, network)

    def _forget(self, now: float) -> None:
        if len(self._networks) >= _MOST_NETWORKS:
            self._networks = {key: bucket for key, bucket in self._networks.items() if not bucket.is_full(now)}


def network_of(address: str) -> str:
    """Return an address, or for IPv6 its /64, which is what one user has."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)
