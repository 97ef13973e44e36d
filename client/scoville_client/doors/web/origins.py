"""Origins: under which addresses the door is reached, and which pages may open a WebSocket.

A page of another site may open a WebSocket to any address, with the user's cookie where it is allowed; only the Origin
header tells who asks. And a name that its owner suddenly points at this door (DNS rebinding) makes their page "the
same origin": therefore names that only the local network knows are taken, and any other has to be configured.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_USUAL_PORTS: Final = {"http": 80, "https": 443}
_LOCAL_ENDS: Final = (".local", ".localhost", ".home.arpa", ".internal", ".lan")
"""Ends of names that no public name server knows."""
_LONGEST: Final = 255


def parse_origin(text: str) -> str:
    """Return an origin in the form in which browsers write it. Raises ValueError.

    >>> parse_origin("HTTPS://Cards.example:443/")
    'https://cards.example'
    """
    try:
        parts = urlsplit(text.strip())
        origin = _write_origin(parts.scheme, parts.hostname or "", parts.port) if parts.scheme in _USUAL_PORTS else ""
    except ValueError:
        origin = ""
    # Refused and not cut off: an owner who names a path believes that only the pages below it are meant.
    if not origin or not parts.hostname or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError(f"an origin looks like https://cards.example, not {text[:80]!r}")
    return origin


def _write_origin(scheme: str, host: str, port: int | None) -> str:
    written = f"[{host}]" if ":" in host else host
    usual = port is None or port == _USUAL_PORTS[scheme]
    return f"{scheme}://{written}" if usual else f"{scheme}://{written}:{port}"


class Origins:
    """The door's own origins. `public` are those that were configured."""

    def __init__(self, public: Iterable[str] = ()) -> None:
        self.public = frozenset(public)

    def find_own_origin(self, host: str, *, secure: bool) -> str | None:
        """Return the origin of a request by its Host header; None when the door does not know that name.

        Args:
            host: The Host header.
            secure: Whether the user came by HTTPS.
        """
        if len(host) > _LONGEST:
            return None
        try:
            parts = urlsplit(f"//{host}")
            origin = _write_origin("https" if secure else "http", parts.hostname or "", parts.port)
        except ValueError:
            return None
        # `urlsplit` ends a host at /, ? and #, drops tabs and line ends, and reads a name before an @.
        if parts.netloc != host or "@" in host or not parts.hostname or parts.path:
            return None
        return origin if origin in self.public or _is_local(parts.hostname) else None

    def is_allowed(self, origin: str | None, host: str, *, secure: bool) -> bool:
        """Whether a page of `origin` may open a WebSocket here."""
        return origin is not None and (origin in self.public or origin == self.find_own_origin(host, secure=secure))


def names_this_computer(host: str) -> bool:
    """Whether a Host header, or the part of an origin after its scheme, can only mean the computer that asks."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _is_local(name: str) -> bool:
    """Whether a name cannot be one that a stranger registered: an address, one word, or a local one."""
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return "." not in name or name.endswith(_LOCAL_ENDS)
    return True
