"""Kill test on the command line: `scripts/kill`."""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from scoville_shared.games.registry import list_slugs, load_game
from tests.e2e.kill.boundaries import Course
from tests.e2e.kill.clients import Gathering
from tests.e2e.kill.instants import Crowd
from tests.support.process import ServerProcess
from tests.support.script_parser import add_seed, script_parser


def main() -> None:
    """Run the kill tests that the arguments name; the first loss ends them with an AssertionError."""
    args = _arguments()
    print(f"Repeat this run with --seed {args.seed}; only the server's deals differ.")
    for game in args.games:
        for seats in _sizes(game, args.seats):
            for course in (_boundaries, _clients, _free_clients) if args.every else ():
                asyncio.run(course(game, seats, args.seed, args.every))
    if args.kills:
        asyncio.run(_instants(args.games, args.tables, args.kills, args.seed))
    print("Nothing was lost.")


def _arguments() -> argparse.Namespace:
    about = "Kills a real server with SIGKILL during games, restarts it, and reports lost data."
    parser = script_parser("kill", about)
    parser.add_argument("games", nargs="*", default=list_slugs(), metavar="GAME", help="games to play")
    add_seed(parser)
    parser.add_argument("--seats", type=int, default=3, metavar="N", help="players at a table; 0 for every number")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="events between two kills; 0 for none")
    parser.add_argument("--tables", type=int, default=50, metavar="N", help="tables during kills at random times")
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="kills at random times; 0 for none")
    return parser.parse_args()


def _sizes(game: str, seats: int) -> list[int]:
    fewest, most = load_game(game).info.seats
    every = range(fewest, min(most, 6) + 1)
    return [size for size in every if seats in (0, size)]


async def _boundaries(game: str, seats: int, seed: int, every: int) -> None:
    async def run(server: ServerProcess) -> str:
        course = Course(server, game, seats, seed)
        await course.play(lambda event: event % every == 0)
        return _kills(course)

    await _with_server(f"{game}, {seats} seats", run)


async def _clients(game: str, seats: int, seed: int, every: int) -> None:
    async def run(server: ServerProcess) -> str:
        gathering = Gathering(server, game, seats, seed)
        await gathering.play(lambda event: event % every == 0)
        return f"{_kills(gathering)}, one was away for {gathering.missed} of them and has caught up"

    await _with_server(f"{game}, {seats} real clients", run)


async def _free_clients(game: str, seats: int, seed: int, every: int) -> None:
    async def run(server: ServerProcess) -> str:
        luck = Random(seed)
        gathering = Gathering(server, game, seats, seed)
        await gathering.play_freely(luck.randrange(1, 6 * every) for _ in range(10))
        return _kills(gathering)

    await _with_server(f"{game}, {seats} real clients who never wait", run)


def _kills(course: Course | Gathering) -> str:
    return f"{len(course.killed)} kills at {course.events} events"


async def _instants(games: list[str], tables: int, kills: int, seed: int) -> None:
    await _with_server(f"{tables} tables at once", lambda server: _crowd(server, games, tables, kills, seed))


async def _crowd(server: ServerProcess, games: list[str], tables: int, kills: int, seed: int) -> str:
    crowd = Crowd(server, games, tables, seed)
    await crowd.play(kills, moves_between=max(1, 40 * tables // (kills + 1)))
    return f"{kills} kills, {crowd.moves} acknowledged moves"


async def _with_server(what: str, run: Callable[[ServerProcess], Awaitable[str]]) -> None:
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder))
        await server.start()
        try:
            result = await run(server)
        finally:
            complaints = await server.stop()
    print(f"{what}: {result}, {time.monotonic() - began:.0f} s", flush=True)
    assert complaints == "", complaints


if __name__ == "__main__":
    main()
