"""Installs faulty games from wheels into a fresh environment, checks each, and plays beside all of them at a server."""

import argparse
import asyncio
import json
import sys
import tempfile
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import NamedTuple

from scoville_shared.games.registry import list_slugs
from tests.e2e.restarts.manager import read_used_seconds
from tests.e2e.strangers.evening import Evening, connect_user, play_beside
from tests.e2e.strangers.wheels import Environment, build_wheel, write_game
from tests.outside.faulty_games.prepared import FAULTS, WHOLE_RUNS
from tests.support.process import ServerProcess

MOST_SECONDS = 120.0
"""Seconds of the processor that a whole run of `scoville check-game` may use; by the clock it may take five times as
long on a busy machine."""
MOST_USED = 1.0
"""Seconds of the processor that the server may use while somebody at another table waits for one answer: a call of a
game may use a quarter of a second, and two may be before the answer."""
LONGEST_WAIT = 60.0
"""Seconds that nobody may wait by the clock, however busy the machine is."""
_HEALTHY = "healthy_heap"


class Checked(NamedTuple):
    """A run of check-game over one faulty package: what it has found, and whether that is what it should find."""

    fault: str
    seconds: float
    found: str
    right: bool


def check_fault(environment: Environment, fault: str, folder: Path, number: int) -> Checked:
    """Build the wheel of a faulty game, install it, and run all its checks."""
    slug = f"heap_{number}"
    environment.install(build_wheel(write_game(slug, folder, fault), folder / "wheels"))
    before = _read_used_by_children()
    status, said = environment.run("scoville", "check-game", slug, "--json", seconds=5 * MOST_SECONDS)
    seconds = _read_used_by_children() - before
    environment.uninstall(slug.replace("_", "-"))
    failed = [each for each in json.loads(said)["checks"] if each["status"] == "failed"]
    wanted = FAULTS[fault]
    right = status == 1 and any(each["check"] == wanted.check and wanted.said in each["message"] for each in failed)
    found = "; ".join(f"{each['check']}: {each['message']}" for each in failed)
    return Checked(fault, seconds, found, right and seconds < MOST_SECONDS)


def _read_used_by_children() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def hold_evening(environment: Environment, folder: Path, faults: tuple[str, ...]) -> tuple[Evening, Evening]:
    """Play at a server with all faulty games, before and after it was killed."""
    slugs = [f"stranger_{number}" for number, _ in enumerate(faults)]
    sources = [write_game(slug, folder, fault) for slug, fault in zip(slugs, faults, strict=True)]
    wheels = [build_wheel(source, folder / "wheels") for source in (*sources, write_game(_HEALTHY, folder))]
    environment.install(*wheels)
    command = str(environment.path_of("scoville-server"))
    # Games of seconds one after the other: whoever plays them would open tables too fast.
    variables = {**environment.variables, "SCOVILLE_LIMITS__PER_USER": "0", "SCOVILLE_LIMITS__PER_ADDRESS": "0"}
    code = f"import os, sys; os.execve({command!r}, [{command!r}, *sys.argv[1:]], {variables!r})"
    server = ServerProcess(folder / "data", "--no-default-tables", code=code)
    own = [slug for slug in list_slugs() if slug not in (*slugs, _HEALTHY)]
    await server.start()
    user = await connect_user(server.port, "Looker")
    await user.close()
    first = await play_beside(server.port, [*own, _HEALTHY], slugs, partial(read_used_seconds, server.pid))
    await server.kill()
    await server.start()
    second = await play_beside(server.port, [*own, _HEALTHY], slugs, partial(read_used_seconds, server.pid))
    await server.stop()
    return first, second


def is_unnoticed(evening: Evening) -> bool:
    """Whether users of healthy tables have played on, and had every answer in time."""
    is_in_time = evening.busiest < MOST_USED and evening.longest < LONGEST_WAIT
    return evening.moves > 0 and not evening.refused and is_in_time


def main() -> int:
    """Run everything; returns 0 if all faults are found, and none is noticed at another table."""
    parser = argparse.ArgumentParser(prog="scripts/strangers", description=__doc__)
    parser.add_argument(
        "--faults", type=int, default=len(WHOLE_RUNS), help="how many of the faults, %(default)s if not given"
    )
    parser.add_argument("--no-checks", action="store_true", help="play beside the faulty games only")
    asked = parser.parse_args()
    faults = WHOLE_RUNS[: asked.faults]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        environment = Environment(folder / "environment", folder / "wheels")
        checked = []
        for number, fault in enumerate(() if asked.no_checks else faults):
            checked.append(check_fault(environment, fault, folder / "checked", number))
            one = checked[-1]
            print(
                f"{'ok' if one.right else 'NOT OK':<7}{one.seconds:6.1f} s  {one.fault}: {one.found[:150]}", flush=True
            )
        evenings = asyncio.run(hold_evening(environment, folder / "evening", faults))
    for when, each in zip(("before the kill", "after it"), evenings, strict=True):
        mark = "ok" if is_unnoticed(each) else "NOT OK"
        refused = f"{len(each.refused)} refused, longest wait {each.longest:.2f} s ({each.busiest:.2f} s of the server)"
        print(f"{mark:<7}{each.faulty} faulty games {when}: {each.moves} moves at healthy tables, {refused}")
        for why in sorted(set(each.refused)):
            print(f"       {why}")
    return 0 if all(one.right for one in checked) and all(map(is_unnoticed, evenings)) else 1


if __name__ == "__main__":
    sys.exit(main())
