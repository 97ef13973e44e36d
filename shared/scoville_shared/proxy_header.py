"""PROXY headers, versions 1 and 2: what a proxy in TCP mode says of its own peer before the peer's first byte.

The format is that of HAProxy's "The PROXY protocol", of 2020/03/05. Only configured proxies are asked for one.
"""

import re
import struct
from ipaddress import IPv4Address, IPv6Address
from typing import Final, NamedTuple

from scoville_shared.networks import Address, parse_peer

_TEXT: Final = b"PROXY "
_LONGEST_TEXT: Final = 107
_BINARY: Final = b"\r\n\r\n\x00\r\nQUIT\n"
_FIXED: Final = 16
_LONGEST_BINARY: Final = 1024
"""Bytes after the fixed part: addresses and details such as the name of a certificate."""
_SIZES: Final = {1: (4, IPv4Address), 2: (16, IPv6Address)}
_PORT: Final = re.compile("[0-9]{1,5}")
_TLS_DETAIL: Final = 0x20
_CAME_BY_TLS: Final = 0x01


class BadHeaderError(Exception):
    """A header that follows neither version."""


class ProxyHeader(NamedTuple):
    """A header: the user's address (None if the proxy itself asks), whether by TLS, its length, the user's port."""

    address: Address | None
    tls: bool
    size: int
    port: int = 0


NO_HEADER: Final = ProxyHeader(None, tls=False, size=0)


def read_header(data: bytes) -> ProxyHeader | None:
    """Read the header at the beginning of a connection; None until there is enough of it.

    Returns NO_HEADER for anything that begins otherwise. Raises BadHeaderError.
    """
    if data.startswith(_TEXT):
        return _read_text(data)
    if data.startswith(_BINARY):
        return _read_binary(data)
    begun = any(start.startswith(data) for start in (_TEXT, _BINARY))
    return None if begun else NO_HEADER


def _read_text(data: bytes) -> ProxyHeader | None:
    line, end, _ = data[:_LONGEST_TEXT].partition(b"\r\n")
    if not end:
        if len(data) >= _LONGEST_TEXT:
            raise BadHeaderError("a PROXY line without an end")
        return None
    words, size = line.decode("ascii", "replace").split(" "), len(line) + len(end)
    if words[1:2] == ["UNKNOWN"]:
        return ProxyHeader(None, tls=False, size=size)
    address = parse_peer(words[2]) if len(words) == 6 and words[1] in {"TCP4", "TCP6"} else None
    if address is None:
        raise BadHeaderError("a PROXY line without an address")
    port = words[4]
    return ProxyHeader(address, tls=False, size=size, port=int(port) if _PORT.fullmatch(port) else 0)


def _read_binary(data: bytes) -> ProxyHeader | None:
    if len(data) < _FIXED:
        return None
    command, family, length = struct.unpack_from("!BBH", data, len(_BINARY))
    size = _FIXED + length
    if command >> 4 != 2 or command & 15 > 1 or length > _LONGEST_BINARY:
        raise BadHeaderError("a PROXY header of another version or size")
    if len(data) < size:
        return None
    if not command & 15:  # LOCAL: the proxy looks whether this door lives
        return ProxyHeader(None, tls=False, size=size)
    if family >> 4 not in _SIZES:
        raise BadHeaderError("a PROXY header without an address")
    width, kind = _SIZES[family >> 4]
    body = data[_FIXED:size]
    if len(body) < 2 * width + 4:
        raise BadHeaderError("a PROXY header that ends in its addresses")
    address = parse_peer(str(kind(body[:width])))
    [port] = struct.unpack_from("!H", body, 2 * width)
    return ProxyHeader(address, tls=_came_by_tls(body[2 * width + 4 :]), size=size, port=port)


def _came_by_tls(details: bytes) -> bool:
    """Whether the details (type, length, value) say that the user came by TLS."""
    while len(details) >= 3:
        kind, length = struct.unpack_from("!BH", details)
        value, details = details[3 : 3 + length], details[3 + length :]
        if kind == _TLS_DETAIL and value:
            return bool(value[0] & _CAME_BY_TLS)
    return False
