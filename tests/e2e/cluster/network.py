"""Three machines in network namespaces, each with an address of its own on one switch; users are in front of it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tests.e2e.lan.network import NotPermitted, run_ip

_MACHINES: Final = 3
_NETWORK: Final = "198.18"
"""The first half of all addresses: a range for measurements that no network uses."""


class Machines:
    """The machines, whose cables can be pulled, and which can be kept from sending to each other.

    Attributes:
        hosts: Their addresses.
    """

    def __init__(self) -> None:
        self._number = os.getpid()
        # Two runs at the same time have different networks.
        network = f"{_NETWORK}.{self._number % 256}"
        self.hosts = [f"{network}.{n + 1}" for n in range(_MACHINES)]
        self._users_address = f"{network}.100"
        self._switch = f"scoville-s{self._number}"
        self._names = [f"scoville-m{self._number}-{n}" for n in range(_MACHINES)]
        self._users = f"scu{self._number}"

    @property
    def prefixes(self) -> list[list[str]]:
        """By machine what begins a command that runs there."""
        return [["ip", "netns", "exec", name] for name in self._names]

    def plug_in(self) -> None:
        """Make the machines, the switch, and the cable to the users. Raises NotPermitted."""
        if shutil.which("ip") is None:
            raise NotPermitted("the command ip (iproute2) is not installed")
        run_ip("netns", "add", self._switch)
        run_ip("-n", self._switch, "link", "add", "br0", "type", "bridge")
        run_ip("-n", self._switch, "link", "set", "br0", "up")
        for name in self._names:
            run_ip("netns", "add", name)
            run_ip("-n", name, "link", "set", "lo", "up")
        for n, (name, host) in enumerate(zip(self._names, self.hosts, strict=True)):
            run_ip(
                "link", "add", "eth", "netns", name, "type", "veth", "peer", "name", f"port{n}", "netns", self._switch
            )
            run_ip("-n", self._switch, "link", "set", f"port{n}", "master", "br0", "up")
            run_ip("-n", name, "addr", "add", f"{host}/24", "dev", "eth")
            run_ip("-n", name, "link", "set", "eth", "up")
        run_ip("link", "add", self._users, "type", "veth", "peer", "name", "users", "netns", self._switch)
        run_ip("-n", self._switch, "link", "set", "users", "master", "br0", "up")
        run_ip("addr", "add", f"{self._users_address}/24", "dev", self._users)
        run_ip("link", "set", self._users, "up")

    def remove(self) -> None:
        """Remove everything; ends of cables go with their machines."""
        for name in (self._switch, *self._names):
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["ip", "link", "delete", self._users], stderr=subprocess.DEVNULL, check=False)

    def pull_cable(self, number: int) -> None:
        """Let a machine vanish without a word: nobody reaches it, and it reaches nobody."""
        run_ip("-n", self._switch, "link", "set", f"port{number}", "down")

    def put_cable(self, number: int) -> None:
        """Let it be there again."""
        run_ip("-n", self._switch, "link", "set", f"port{number}", "up")

    def block(self, number: int, *, both_ways: bool) -> None:
        """Keep a machine from sending to the other ones, or both from sending to each other; users reach all."""
        for sender, receiver in self._pairs(number, both_ways=both_ways):
            run_ip("-n", self._names[sender], "route", "add", "blackhole", f"{self.hosts[receiver]}/32")

    def unblock(self, number: int, *, both_ways: bool) -> None:
        """Let them send to each other again."""
        for sender, receiver in self._pairs(number, both_ways=both_ways):
            run_ip("-n", self._names[sender], "route", "delete", "blackhole", f"{self.hosts[receiver]}/32")

    def _pairs(self, number: int, *, both_ways: bool) -> list[tuple[int, int]]:
        others = [n for n in range(_MACHINES) if n != number]
        return [(number, n) for n in others] + ([(n, number) for n in others] if both_ways else [])


@contextmanager
def run_machines() -> Iterator[Machines]:
    """Make three machines, and remove them in the end. Raises NotPermitted."""
    machines = Machines()
    try:
        machines.plug_in()
        yield machines
    finally:
        machines.remove()
