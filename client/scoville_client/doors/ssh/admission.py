"""Admission: how many connections the door has, in all and by address."""

import ipaddress
from collections import Counter

from scoville_client.doors.ssh.limits import HANDSHAKES, HANDSHAKES_PER_ADDRESS, SESSIONS, SESSIONS_PER_ADDRESS


class Admission:
    """Counts connections before and after their log-in."""

    def __init__(self) -> None:
        self._handshakes: Counter[str] = Counter()
        self._sessions: Counter[str] = Counter()

    def admits(self, address: str) -> bool:
        """Whether one more connection of an address may begin to log in."""
        network = _network(address)
        return (
            self._handshakes.total() < HANDSHAKES
            and self._handshakes[network] < HANDSHAKES_PER_ADDRESS
            and self._sessions.total() < SESSIONS
            and self._sessions[network] < SESSIONS_PER_ADDRESS
        )

    def begin(self, address: str) -> None:
        """Count a connection that begins to log in."""
        self._handshakes[_network(address)] += 1

    def log_in(self, address: str) -> None:
        """Count a connection as a session from now on."""
        self._less(self._handshakes, address)
        self._sessions[_network(address)] += 1

    def end(self, address: str, *, logged_in: bool) -> None:
        """Forget a connection."""
        self._less(self._sessions if logged_in else self._handshakes, address)

    @staticmethod
    def _less(counter: "Counter[str]", address: str) -> None:
        network = _network(address)
        counter[network] -= 1
        if counter[network] <= 0:
            del counter[network]


def _network(address: str) -> str:
    """Return an address, or for IPv6 its /64, which is what one user has."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else str(ip)
