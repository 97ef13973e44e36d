"""Introductions: what a door says about a user is believed if it has the server's credential."""

import hmac
import ipaddress
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from scoville_server.errors import slow_down
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.rate_budgets import follow_rate, widen_rate
from scoville_server.limits.throttle import PenaltyThrottle
from scoville_server.net.doors.settings import DoorSettings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import networks_of, write_peer
from scoville_shared.protocol.messages import HostedUser

_THIS_NETWORK: Final = ipaddress.IPv4Network("0.0.0.0/8")
_FAILURES: Final = 5
_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 60.0
_FORGOTTEN: Final = 600.0
"""Wrong credentials of one address before each further one doubles the wait, the waits in seconds, and the seconds
until all are forgotten. Nobody guesses 32 bytes; this bounds what trying costs. The right one never waits."""


# Decision 045: without the users' addresses one flood or ban would lock out everybody behind a door.
class Introductions:
    """Checks introductions; without a `credential` the server accepts no doors. `now` returns monotonic seconds."""

    def __init__(self, settings: Adjustable[DoorSettings], credential: str, now: Callable[[], float]) -> None:
        self._credential = credential.encode()
        self._now = now
        self._failures = PenaltyThrottle(_FAILURES, _FORGOTTEN, first=_FIRST_WAIT, longest=_LONGEST_WAIT)
        rate = as_live(settings).select(lambda doors: doors.hellos_per_address)
        self._hellos = [follow_rate(rate), follow_rate(rate.select(widen_rate))]

    def check_introduction(self, user: HostedUser, peer: str, *, protected: bool, local: bool) -> HostedUser:
        """Check an introduction, and return it without its credential, `address` in its usual form.

        Args:
            user: The introduced user.
            peer: The "host:port" of the connection.
            protected: Whether nobody reads along between the door and this server.
            local: Whether the door runs on this server's machine, whose own users it may then host.

        Raises:
            ScovilleError: `door_refused`, `insecure`, `bad_params`, `slow_down`.
        """
        if not self._credential:
            raise ScovilleError(Code.DOOR_REFUSED, "This server accepts no doors; its host starts it with --doors.")
        if not protected:
            raise ScovilleError(Code.INSECURE, "A door connects over the server's Unix socket or with TLS.")
        if not hmac.compare_digest(self._credential, user.credential.encode()):
            raise self._count_wrong_credential(peer)
        introduced = replace(user, credential="", address=_checked_address(user.address, local=local))
        self._count_hello(address_of(introduced))
        return introduced

    def _count_wrong_credential(self, peer: str) -> ScovilleError:
        [here, *_] = networks_of(peer)
        wait = self._failures.take_use(here, self._now())
        if wait is not None:
            return slow_down("Too many wrong door credentials", wait)
        return ScovilleError(
            Code.DOOR_REFUSED,
            "This is not the server's door credential; read it from door.credential in the data folder of the server.",
        )

    def _count_hello(self, address: str) -> None:
        now = self._now()
        for hellos, network in zip(self._hellos, networks_of(address), strict=False):
            wait = hellos.take_use(network, now)
            if wait is not None:
                raise slow_down("Too many connections from this address", wait)


def address_of(user: HostedUser) -> str:
    """Return the "host:port" of an introduced user."""
    return write_peer(user.address, user.port or 0)


def _checked_address(address: str, *, local: bool) -> str:
    """Return an IP address in its usual form, IPv4-mapped ones as IPv4. Raises ScovilleError `bad_params`.

    Nobody connects from an address that names no machine, or from loopback to a door on another machine than this: as
    such a user's it would escape limits and bans, or use up those of this machine's users.
    """
    try:
        found = ipaddress.ip_address(address.strip().partition("%")[0])
    except ValueError:
        found = None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    found = mapped or found
    if found is None or _names_no_machine(found) or (found.is_loopback and not local):
        raise ScovilleError(Code.BAD_PARAMS, f"{address!r} is not a user's IP address.", {"field": "address"})
    return str(found)


def _names_no_machine(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        return address.is_multicast or address.is_unspecified
    return address.is_multicast or address.is_reserved or address in _THIS_NETWORK
