"""A player that is a program, and needs nothing of Scoville's but its wire: bot.py HOST PORT TABLE [SEAT].

TABLE is a table's code, such as brave-otter, or its id.
"""

import random
import socket
import sys
from itertools import count

import msgpack

host, port, table, *seat = sys.argv[1:]
line = socket.create_connection((host, int(port)))
arriving = msgpack.Unpacker()
numbers = count()


def call(method, **params):
    """Ask the server, and wait for the answer to just that; what comes unasked is passed over."""
    number = next(numbers)
    line.sendall(msgpack.packb([0, number, method, [params]]))
    while True:
        for kind, *rest in arriving:
            if kind == 1 and rest[0] == number:
                _, error, result = rest
                if error:
                    raise SystemExit(f"{method}: {error['message']}")
                return result
        data = line.recv(65536)
        if not data:
            raise SystemExit("The server is gone.")
        arriving.feed(data)


call("hello", protocol=1, client="example bot", name="Example")
table = call("table.enter", **{"code" if "-" in table else "table": table})["info"]["table"]
mine = call("table.join", table=table, seat=int(seat[0]) if seat else None)["seat"]
seen = call("table.poll", table=table)
while seen["info"]["status"] != "finished":
    if mine in seen["pending"]:
        moves = call("table.moves", table=table)["moves"]
        call("table.play", table=table, move=random.choice(moves), nth=seen["move_counts"][mine])
    seen = call("table.poll", table=table, since=seen["seq"], wait_ms=20_000)
