"""Soak test on the command line: `scripts/soak`."""

import argparse
import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.memory import WARM_UP, Scales
from tests.e2e.soak.run import SETTINGS, SoakRun, act_for_minutes
from tests.support.process import ServerProcess
from tests.support.script_parser import add_seed, script_parser

STOPPING = 120.0
"""Seconds within which a server stops, and opens again what it has kept."""


def main() -> None:
    """Run the soak test of the arguments. Exit status 1: there were faults."""
    args = _parse_arguments()
    print(f"Repeat this run with --seed {args.seed}.", flush=True)
    with TemporaryDirectory() as folder:
        faults = asyncio.run(_run_soak(Path(folder), args.users, args.minutes, args.seed))
    for fault in faults[:50]:
        print("FAULT", fault)
    sys.exit(bool(faults))


def _parse_arguments() -> argparse.Namespace:
    about = "Runs many simulated users on a real server and reports stuck users and memory leaks."
    parser = script_parser("soak", about)
    parser.add_argument("--users", type=int, default=200, metavar="N", help="users; every tenth uses a real client")
    parser.add_argument("--minutes", type=float, default=10, metavar="N", help="duration")
    add_seed(parser)
    return parser.parse_args()


async def _run_soak(folder: Path, users: int, length: float, seed: int) -> list[str]:
    settings = folder / "soak.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    server = ServerProcess(folder / "data", "--config", str(settings))
    await server.start()
    soak, scales = SoakRun(server, users, seed, report=_print_sentence), Scales(server.pid, every=5)
    beside = [asyncio.create_task(scales.weigh()), asyncio.create_task(_show_progress(soak.ledger, scales))]
    try:
        await soak.live(act_for_minutes(length))
    finally:
        for each in beside:
            each.cancel()
        complaints = await _stop_server(server)
    faults = soak.ledger.faults + complaints + await _opened_again(server) + scales.faults(60 * length)
    _print_report(soak.ledger, scales, scales.growth(60 * length * WARM_UP, 60 * length))
    return faults


def _print_sentence(sentence: str) -> None:
    print(sentence, flush=True)


async def _show_progress(ledger: Ledger, scales: Scales) -> None:
    """Report the progress every minute."""
    for minute in count(1):
        await asyncio.sleep(60)
        weight = scales.weights[-1][1]
        _print_sentence(f"minute {minute}: {ledger.answers:,} answers, {ledger.moves:,} moves, {weight:.0f} MiB")


async def _stop_server(server: ServerProcess) -> list[str]:
    """Stop the server, with a kill if it does not end; returns its warnings."""
    stopping = asyncio.ensure_future(server.stop())
    pid = server.pid
    done, _ = await asyncio.wait((stopping,), timeout=STOPPING)
    if not done:
        os.kill(pid, signal.SIGKILL)
    complaints = (await stopping).splitlines()
    return complaints if done else [*complaints, f"the server did not stop within {STOPPING:g} seconds"]


async def _opened_again(server: ServerProcess) -> list[str]:
    """Return the warnings of a new server on the same folder."""
    try:
        async with asyncio.timeout(STOPPING):
            await server.start()
    except TimeoutError:
        await server.kill()
        return [f"the server did not open again within {STOPPING:g} seconds"]
    return await _stop_server(server)


def _print_report(ledger: Ledger, scales: Scales, growth: float) -> None:
    habits = ", ".join(f"{habit} {number}" for habit, number in ledger.done.most_common())
    refused = ", ".join(f"{method} {code} {number}" for (method, code), number in ledger.refused.most_common())
    milliseconds = [f"p{share * 100:g} {ledger.percentile(share) * 1000:.1f} ms" for share in (0.5, 0.99, 0.999)]
    print(f"actions: {habits}")
    print(f"refusals: {refused}")
    print(f"answers: {ledger.answers:,}; {', '.join(milliseconds)}; slowest: {', '.join(ledger.slowest(4))}")
    print(f"MiB by minute: {' '.join(f'{weight:.1f}' for weight in scales.by_minute())}")
    print(f"growth by quarter: {', '.join(f'{growth:.2f}' for growth in scales.by_quarter())} MiB a minute")
    print(f"growth after the warm-up: {growth:.2f} MiB a minute")


if __name__ == "__main__":
    main()
