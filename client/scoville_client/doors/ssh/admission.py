"""Admission: how many connections the door has, in all and by address."""

from collections import Counter

from scoville_client.doors.hosting.input_budget import network_of
from scoville_client.doors.ssh.limits import HANDSHAKES, HANDSHAKES_PER_ADDRESS, SESSIONS, SESSIONS_PER_ADDRESS


class Admission:
    """Counts connections before and after their log-in."""

    def __init__(self) -> None:
        self._handshakes: Counter[str] = Counter()
        self._sessions: Counter[str] = Counter()

    def admits(self, address: str) -> bool:
        """Whether one more connection of an address may begin to log in."""
        network = network_of(address)
        return (
            self._handshakes.total() < HANDSHAKES
            and self._handshakes[network] < HANDSHAKES_PER_ADDRESS
            and self._sessions.total() < SESSIONS
            and self._sessions[network] < SESSIONS_PER_ADDRESS
        )

    def begin(self, address: str) -> None:
        """Count a connection that begins to log in."""
        self._handshakes[network_of(address)] += 1

    def log_in(self, address: str) -> None:
        """Count a connection as a session from now on."""
        self._less(self._handshakes, address)
        self._sessions[network_of(address)] += 1

    def end(self, address: str, *, logged_in: bool) -> None:
        """Forget a connection."""
        self._less(self._sessions if logged_in else self._handshakes, address)

    @staticmethod
    def _less(counter: "Counter[str]", address: str) -> None:
        network = network_of(address)
        counter[network] -= 1
        if counter[network] <= 0:
            del counter[network]
