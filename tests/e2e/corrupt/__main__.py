"""Test of damaged files on the command line: `scripts/corrupt`."""

import asyncio
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.corrupt.engines import try_engines
from tests.e2e.corrupt.trial import trial
from tests.e2e.corrupt.world import build
from tests.support.script_parser import add_seed, script_parser


def main() -> None:
    """Damage folders and start servers on them; the first server that reports wrong data ends it with an error."""
    about = "Damages the files of a server, restarts it, and compares its data with its report."
    parser = script_parser("corrupt", about)
    parser.add_argument("--trials", type=int, default=320, metavar="N", help="folders to damage")
    parser.add_argument("--cluster", action="store_true", help="damage one of three servers of NATS instead")
    add_seed(parser)
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        run = _run_cluster if args.cluster else _run
        asyncio.run(run(Path(folder), args.seed, args.trials))


async def _run(place: Path, seed: int, trials: int) -> None:
    worlds = await build(place)
    kinds: Counter[str] = Counter()
    for number in range(seed, seed + trials):
        kinds[(await trial(worlds, place / "trial", number)).kind] += 1
    print(f"{trials} damaged folders from --seed {seed}: {dict(kinds)}. Every start was truthful.")


async def _run_cluster(place: Path, seed: int, trials: int) -> None:
    for what in await try_engines(place, seed, trials):
        print(what)
    print(f"{trials} damaged servers of an engine from --seed {seed}: nothing was lost, or altered, without a word.")


if __name__ == "__main__":
    main()
