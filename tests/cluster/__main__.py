"""Clusters in a box on the command line: `scripts/cluster_box`."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from statistics import quantiles

import msgspec

from tests.cluster.plans import KINDS, FaultKind, Plan, draw_plan, shrink_plan
from tests.cluster.runs import Outcome, collect_less_often, run_plan
from tests.support.script_parser import add_seed, script_parser

SHOWN = 5
"""Violations of one run that are printed."""
BETWEEN_COUNTS = 500
"""Runs after which is printed how many there were: a long one may be ended before its report."""


def main() -> None:
    """Run the seeds of the arguments. Exit status 1: something was violated."""
    args = _arguments()
    kinds: tuple[FaultKind, ...] = tuple(args.faults) or KINDS
    if args.plan:
        outcomes: Iterator[Outcome] = iter([run_plan(msgspec.json.decode(args.plan, type=Plan))])
    else:
        plans = [draw_plan(seed, kinds) for seed in range(args.seed, args.seed + args.seeds)]
        outcomes = _run_all(plans, args.jobs)
    bad = _report([*_print_bad(outcomes)])
    if bad and args.shrink:
        _print_smallest(bad[0])
    sys.exit(bool(bad))


def _arguments() -> argparse.Namespace:
    about = "Runs clusters in virtual time, each with the faults of its seed, and reports what they violate."
    parser = script_parser("cluster_box", about)
    parser.add_argument("--seeds", type=int, default=100, metavar="N", help="how many seeds, from --seed on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes")
    parser.add_argument("--faults", nargs="*", choices=KINDS, default=[], metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--shrink", action="store_true", help="look for the smallest plan like the first that failed")
    parser.add_argument("--plan", metavar="JSON", help="run this plan alone, as --shrink prints it")
    add_seed(parser)
    return parser.parse_args()


def _run_all(plans: Sequence[Plan], jobs: int) -> Iterator[Outcome]:
    with get_context("spawn").Pool(jobs, collect_less_often) as pool:
        yield from pool.imap(run_plan, plans, chunksize=4)


def _print_bad(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    """Print each outcome with violations as it comes, and pass all on."""
    bad = 0
    for n, outcome in enumerate(outcomes, 1):
        bad += bool(outcome.found)
        if outcome.found:
            print(f"seed {outcome.plan.seed}: {', '.join(fault.kind for fault in outcome.plan.faults)}", flush=True)
            for invariant, text in outcome.found[:SHOWN]:
                print(f"  {invariant} {text[:300]}", flush=True)
        if n % BETWEEN_COUNTS == 0:
            print(f"{n} runs up to seed {outcome.plan.seed}, {bad} of them with violations", flush=True)
        yield outcome


def _report(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Print the figures of all runs, and return those with violations."""
    bad = [outcome for outcome in outcomes if outcome.found]
    waits = [outcome.longest_gap for outcome in outcomes]
    cuts = quantiles(waits, n=20, method="inclusive") if len(waits) > 1 else waits
    print(f"{len(outcomes)} runs, {sum(outcome.moves for outcome in outcomes):,} acknowledged moves")
    print(f"longest wait of a user in a run: median {sorted(waits)[len(waits) // 2]:.1f} s, p95 {cuts[-1]:.1f} s")
    counts = Counter(found.invariant for outcome in bad for found in outcome.found)
    print(f"runs with violations: {len(bad)}", *(f"{name}: {n}" for name, n in sorted(counts.items())))
    return bad


def _print_smallest(outcome: Outcome) -> None:
    wanted = outcome.found[0].invariant
    smallest = shrink_plan(outcome.plan, lambda plan: wanted in {found.invariant for found in run_plan(plan).found})
    print(f"the smallest plan with {wanted}:", msgspec.json.encode(smallest).decode())


if __name__ == "__main__":
    main()
