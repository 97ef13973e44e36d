"""Kill test on the command line: `scripts/kill`."""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from scoville_shared.games.registry import list_slugs, load_game
from tests.e2e.cluster.served import ServedCluster
from tests.e2e.kill.boundaries import Course
from tests.e2e.kill.clients import Gathering
from tests.e2e.kill.evenings import Evening
from tests.e2e.kill.instants import Crowd
from tests.server.tournaments.evening import FORMATS
from tests.support.process import ServerProcess
from tests.support.script_parser import add_seed, script_parser

Killed = ServerProcess | ServedCluster
Trial = tuple[str, Callable[[Any], Awaitable[str]]]
"""What it is, and what is done with a server; returns what became of it."""


def main() -> None:
    """Run the kill tests that the arguments name; the first loss ends them with an AssertionError."""
    args = _parse_arguments()
    make: Callable[[Path], Killed] = ServedCluster if args.cluster else ServerProcess
    # Real clients know all nodes of a cluster: scripts/cluster --measure has them.
    courses = (_kill_at_boundaries,) if args.cluster else (_kill_at_boundaries, _kill_clients, _free_clients)
    print(f"Repeat this run with --seed {args.seed}; only the server's deals differ.")
    for game in args.games:
        for seats in _list_sizes(game, args.seats):
            for course in courses if args.every else ():
                asyncio.run(_with_server(*course(game, seats, args.seed, args.every), make))
    for played in FORMATS if args.evenings else ():
        asyncio.run(_with_server(*_kill_evening(played, args.evenings, args.seed), make))
    if args.kills:
        asyncio.run(_with_server(*_kill_at_instants(args.games, args.tables, args.kills, args.seed), make))
    print("Nothing was lost.")


def _parse_arguments() -> argparse.Namespace:
    about = "Kills a real server with SIGKILL during games, restarts it, and reports lost data."
    parser = script_parser("kill", about)
    parser.add_argument("games", nargs="*", default=list_slugs(), metavar="GAME", help="games to play")
    add_seed(parser)
    parser.add_argument("--seats", type=int, default=3, metavar="N", help="players at a table; 0 for every number")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="events between two kills; 0 for none")
    parser.add_argument("--tables", type=int, default=50, metavar="N", help="tables during kills at random times")
    parser.add_argument("--evenings", type=int, default=3, metavar="N", help="kills in each tournament; 0 for none")
    parser.add_argument("--cluster", action="store_true", help="kill the serving node of a cluster of three instead")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="kills at random times; 0 for none")
    return parser.parse_args()


def _kill_evening(played: str, kills: int, seed: int) -> Trial:
    async def run(server: ServerProcess) -> str:
        evening = Evening(server, played, players=10, seed=seed)
        tables = await evening.play(kills, moves_between=30)
        return f"{evening.killed} kills, {len(evening.made)} acknowledged moves at {tables} tables"

    return f"an evening: {played}", run


def _list_sizes(game: str, seats: int) -> list[int]:
    fewest, most = load_game(game).info.seats
    every = range(fewest, min(most, 6) + 1)
    return [size for size in every if seats in (0, size)]


def _kill_at_boundaries(game: str, seats: int, seed: int, every: int) -> Trial:
    async def run(server: ServerProcess) -> str:
        course = Course(server, game, seats, seed)
        await course.play(lambda event: event % every == 0)
        return _count_kills(course)

    return f"{game}, {seats} seats", run


def _kill_clients(game: str, seats: int, seed: int, every: int) -> Trial:
    async def run(server: ServerProcess) -> str:
        gathering = Gathering(server, game, seats, seed)
        await gathering.play(lambda event: event % every == 0)
        return f"{_count_kills(gathering)}, one was away for {gathering.missed} of them and has caught up"

    return f"{game}, {seats} real clients", run


def _free_clients(game: str, seats: int, seed: int, every: int) -> Trial:
    async def run(server: ServerProcess) -> str:
        luck = Random(seed)
        gathering = Gathering(server, game, seats, seed)
        await gathering.play_freely(luck.randrange(1, 6 * every) for _ in range(10))
        return _count_kills(gathering)

    return f"{game}, {seats} real clients who never wait", run


def _count_kills(course: Course | Gathering) -> str:
    return f"{len(course.killed)} kills at {course.events} events"


def _kill_at_instants(games: list[str], tables: int, kills: int, seed: int) -> Trial:
    return f"{tables} tables at once", lambda server: _kill_crowd(server, games, tables, kills, seed)


async def _kill_crowd(server: ServerProcess, games: list[str], tables: int, kills: int, seed: int) -> str:
    crowd = Crowd(server, games, tables, seed)
    await crowd.play(kills, moves_between=max(1, 40 * tables // (kills + 1)))
    return f"{kills} kills, {crowd.moves} acknowledged moves"


async def _with_server(what: str, run: Callable[[Any], Awaitable[str]], make: Callable[[Path], Killed]) -> None:
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        server = make(Path(folder))
        await server.start()
        try:
            result = await run(server)
        finally:
            complaints = await server.stop()
    print(f"{what}: {result}, {time.monotonic() - began:.0f} s", flush=True)
    assert complaints == "", complaints


if __name__ == "__main__":
    main()
