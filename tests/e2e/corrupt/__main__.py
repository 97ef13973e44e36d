"""Test of damaged files on the command line: `scripts/corrupt`."""

import asyncio
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.corrupt.trial import trial
from tests.e2e.corrupt.world import build
from tests.support.script_parser import add_seed, script_parser


def main() -> None:
    """Damage folders and start servers on them; the first server that reports wrong data ends it with an error."""
    about = "Damages the files of a server, restarts it, and compares its data with its report."
    parser = script_parser("corrupt", about)
    parser.add_argument("--trials", type=int, default=320, metavar="N", help="folders to damage")
    add_seed(parser)
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        asyncio.run(_run(Path(folder), args.seed, args.trials))


async def _run(place: Path, seed: int, trials: int) -> None:
    worlds = await build(place)
    kinds: Counter[str] = Counter()
    for number in range(seed, seed + trials):
        kinds[(await trial(worlds, place / "trial", number)).kind] += 1
    print(f"{trials} damaged folders from --seed {seed}: {dict(kinds)}. Every start was truthful.")


if __name__ == "__main__":
    main()
