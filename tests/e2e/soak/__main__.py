"""The long form of the soak: `scripts/soak`."""

import argparse
import asyncio
import secrets
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.memory import Scales
from tests.e2e.soak.town import SETTINGS, Town, minutes
from tests.support.process import ServerProcess

WARM_UP = 0.4
"""The share of the time after which a server has seen everything once, and may grow no more than GROWTH."""
GROWTH = 1.5
"""MiB a minute: the people, their careers and their lines that are kept, up to their bounds."""
LONG = 5
"""Minutes of a soak that says anything about memory."""


def main() -> None:
    """Run what the arguments ask for. Exit status 1: something was wrong."""
    wish = _arguments()
    print(f"--seed {wish.seed} gives everybody the same chance again", flush=True)
    with TemporaryDirectory() as folder:
        faults = asyncio.run(_soak(Path(folder), wish.people, wish.minutes, wish.seed))
    for fault in faults[:50]:
        print("FAULT", fault)
    sys.exit(bool(faults))


def _arguments() -> argparse.Namespace:
    about = "Lets many people live at a real server for a while, and looks for whoever is stuck and for what leaks."
    parser = argparse.ArgumentParser(prog="scripts/soak", description=about)
    parser.add_argument("--people", type=int, default=200, help="how many; every tenth is at a real client")
    parser.add_argument("--minutes", type=float, default=10, help="how long they live")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="the chance of the people")
    return parser.parse_args()


async def _soak(folder: Path, people: int, length: float, seed: int) -> list[str]:
    settings = folder / "soak.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    server = ServerProcess(folder / "data", "--config", str(settings))
    await server.start()
    town, scales = Town(server, people, seed), Scales(server.pid, every=5)
    weighing = asyncio.create_task(scales.weigh())
    try:
        await town.live(minutes(length))
    finally:
        weighing.cancel()
        complaints = await server.stop()
    faults = town.ledger.faults + complaints.splitlines()
    faults += await _opened_again(server)
    growth = scales.growth(after=60 * length * WARM_UP, until=60 * length)
    if length >= LONG and growth > GROWTH:
        faults.append(f"the server grows by {growth:.2f} MiB a minute")
    _report(town.ledger, scales, growth)
    return faults


async def _opened_again(server: ServerProcess) -> list[str]:
    """Say what a new server complains of that opens what this one has kept."""
    await server.start()
    return (await server.stop()).splitlines()


def _report(ledger: Ledger, scales: Scales, growth: float) -> None:
    habits = ", ".join(f"{habit} {number}" for habit, number in ledger.done.most_common())
    refused = ", ".join(f"{method} {code} {number}" for (method, code), number in ledger.refused.most_common())
    milliseconds = [f"p{share * 100:g} {ledger.percentile(share) * 1000:.1f} ms" for share in (0.5, 0.99, 0.999)]
    print(f"what people did: {habits}")
    print(f"refusals: {refused}")
    print(f"answers: {ledger.answers:,}; {', '.join(milliseconds)}; slowest: {', '.join(ledger.slowest(4))}")
    print(f"MiB by minute: {' '.join(f'{weight:.1f}' for weight in scales.by_minute())}")
    print(f"growth by quarter: {', '.join(f'{growth:.2f}' for growth in scales.by_quarter())} MiB a minute")
    print(f"growth after the warm-up: {growth:.2f} MiB a minute")


if __name__ == "__main__":
    main()
