"""What TLS costs: memory of an idle connection, the handshake, and throughput next to plain text on the same server."""

import socket
import ssl
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import _wire_load as wire

IDLE = 400
"""Idle connections that are measured together; so many before them take what a server allocates once."""
WARM = 50
MOST_KIB = 25.0
LEAST_RATIO = 0.8
"""The goals: more memory of an idle connection on uvloop, and pipelined requests a second compared to plain text."""


class Cost(NamedTuple):
    """An idle connection: its memory in KiB, and the server's CPU in milliseconds until it has said hello."""

    kib: float
    cpu_ms: float


def client_context() -> ssl.SSLContext:
    """Return a context that takes any certificate: this measures, and trusts its own server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def connect_line(port: int, context: ssl.SSLContext | None) -> socket.socket:
    """Connect, by TLS or not, and say hello."""
    line = socket.create_connection((wire.HOST, port))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return wire.greet_server(line if context is None else context.wrap_socket(line))


def resident_kib(pid: int) -> int:
    """Return the memory of a process that no other shares, in KiB."""
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("Pss:"))


def idle_cost(loop: str, context: ssl.SSLContext | None) -> Cost:
    """Measure idle connections of a server of their own."""
    with wire.run_served(wire.OURS, loop) as server, ExitStack() as stack:
        for _ in range(WARM):
            stack.enter_context(connect_line(server.port, context))
        memory, cpu = resident_kib(server.pid), server.cpu()
        for _ in range(IDLE):
            stack.enter_context(connect_line(server.port, context))
        return Cost((resident_kib(server.pid) - memory) / IDLE, (server.cpu() - cpu) / IDLE * 1000)


def measure_rate(line: socket.socket, server: wire.Served, seconds: float) -> wire.Round:
    """Load a connection with pipelined requests."""
    took, requests, meter = [], wire.PING * wire.WINDOW, wire.Meter(server)
    while (began := time.perf_counter()) < meter.began + seconds:
        line.sendall(requests)
        wire.receive_exactly(line, wire.PONG * wire.WINDOW)
        took.append(time.perf_counter() - began)
    return meter.read(took, wire.WINDOW)


def report_loop(loop: str, seconds: float, rounds: int) -> bool:
    """Measure on one event loop and print; returns whether the goals were met."""
    context = client_context()
    plain, by_tls = idle_cost(loop, None), idle_cost(loop, context)
    more = by_tls.kib - plain.kib
    with wire.run_served(wire.OURS, loop) as server, ExitStack() as stack:
        one, two = (stack.enter_context(connect_line(server.port, by)) for by in (None, context))
        pairs = [(measure_rate(one, server, seconds), measure_rate(two, server, seconds)) for _ in range(rounds)]
    low, ratio, high = statistics.quantiles([tls.rate / text.rate for text, tls in pairs], n=4)
    cpu = [statistics.median(each.cpu for each in side) for side in zip(*pairs, strict=True)]
    print(f"\n{loop}")
    print(f"  idle connection   plain {plain.kib:5.1f} KiB   TLS {by_tls.kib:5.1f} KiB   {more:+.1f} KiB")
    print(f"  connect and hello plain {plain.cpu_ms:5.2f} ms    TLS {by_tls.cpu_ms:5.2f} ms of the server's CPU")
    print(f"  {wire.PIPELINED}     {ratio:.2f} ({low:.2f} to {high:.2f}) of plain text's requests a second;", end=" ")
    print(f"CPU a message {cpu[0]:.2f} and {cpu[1]:.2f} us")
    return ratio >= LEAST_RATIO and (loop != "uvloop" or more <= MOST_KIB)


def main(only: str | None, seconds: float, rounds: int) -> int:
    """Run the comparison."""
    met = [report_loop(loop, seconds, rounds) for loop in wire.list_loops(only)]
    print(f"\nGoals: at most {MOST_KIB:g} KiB more on uvloop, pipelined at least {LEAST_RATIO:g} times plain text.")
    print("All met." if all(met) else "Not all met.")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main(None, 0.1, 40))
