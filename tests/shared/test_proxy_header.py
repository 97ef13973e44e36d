"""Who asks: addresses of peers, what configured proxies say of theirs, and PROXY headers."""

import struct
from ipaddress import IPv4Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_shared.networks import Proxies, parse_network, parse_peer
from scoville_shared.proxy_header import NO_HEADER, BadHeaderError, ProxyHeader, read_header

PROXIES = Proxies([parse_network("10.0.0.0/8"), parse_network("fd00::1")])
SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        (" 192.0.2.7:443 ", "192.0.2.7"),
        ("[2001:db8::7]:443", "2001:db8::7"),
        ("2001:db8::7", "2001:db8::7"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
    ],
)
def test_addresses_are_read_as_sockets_and_proxies_write_them(text: str, address: str) -> None:
    assert parse_peer(text) == ip_address(address)


@pytest.mark.parametrize("text", ["", "unknown", "_hidden", "192.0.2.300", "cards.example", "[::1", "1", "٣.3.3.3"])
def test_other_texts_are_no_addresses(text: str) -> None:
    assert parse_peer(text) in {None, ip_address("::1")}


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("::ffff:10.1.2.3/104", "10.0.0.0/8"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("::ffff:0:0/96", "0.0.0.0/0"),
        ("::ffff:0:0/95", "::fffe:0:0/95"),
        ("fe80::1%eth0/64", "fe80::/64"),
        (" 10.1.2.3/8 ", "10.0.0.0/8"),
    ],
)
def test_networks_are_read_as_their_addresses_are(text: str, network: str) -> None:
    assert parse_network(text) == ip_network(network)


@pytest.mark.parametrize(
    ("peer", "forwarded", "user"),
    [
        ("192.0.2.7", [], "192.0.2.7"),
        ("192.0.2.7", ["198.51.100.1"], "192.0.2.7"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["10.0.0.3"], "10.0.0.3"),
        ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
        ("fd00::2", ["2001:db8::7"], "fd00::2"),
        ("10.0.0.1", [",".join(["198.51.100.1"] + ["10.0.0.2"] * 50)], "10.0.0.2"),
    ],
)
def test_only_configured_proxies_say_who_asks(peer: str, forwarded: list[str], user: str) -> None:
    assert PROXIES.user_of(ip_address(peer), forwarded) == ip_address(user)


# --- PROXY headers ------------------------------------------------------------------------------------------


def binary(command: int = 0x21, family: int = 0x11, body: bytes | None = None) -> bytes:
    """A header of version 2, by default of 198.51.100.1:5000 to 192.0.2.1:80."""
    if body is None:
        body = bytes([198, 51, 100, 1, 192, 0, 2, 1]) + struct.pack("!HH", 5000, 80)
    return SIGNATURE + struct.pack("!BBH", command, family, len(body)) + body


def detail(kind: int, value: bytes) -> bytes:
    return struct.pack("!BH", kind, len(value)) + value


USER = IPv4Address("198.51.100.1")
ADDRESSES = bytes([198, 51, 100, 1, 192, 0, 2, 1]) + struct.pack("!HH", 5000, 80)
TLS = detail(0x20, bytes([1]) + bytes(4) + detail(0x21, b"TLSv1.3"))
PLAIN = detail(0x20, bytes([0]) + bytes(4))


@pytest.mark.parametrize(
    ("header", "address", "tls"),
    [
        (b"PROXY TCP4 198.51.100.1 192.0.2.1 5000 80\r\n", USER, False),
        (b"PROXY TCP6 2001:db8::7 2001:db8::1 5000 80\r\n", ip_address("2001:db8::7"), False),
        (b"PROXY UNKNOWN\r\n", None, False),
        (b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", None, False),
        (binary(), USER, False),
        (binary(0x20, 0x00, b""), None, False),
        (
            binary(family=0x21, body=bytes([0x20, 1, 0xD, 0xB8, *[0] * 11, 7] * 2) + bytes(4)),
            ip_address("2001:db8::7"),
            False,
        ),
        (binary(body=ADDRESSES + TLS), USER, True),
        (binary(body=ADDRESSES + detail(0x03, b"abcd") + TLS), USER, True),
        (binary(body=ADDRESSES + PLAIN), USER, False),
        (binary(body=ADDRESSES + b"\x20\xff\xff"), USER, False),
    ],
)
def test_headers_of_both_versions(header: bytes, address: object, tls: bool) -> None:
    port = 5000 if address == USER or b"5000" in header else 0
    assert read_header(header + b"GET / HTTP/1.1\r\n") == ProxyHeader(address, tls, len(header), port)  # type: ignore[arg-type]
    for cut in range(len(header)):
        assert read_header(header[:cut]) is None


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\n", b"PRO ", b"\r\n\r\n\x01", b"\x16\x03\x01"])
def test_other_bytes_are_no_header(data: bytes) -> None:
    assert read_header(data) is NO_HEADER


@pytest.mark.parametrize(
    "data",
    [
        b"PROXY " + b"x" * 200,
        b"PROXY TCP4 198.51.100.1\r\n",
        b"PROXY TCP4 nobody 192.0.2.1 5000 80\r\n",
        b"PROXY UDP4 198.51.100.1 192.0.2.1 5000 80\r\n",
        binary(command=0x11),
        binary(command=0x22),
        binary(family=0x31, body=bytes(216)),
        binary(body=b"\x00" * 8),
        SIGNATURE + struct.pack("!BBH", 0x21, 0x11, 1025),
    ],
)
def test_bad_headers_end_the_connection(data: bytes) -> None:
    with pytest.raises(BadHeaderError):
        read_header(data)


@given(st.binary(max_size=80), st.sampled_from([b"", b"PROXY ", b"PROXY TCP4 ", SIGNATURE, SIGNATURE + b"\x21\x11"]))
def test_any_bytes_are_read_or_refused(rest: bytes, start: bytes) -> None:
    try:
        header = read_header(start + rest)
    except BadHeaderError:
        return
    assert header is None or 0 <= header.size <= len(start + rest)
