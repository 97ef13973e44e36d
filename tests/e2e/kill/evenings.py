"""Tournaments through kills: what was acknowledged is there afterwards, and the result follows from the games."""

import asyncio
import json
from random import Random
from typing import Any, NamedTuple

from scoville_shared import replay
from tests.e2e.kill.instants import KilledServer
from tests.e2e.kill.players import SHORT, Player
from tests.e2e.kill.proof import Proof
from tests.server.tournaments.evening import check_export
from tests.support.rpc import Refusal

SEATS = 3
_LOOK_SECONDS = 0.05
_ARENA_MS = 300_000
"""The shortest arena."""
_GAME = "no_thanks"
_HARMLESS = ("not_your_turn", "slow_down", "not_seated", "unknown_table", "game_over", "not_pending", "stale_move")
"""Refusals of players who ask a moment too late."""


class Made(NamedTuple):
    """An acknowledged move: the `nth` of a seat at a table."""

    table: str
    seat: int
    nth: int
    move: dict[str, Any]


class Evening:
    """A tournament of players who come back after each kill; one of them leaves for good.

    Args:
        server: The server, which runs.
        played: The format.
        players: How many there are, all of whom enter.
        seed: Of everything that players choose.
    """

    def __init__(self, server: KilledServer, played: str, players: int, seed: int) -> None:
        self._server = server
        self._played = played
        self._luck = Random(f"{played}/{seed}")
        self._players = [Player(f"Guest{n}", Random(self._luck.random())) for n in range(players)]
        self._tournament = ""
        self._seated: dict[tuple[str, str], int] = {}
        """By name and table the seats that were acknowledged."""
        self.made: list[Made] = []
        self.killed = 0
        self._left = 0
        self._enough = asyncio.Event()

    async def play(self, kills: int, moves_between: int) -> int:
        """Play to the end through kills, and check everything; returns how many tables there were."""
        await self._connect()
        await self._enter()
        for _ in range(kills):
            if not await self._play_until_killed(self._luck.randrange(1, 2 * moves_between)):
                break
            await self._server.start()
            await self._connect()
            await self._check_promises()
        await asyncio.gather(*(self._play_as(player) for player in self._players))
        tables = await self._check_result()
        await self._hang_up()
        return tables

    async def _enter(self) -> None:
        director = self._players[0].line
        await director.call("account.claim_name", password="green or red?")
        info = await director.call(
            "tournament.call",
            name="Evening",
            format=self._played,
            game=_GAME,
            options=SHORT[_GAME],
            seat_count=SEATS,
            starts_in_ms=3_600_000,
            lasts_ms=_ARENA_MS,
            round_count=2,
            level="easy",
        )
        self._tournament = info["tournament_info"]["id"]
        for player in self._players:
            await player.line.call("tournament.enter", tournament=self._tournament)
        await director.call("tournament.begin", tournament=self._tournament)

    async def _play_until_killed(self, moves: int) -> bool:
        """Kill the server as soon as so many further moves were acknowledged; returns whether the evening goes on."""
        self._left = moves
        self._enough.clear()
        playing = [asyncio.ensure_future(self._play_as(player)) for player in self._players]
        enough = asyncio.ensure_future(self._enough.wait())
        over = asyncio.gather(*playing, return_exceptions=True)
        await asyncio.wait((enough, over), return_when=asyncio.FIRST_COMPLETED)
        enough.cancel()
        if over.done():
            for each in playing:
                each.result()
            return False
        await self._server.kill()
        self.killed += 1
        for player in self._players:  # what had arrived by then has been promised
            await player.line.closed.wait()
        await asyncio.sleep(0)
        for each in playing:
            each.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await self._hang_up()
        return True

    async def _play_as(self, player: Player) -> None:
        """Take the seats that wait for a player, and move there, until the tournament is over."""
        while True:
            info = await self._find_info(player)
            if info["stage"] == "finished":
                return
            assert info["stage"] in ("announced", "running"), info
            table = info["your_table"]
            if table is not None:
                try:
                    await self._play_at(player, table)
                except Refusal as refused:
                    if refused.code not in _HARMLESS:
                        raise
            await asyncio.sleep(_LOOK_SECONDS)

    async def _find_info(self, player: Player) -> dict[str, Any]:
        shown = await player.line.call("tournament.list")
        [info] = [each for each in shown["tournaments"] if each["id"] == self._tournament]
        found: dict[str, Any] = info
        return found

    async def _play_at(self, player: Player, table: str) -> None:
        if (player.name, table) not in self._seated:
            taken = await player.line.call("tournament.take_seat", tournament=self._tournament)
            self._seated[player.name, taken["info"]["table"]] = taken["seat"]
        shot = await player.line.call("table.poll", table=table)
        seat = shot["seat"]
        if seat is None or seat not in shot["pending"]:
            return
        move, nth = player.luck.choice(await player.moves(table)), shot["move_counts"][seat]
        await player.line.call("table.play", table=table, move=move, nth=nth)
        self.made.append(Made(table, seat, nth, move))
        self._left -= 1
        if self._left == 0:
            self._enough.set()

    async def _check_promises(self) -> None:
        """Check that everybody still takes part, and has the seats that were acknowledged at tables that run."""
        for player in self._players:
            info = await self._find_info(player)
            assert info["entered"], player.name
            seat = self._seated.get((player.name, info["your_table"] or ""))
            if seat is not None:
                shot = await player.line.call("table.poll", table=info["your_table"])
                assert shot["seat"] == seat, (player.name, shot)

    async def _check_result(self) -> int:
        """Compute the result again from the export, and the export's tables from their games."""
        lines: list[str] = []
        while True:
            page = await self._players[0].line.call("tournament.export", tournament=self._tournament, since=len(lines))
            lines += page["lines"]
            if len(lines) >= page["line_count"]:
                break
        exported = [json.loads(line) for line in lines]
        check_export(exported)
        made = {(each.table, each.seat, each.nth): each for each in self.made}
        assert len(made) == len(self.made), "a move was acknowledged twice"
        proven = 0
        tables = [line for line in exported if "seats" in line]
        for line in tables:
            entrants = [player for player in self._players if (player.name, line["table"]) in self._seated]
            if not entrants:
                continue
            game = await _export_game(entrants[0], line["table"])
            proof = Proof(game, replay.read_game(game).header.commitment)
            assert proof.places == line["places"], line
            for move in (each for each in self.made if each.table == line["table"]):
                assert proof.move(move.seat, move.nth) == move.move, move
                proven += 1
        assert proven == len(self.made), "each acknowledged move is in a game of the evening"
        return len(tables)

    async def _connect(self) -> None:
        await asyncio.gather(*(player.connect(self._server.port) for player in self._players))

    async def _hang_up(self) -> None:
        await asyncio.gather(*(player.hang_up() for player in self._players))


async def _export_game(player: Player, table: str) -> list[str]:
    lines: list[str] = []
    while True:
        page = await player.line.call("table.export", table=table, since=len(lines))
        lines += page["lines"]
        if len(lines) >= page["line_count"]:
            return lines
