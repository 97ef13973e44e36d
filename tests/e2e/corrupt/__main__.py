"""The long form of the test of damaged files: `scripts/corrupt`."""

import argparse
import asyncio
import secrets
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.corrupt.trial import trial
from tests.e2e.corrupt.world import build


def main() -> None:
    """Damage files and start on them as often as the arguments say; ends at the first start that is not truthful."""
    parser = argparse.ArgumentParser(
        prog="scripts/corrupt", description="Damages the files of a server, starts it again, and compares what it has."
    )
    parser.add_argument("--trials", type=int, default=320, help="how many folders to damage")
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(10**6), help="of the first trial; each has its own"
    )
    wish = parser.parse_args()
    with TemporaryDirectory() as folder:
        asyncio.run(_run(Path(folder), wish.seed, wish.trials))


async def _run(place: Path, seed: int, trials: int) -> None:
    worlds = await build(place)
    kinds: Counter[str] = Counter()
    for number in range(seed, seed + trials):
        kinds[(await trial(worlds, place / "trial", number)).kind] += 1
    print(f"{trials} damaged folders from --seed {seed}: {dict(kinds)}. Every start was truthful.")


if __name__ == "__main__":
    main()
