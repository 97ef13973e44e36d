"""Whole evenings of tournaments in virtual time, with leavers, latecomers and crashes; longer ones than in the tests.

    python -m tests.server.tournaments.evening [--players 64] [--evenings 10] [--seed 1]

At the end another computation of the standings, from the exported lines alone, must find the same.
"""

import argparse
import asyncio
import json
import random
from collections import defaultdict
from contextlib import suppress
from typing import Any

from scoville_server.server import Server
from scoville_shared.engine.dice import DealTerms, commit_to
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.server.tournaments.host import CLOCK, SETTLED, CrashingJournal, Host, heard, show
from tests.support.idle import IdleLoop

FORMATS: tuple[m.TournamentFormat, ...] = ("arena", "swiss", "knockout", "duplicate")
_LONGEST = 4_000
"""Seconds after which an evening counts as one that does not end."""


class Evening:
    """An evening of some players at tables of three, whose chances follow from a seed."""

    def __init__(self, played: m.TournamentFormat, players: int, seed: int, crashes: int) -> None:
        self.host = Host()
        self.journal = self.host.journal = CrashingJournal()
        self._played: m.TournamentFormat = played
        self._names = [f"Player {n}" for n in range(players)]
        self._chance = random.Random(f"{played}/{seed}")
        self._crashes = crashes
        self._gone: set[str] = set()
        self._taken: set[tuple[str, str]] = set()

    async def play(self) -> list[dict[str, object]]:
        """Play until the tournament is over; returns the exported lines."""
        server = await self.host.start()
        await self.host.connect(server, *self._names)
        director = self.host.users[self._names[0]]
        asked = m.CallTournamentRequest(
            name="Evening",
            format=self._played,
            game="high_card",
            seat_count=3,
            starts_in_ms=60_000,
            clock=CLOCK,
            round_count=3,
            lasts_ms=300_000,
            team_size=2 if self._played == "duplicate" else 0,
        )
        number = (await director.call(asked)).tournament_info.id
        entering = self._names[: len(self._names) * 3 // 4]
        for n, name in enumerate(entering):
            # Neighbours are a team; one in five has named somebody who has not named them.
            partners = [entering[n ^ 1]] if self._played == "duplicate" and n ^ 1 < len(entering) and n % 5 else []
            await self.host.users[name].call(m.EnterTournamentRequest(tournament=number, partners=partners))
        crash_at = sorted(self._chance.randrange(30, 400) for _ in range(self._crashes))
        for second in range(_LONGEST):
            if crash_at and second >= crash_at[0]:
                crash_at.pop(0)
                server = await self._crash(server)
            await self._act(number)
            await self.host.pass_time(1)
            if second % 5 == 0 and not (await show(self.host.users[self._names[0]], number)).standings:
                raise AssertionError("nobody is left")
            if second % 5 == 0 and (await self._stage(number)) == "finished":
                lines = await self._export(number)
                await server.close()
                return lines
        raise AssertionError("the evening does not end")

    async def _crash(self, server: Server) -> Server:
        """End the server in the middle of its writes, and start it again."""
        self.journal.left = self._chance.randrange(4)
        await self._act("")
        await self.host.pass_time(1)
        await server.close()
        self.journal.left = 1_000_000
        server = await self.host.start()
        await self.host.connect(server, *(name for name in self._names if name not in self._gone))
        self._taken.clear()
        await self.host.pass_time(SETTLED)
        return server

    async def _stage(self, number: str) -> str:
        return (await show(self.host.users[self._names[0]], number)).tournament_info.stage

    async def _export(self, number: str) -> list[dict[str, object]]:
        lines: list[str] = []
        while True:
            request = m.ExportTournamentRequest(tournament=number, since=len(lines))
            page = await self.host.users[self._names[0]].call(request)
            lines += page.lines
            if len(lines) >= page.line_count:
                return [json.loads(line) for line in lines]

    async def _act(self, number: str) -> None:
        """Let each player do something, or nothing."""
        for name in self._names:
            if name not in self._gone:
                with suppress(ScovilleError):
                    await self._act_as(name, number)

    async def _act_as(self, name: str, number: str) -> None:
        caller, chance = self.host.users[name], self._chance.random()
        if name != self._names[0] and chance < 0.002:
            self._gone.add(name)
            caller.hang_up()
            return
        if number and chance < 0.01:
            change: m.Params = m.EnterTournamentRequest(tournament=number)
            if chance < 0.004:
                change = m.WithdrawFromTournamentRequest(tournament=number)
            await caller.call(change)
        calls = heard(caller, m.TournamentSeatedNotice)
        if not calls:
            return
        table = calls[-1].table
        if (name, table) not in self._taken and number:
            if self._chance.random() < 0.3:
                self._taken.add((name, table))
                await caller.call(m.TakeSeatRequest(tournament=number))
            return
        seen = await caller.call(m.PollRequest(table=table))
        if seen.seat is not None and seen.seat in seen.pending:
            if self._chance.random() < 0.01:
                await caller.call(m.LeaveRequest(table=table))
                return
            moves = (await caller.call(m.MovesRequest(table=table))).moves
            await caller.call(m.PlayRequest(table=table, move=self._chance.choice(moves)))


def check_export(lines: list[dict[str, object]]) -> None:
    """Compute the standings again from an export, as somebody does who has only the documents."""
    if lines[0]["format"] == "duplicate":
        check_duplicate(lines)
        return
    head, seats = lines[0], int(str(lines[0]["seat_count"]))
    entrants = {int(str(line["entrant"])): line for line in lines if "entrant" in line}
    tables = [line for line in lines if "seats" in line]
    standings = [line for line in lines if "standing_of" in line]
    points = {number: int(str(line["byes"])) * (seats - 1) for number, line in entrants.items()}
    met: defaultdict[int, list[int]] = defaultdict(list)
    rounds: defaultdict[object, list[int]] = defaultdict(list)
    for table in tables:
        sat = [*table["seats"]]  # type: ignore[misc]
        halves, places = [*table["half_points"]], [*table["places"]]  # type: ignore[misc]
        assert len(halves) == seats, "every table of a finished tournament has points"
        for seat, number in enumerate(sat):
            if places and halves[seat]:
                full = sum(2 * (other > places[seat]) + (other == places[seat]) for other in places) - 1
                assert halves[seat] == full, (table, seat)
            if number in points:
                points[number] += halves[seat]
                met[number] += [other for other in sat if other not in (None, number)]
                rounds[table["round"]].append(number)
    assert all(len(numbers) == len({*numbers}) for numbers in rounds.values()), "nobody sits at two tables at once"
    assert {int(str(line["standing_of"])): line["half_points"] for line in standings} == points
    for line in standings:
        others = [points[other] for other in met[int(str(line["standing_of"]))] if other in points]
        assert line["opposition"] == (1000 * sum(others) // len(others) if others else 0)
    places = [int(str(line["place"])) for line in standings]
    assert places == sorted(places)
    if head["format"] == "knockout":
        assert sum(entrant["entry"] == "in" for entrant in entrants.values()) <= 1
    else:
        kept = [line for line in standings if entrants[int(str(line["standing_of"]))]["entry"] != "removed"]
        keys = [(-int(str(line["half_points"])), -int(str(line["opposition"]))) for line in kept]
        assert keys == sorted(keys)


def check_duplicate(lines: list[dict[str, Any]]) -> None:
    """Compute the points of a duplicate evening again: each result against those in its seat at the other tables."""
    head = lines[0]
    entrants = {line["entrant"]: line for line in lines if "entrant" in line}
    deals = {line["deal"]: line for line in lines if "deal" in line}
    standings = [line for line in lines if "standing_of" in line]
    points = {number: line["byes"] * (head["table_count"] - 1) for number, line in entrants.items()}
    places: dict[int, set[tuple[int, int]]] = defaultdict(set)
    fewer = is_fewer_better([line for line in lines if "seats" in line])
    for number, deal in deals.items():
        tables = [line for line in lines if "seats" in line and line["round"] == number]
        if not tables:
            continue
        assert len(tables) == head["table_count"], "all tables play each deal"
        terms = DealTerms(
            table=deal["name"],
            game=head["game"],
            rules_version=deal["rules_version"],
            options=head["options"],
            seats=head["seat_count"],
            dealer=None,
        )
        assert commit_to(bytes.fromhex(deal["server_seed"]), terms).hex() == deal["commitment"]
        for row, table in enumerate(tables):
            for seat, entrant in enumerate(table["seats"]):
                won = 0
                if entrant is None or seat in table["counted"]:
                    others = [other for other in tables if other is not table]
                    won = sum(compare(table, other, seat, fewer_is_better=fewer) for other in others)
                assert table["half_points"][seat] == won, (table, seat)
                if entrant in points:
                    points[entrant] += won
                    places[entrant].add((row, seat))
    assert {line["standing_of"]: line["half_points"] for line in standings} == points
    by_points = [-line["half_points"] for line in standings if entrants[line["standing_of"]]["entry"] != "removed"]
    assert by_points == sorted(by_points)
    for line in (line for line in lines if "team_of" in line):
        assert line["half_points"] == sum(points[number] for number in line["team_of"])
        assert len(line["team_of"]) <= head["team_size"]


def compare(mine: dict[str, Any], other: dict[str, Any], seat: int, *, fewer_is_better: bool) -> int:
    """Return the half points of a result against the one in the same seat at another table."""
    if not mine["places"] or not other["places"]:
        return 1
    sign = 1 if fewer_is_better else -1
    ranks = [(table["places"][seat], sign * table["scores"][seat]) for table in (mine, other)]
    return 2 if ranks[0] < ranks[1] else int(ranks[0] == ranks[1])


def is_fewer_better(tables: list[dict[str, Any]]) -> bool:
    """Tell by the places at all tables which scores are better."""
    pairs = [
        (places < others, score < other)
        for table in tables
        for places, score in zip(table["places"], table.get("scores", []), strict=False)
        for others, other in zip(table["places"], table.get("scores", []), strict=False)
        if places != others and score != other
    ]
    return sum(better == fewer for better, fewer in pairs) * 2 > len(pairs)


async def play_evening(played: m.TournamentFormat, players: int, seed: int, crashes: int) -> int:
    """Play an evening and check its export; returns how many tables there were."""
    lines = await Evening(played, players, seed, crashes).play()
    check_export(lines)
    return sum("seats" in line for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Play whole evenings of tournaments in virtual time.")
    parser.add_argument("--players", type=int, default=64)
    parser.add_argument("--evenings", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for seed in range(arguments.seed, arguments.seed + arguments.evenings):
        for played in FORMATS:
            with asyncio.Runner(loop_factory=IdleLoop) as runner:
                tables = runner.run(play_evening(played, arguments.players, seed, crashes=3))
            print(f"seed {seed}: {played}, {tables} tables, the standings follow from the export", flush=True)


if __name__ == "__main__":
    main()
