"""Players on plain MessagePack-RPC connections, which reconnect by their tokens."""

from contextlib import suppress
from random import Random
from typing import Any

from scoville_shared.engine.dice import nonce_hash
from tests.support.rpc import RpcClient

SHORT: dict[str, dict[str, Any]] = {
    "dicht_dran": {"cycles": 1},
    "no_thanks": {"rounds": 1},
    "chilli_chase": {"points": 3, "turn_limit": 50},
}
"""Options that make a game short; a game that is not named here is played as it is."""


class Player:
    """A player on a plain connection, with a random generator of their own."""

    def __init__(self, name: str, luck: Random) -> None:
        self.name = name
        self.token = ""
        self.seat = -1
        self.heard: list[dict[str, Any]] = []
        self.luck = luck
        self.line: RpcClient

    async def connect(self, port: int) -> None:
        """Connect, or reconnect with the server's token."""
        self.line = RpcClient(port)
        await self.line.__aenter__()
        await self.line.hello(self.name, self.token)
        self.token = self.line.token

    async def hang_up(self) -> None:
        """Close the connection, even if the other end is gone."""
        with suppress(ConnectionError):
            await self.line.__aexit__(None, None, None)

    async def look(self, table: str) -> dict[str, Any]:
        """Return this player's View of a table, and their legal moves."""
        shot: dict[str, Any] = await self.line.call("table.poll", table=table)
        if shot["seat"] is not None:
            shot["moves"] = await self.moves(table)
        return shot

    async def sit(self, table: str) -> None:
        """Join, with a nonce."""
        self.nonce = self.luck.randbytes(32)
        seated = await self.line.call("table.join", table=table, nonce_hash=nonce_hash(table, self.nonce).hex())
        self.seat = seated["seat"]

    async def reveal(self, table: str) -> None:
        """Reveal the nonce, once the game is to start."""
        await self.line.call("table.reveal", table=table, nonce=self.nonce.hex())

    async def moves(self, table: str) -> list[dict[str, Any]]:
        """List the legal moves."""
        moves: list[dict[str, Any]] = (await self.line.call("table.moves", table=table))["moves"]
        return moves


async def open_table(host: Player, game: str, seats: int) -> dict[str, Any]:
    """Open a table for a short game; returns what the lobby shows of it."""
    params = {"game": game, "seat_count": seats, "options": SHORT.get(game, {})}
    info: dict[str, Any] = (await host.line.call("table.create", **params))["info"]
    return info
