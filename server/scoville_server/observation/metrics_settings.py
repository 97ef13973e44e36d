"""Settings of the port for monitoring, and its bounds."""

from typing import Annotated

from msgspec import Meta, Struct

from scoville_shared import HIGHEST_PORT


class MetricsSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the port for monitoring."""

    listen: Annotated[
        str,
        Meta(
            description="Where the server answers /metrics (Prometheus), /healthz and /readyz by HTTP, as HOST:PORT: "
            "`127.0.0.1:9757` for programs on this machine. Everybody who reaches it can read how busy the server is, "
            "but nothing about users or cards. Empty for nowhere."
        ),
    ] = ""
    connections: int = 64
    """Connections at a time; more than any monitoring needs."""
    connections_per_address: int = 8
    """The same from one address: the newest replaces the oldest, so that a stuck scraper locks nobody out."""
    header_bytes: int = 8_192
    """Size of the largest request."""
    request_seconds: float = 5.0
    """How long a connection may take from its first byte to the last one of the answer."""
    page_seconds: float = 0.1
    """How long a page of metrics is used again: reading all figures costs a few milliseconds of processor time."""


def parse_listen(text: str, setting: str = "metrics.listen", usual: int = 9757) -> tuple[str, int]:
    """Return the host and port of `HOST:PORT` or `[IPV6]:PORT`. Raises ValueError, naming the setting."""
    host, colon, port = text.rpartition(":")
    wanted = f"{setting}: expected HOST:PORT, such as 127.0.0.1:{usual}"
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > HIGHEST_PORT:
        raise ValueError(f"{wanted} (got {text!r})")
    if host.startswith("[") != host.endswith("]") or (":" in host and not host.startswith("[")):
        raise ValueError(f"{wanted}, or [::1]:{usual} (got {text!r})")
    return host.strip("[]"), int(port)
