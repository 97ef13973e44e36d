"""Test of damaged files on the command line: `scripts/corrupt`."""

import asyncio
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.corrupt.engines import try_engines
from tests.e2e.corrupt.trial import run_trial
from tests.e2e.corrupt.world import build_worlds
from tests.support.script_parser import add_seed, script_parser


def main() -> None:
    """Damage folders and start servers on them; the first server that reports wrong data ends it with an error."""
    about = "Damages the files of a server, restarts it, and compares its data with its report."
    parser = script_parser("corrupt", about)
    parser.add_argument("--trials", type=int, default=320, metavar="N", help="folders to damage")
    parser.add_argument("--cluster", action="store_true", help="damage servers of NATS of a cluster of three instead")
    parser.add_argument("--servers", type=int, choices=(1, 2), default=1, help="how many of them at once")
    add_seed(parser)
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        if args.cluster:
            asyncio.run(_run_cluster(Path(folder), args.seed, args.trials, args.servers))
        else:
            asyncio.run(_run_trials(Path(folder), args.seed, args.trials))


async def _run_trials(place: Path, seed: int, trials: int) -> None:
    worlds = await build_worlds(place)
    kinds: Counter[str] = Counter()
    for number in range(seed, seed + trials):
        kinds[(await run_trial(worlds, place / "trial", number)).kind] += 1
    print(f"{trials} damaged folders from --seed {seed}: {dict(kinds)}. Every start was truthful.")


async def _run_cluster(place: Path, seed: int, trials: int, servers: int) -> None:
    done = 0
    while done < trials:
        # A cluster that is unusable ends, and the next one goes on with the next seed.
        async for what in try_engines(place / str(done), seed + done, trials - done, servers):
            print(what, flush=True)
            done += 1
    print(
        f"{trials} times {servers} damaged servers of an engine from --seed {seed}: nothing was lost, or altered, "
        "without a word."
    )


if __name__ == "__main__":
    main()
