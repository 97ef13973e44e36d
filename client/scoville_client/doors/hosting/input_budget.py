"""Budgets of input: keys, clicks, pastes and sizes of one session, and of all sessions of one network.

Each key costs the process several milliseconds. Twenty sessions of one address that type without end would let
all others wait for seconds; what is over the budget is dropped, and a size waits.
"""

from typing import NamedTuple

from scoville_client.doors.hosting.session_limits import (
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
from scoville_runtime.token_bucket import TokenBucket, forget_full
from scoville_shared.networks import network_of_host

_MOST_NETWORKS = 1_024
"""Networks that are remembered; beyond it those that have used nothing lately are forgotten."""


class _Network(NamedTuple):
    """Input that all sessions of a network may still send."""

    inputs: TokenBucket
    sizes: TokenBucket

    def is_full(self, now: float) -> bool:
        """Whether all allowances are full: the session has sent nothing lately."""
        return self.inputs.is_full(now) and self.sizes.is_full(now)


class InputBudget(NamedTuple):
    """Input that one session may still send: its own allowances, and those of its network."""

    clock: Clock
    inputs: TokenBucket
    sizes: TokenBucket
    network: _Network

    def take_inputs(self, cost: int = 1) -> bool:
        """Take the cost of so many keys from both; returns False, and takes nothing, when one has too little.

        Inputs without a cost may pass as long as a key might.
        """
        now = self.clock.seconds()
        if min(self.inputs.count_tokens(now), self.network.inputs.count_tokens(now)) < max(cost, 1):
            return False
        self.inputs.take_tokens(cost, now)
        self.network.inputs.take_tokens(cost, now)
        return True

    def take_size(self) -> bool:
        """Count a size of the terminal; returns False when both the session and its network have sent too many."""
        now = self.clock.seconds()
        # Both at once: after an `or` the network's would be counted only where the session has used up its own.
        own, shared = self.sizes.take_if_enough(1, now), self.network.sizes.take_if_enough(1, now)
        return own or shared


class InputBudgets:
    """The budgets of all sessions of a process."""

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._networks: dict[str, _Network] = {}

    def open_budget(self, address: str) -> InputBudget:
        """Return the budget of a new session from an address; without one it shares its network with no other."""
        now = self._clock.seconds()
        inputs = TokenBucket(INPUTS_OF_SESSION, INPUTS_OF_SESSION_RATE, now)
        sizes = TokenBucket(SIZES_OF_SESSION, SIZES_OF_SESSION_RATE, now)
        network = _Network(
            TokenBucket(INPUTS_OF_NETWORK, INPUTS_OF_NETWORK_RATE, now),
            TokenBucket(SIZES_OF_NETWORK, SIZES_OF_NETWORK_RATE, now),
        )
        if address:
            self._networks = forget_full(self._networks, _MOST_NETWORKS, now)
            network = self._networks.setdefault(network_of_host(address), network)
        return InputBudget(self._clock, inputs, sizes, network)
