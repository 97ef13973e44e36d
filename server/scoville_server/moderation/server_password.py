"""The server's password: what newcomers give before they come in, and how often a network may be wrong."""

import hmac
from collections.abc import Callable
from typing import Final

from scoville_server.errors import slow_down
from scoville_server.limits.live import Live
from scoville_server.limits.throttle import PenaltyThrottle
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import networks_of

_FAILURES: Final = 5
_FIRST_WAIT: Final = 2.0
_LONGEST_WAIT: Final = 600.0
_FORGOTTEN: Final = 3_600.0
"""Wrong passwords of one network before each further one doubles the wait, the waits in seconds, and the seconds until
all are forgotten. The password is one for all, so it does not say who somebody is."""


class ServerPassword:
    """Checks the password that the settings name now; without one everybody may come in.

    Args:
        password: The password, empty for none.
        now: Returns monotonic seconds.
    """

    def __init__(self, password: Live[str], now: Callable[[], float]) -> None:
        self._password = password
        self._now = now
        self._failures = PenaltyThrottle(_FAILURES, _FORGOTTEN, first=_FIRST_WAIT, longest=_LONGEST_WAIT)

    def check_password(self, given: str | None, address: str) -> None:
        """Check the password of a newcomer; clients inside this process have no address, and need none.

        Raises ScovilleError `server_password`, `wrong_server_password` and `slow_down`.
        """
        password = self._password.value
        if not password or not address:
            return
        if not given:
            raise ScovilleError(Code.SERVER_PASSWORD, "This server asks newcomers for its password.")
        now, networks = self._now(), networks_of(address)
        # Before the comparison: while a network waits, a right guess must look like a wrong one.
        waits = [wait for each in networks if (wait := self._failures.seconds_to_wait(each, now)) is not None]
        if waits:
            raise slow_down("Too many wrong passwords of this server", max(waits))
        if not hmac.compare_digest(password.encode(), given.encode()):
            for network in networks:
                self._failures.count_use(network, now)
            raise ScovilleError(Code.WRONG_SERVER_PASSWORD, "This is not the password of this server.")
