"""Flood of `floods.py`: connections of one address that send as fast as the server lets them, in their own process."""

import contextlib
import os
import random
import selectors
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Any

import msgpack

SERVER, FLOODER = "127.0.0.1", "127.0.0.2"
BURST = 64 * 1024
"""Bytes of messages that a connection has ready to send."""
LONG_GAME = 1_500
"""Moves of the game that is watched from its first event again and again."""
AGAIN = 0.05
"""Seconds until a connection that the server has ended is opened again."""

Batch = list[bytes]


def pack_requests(table: str) -> Batch:
    """Pack a request of every method but hello, with params that the server has to look at."""
    import msgspec

    from scoville_shared.protocol.messages import METHODS

    known: dict[str, Any] = {
        "table": table,
        "move": {"card": 63},
        "name": "Nobody",
        "text": "Buy my peppers!",
        "game": "dicht_dran",
        "code": "hot-pepper",
        "target": "Nobody",
        "reaction": "hello",
        "kind": "name",
    }
    packed = []
    for number, (method, shape) in enumerate(METHODS.items()):
        fields = [field for field in msgspec.structs.fields(shape.params) if field.required or field.name in known]
        params = {field.name: known.get(field.name, 1) for field in fields}
        packed.append(_pack_message([0, number, method, [params]]))
    return packed


def make_batches(kind: str, table: str) -> Iterator[Batch]:
    """Yield the bytes that each connection sends repeatedly."""
    chance = random.Random(kind)
    every = pack_requests(table)
    bare = [_pack_message([0, n, "ping", [{"payload": "x" * 200}]]) for n in range(16)]
    lists = [
        _pack_message([0, n, method, []]) for n, method in enumerate(("table.list", "lobby.watch", "account.show"))
    ]
    wrong = [
        _pack_message([0, 1]),
        _pack_message([0, 2, "no.method", []]),
        _pack_message([0, 3, "ping", [7]]),
        _pack_message([0, 4, "ping", [{"x": 1}]]),
    ]
    large = [_pack_message([0, 1, "table.play", [{"table": table, "move": {"x": [{}] * 60_000}}]])]
    unfinished = [b"\xdc\xff\x00" + b"\x01" * 60_000]
    polls = [_pack_message([0, n, "table.poll", [{"table": table, "since": 0, "wait_ms": n}]]) for n in range(64)]
    garbage = [chance.randbytes(4096)]
    notes = [_pack_message([2, "ping", []]), _pack_message([2])]
    watches = [[_pack_message([0, 1, method, [{"table": table}]])] for method in ("table.watch", "table.poll")]
    kinds = {
        "watches": watches,
        "handshakes": [[client_hello()]],
        "requests": [every, *([one] for one in every)],
        "notifications": [notes],
        "bytes": [garbage, unfinished, [b"\x01"], large],
    }
    kinds["mixed"] = [every, bare, lists, wrong, notes, *kinds["bytes"], polls, *kinds["requests"][1:]]
    while True:
        yield from kinds[kind]


def client_hello() -> bytes:
    """Return the beginning of a TLS connection; the server computes its part of the handshake for each."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    outgoing = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    return outgoing.read()


class Flooder:
    """One connection: says hello, then sends its batch for ever; every other one waits for some answer in between."""

    def __init__(self, batch: Batch, port: int, *, polite: bool, greets: bool) -> None:
        self._batch = batch
        self._port = port
        self._polite = polite
        self._greets = greets
        self.due = 0.0
        self.sent = 0
        self.socket: socket.socket | None = None

    def open(self) -> socket.socket:
        """Connect from the flooders' address."""
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        line.bind((FLOODER, 0))
        line.settimeout(5)
        line.connect((SERVER, self._port))
        line.setblocking(False)
        self._number = 0
        self._ready = _pack_message([0, 0, "hello", [{"protocol": 1}]]) if self._greets else b""
        self.socket = line
        return line

    def send(self) -> None:
        """Send as much as the server takes."""
        assert self.socket is not None, "it is open"
        while len(self._ready) < BURST:
            self._ready += self._batch[self._number % len(self._batch)]
            self._number += 1
        most = 200 if self._polite else len(self._ready)
        sent = self.socket.send(self._ready[:most])
        self._ready = self._ready[sent:]
        self.sent += sent

    @property
    def waits(self) -> bool:
        """Whether it sends again only after it has read something."""
        return self._polite


def flood_server(kind: str, port: int, connections: int, table: str) -> None:
    """Flood until this process is ended; prints a line once all connections are open."""
    _yield_processor()
    made = make_batches(kind, long_game(port) if kind == "watches" else table)
    flooders = [
        Flooder(
            next(made),
            port,
            polite=n % 4 == 3 and kind in ("requests", "mixed"),
            greets=n % 8 != 7 and kind != "handshakes",
        )
        for n in range(connections)
    ]
    with selectors.DefaultSelector() as selector:
        for flooder in flooders:
            _open_flooder(flooder, selector)
        print("flooding", flush=True)
        while True:
            _serve_flooders(flooders, selector)


def _serve_flooders(flooders: list[Flooder], selector: selectors.BaseSelector) -> None:
    for key, events in selector.select(0.02):
        flooder = key.data
        try:
            if events & selectors.EVENT_READ and not flooder.socket.recv(1 << 18):
                raise ConnectionResetError
            if events & selectors.EVENT_WRITE or flooder.waits:
                flooder.send()
            if flooder.waits:
                selector.modify(flooder.socket, selectors.EVENT_READ, flooder)
        except BlockingIOError:
            continue
        except OSError:
            selector.unregister(flooder.socket)
            flooder.socket.close()
            flooder.socket, flooder.due = None, time.monotonic() + AGAIN
    for flooder in flooders:
        if flooder.socket is None and flooder.due <= time.monotonic():
            _open_flooder(flooder, selector)


def _open_flooder(flooder: Flooder, selector: selectors.BaseSelector) -> None:
    try:
        selector.register(flooder.open(), selectors.EVENT_READ | selectors.EVENT_WRITE, flooder)
    except OSError:
        flooder.due = time.monotonic() + AGAIN


def long_game(port: int) -> str:
    """Play the first moves of a long game of two, and return its table."""
    unpackers = [msgpack.Unpacker(), msgpack.Unpacker()]
    lines = [socket.create_connection((SERVER, port), source_address=(FLOODER, 0)) for _ in unpackers]

    def call(seat: int, method: str, **params: Any) -> Any:
        lines[seat].sendall(_pack_message([0, 7, method, [params]]))
        while True:
            for message in unpackers[seat]:
                if message[0] == 1:
                    assert message[2] is None, message
                    return message[3]
            unpackers[seat].feed(lines[seat].recv(1 << 18))

    for seat in range(2):
        call(seat, "hello", protocol=1)
    options = {"points": 10, "turn_limit": 10_000}
    table: str = call(0, "table.create", game="chilli_chase", seat_count=2, options=options)["info"]["table"]
    for seat in range(2):
        call(seat, "table.join", table=table)
    call(0, "table.start", table=table)
    chance = random.Random(table)
    for _ in range(LONG_GAME):
        now = call(0, "table.poll", table=table, since=1 << 30, wait_ms=0)
        if not now["pending"]:
            break
        seat = now["pending"][0]
        call(seat, "table.play", table=table, move=chance.choice(call(seat, "table.moves", table=table)["moves"]))
    return table


def connect_guests(port: int, number: int) -> None:
    """Connect a number of new guests, one after the other, each on a connection of its own; then end."""
    _yield_processor()
    print("flooding", flush=True)
    hello = _pack_message([0, 0, "hello", [{"protocol": 1}]])
    for _ in range(number):
        try:
            with socket.create_connection((SERVER, port), timeout=5, source_address=(FLOODER, 0)) as line:
                line.sendall(hello)
                line.recv(65536)
        except OSError:
            time.sleep(0.001)


def _yield_processor() -> None:
    """Leave the processor to the measured processes, also where these run at real-time priority."""
    if hasattr(os, "sched_setscheduler"):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    os.nice(10)


def _pack_message(message: Any) -> bytes:
    packed: bytes = msgpack.packb(message)
    return packed
