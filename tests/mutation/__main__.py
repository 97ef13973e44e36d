"""Mutation tests of the games on the command line: progress, score and survivors."""

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.mutation.mutants import Mutant, modules, mutants, mutants_of, targets
from tests.mutation.survivors import listed
from tests.mutation.trial import Verdict, prepare, start, verdict
from tests.support.script_parser import script_parser

WANTED = 0.95
"""The part of all mutants that has to be killed; of a sample all have to be, but for those that are explained."""


class Result(NamedTuple):
    """Results of a target's mutants."""

    target: str
    tried: int
    survivors: list[Mutant]

    @property
    def killed(self) -> int:
        """The number of killed mutants."""
        return self.tried - len(self.survivors)

    @property
    def unexplained(self) -> list[Mutant]:
        """The survivors that docs/mutation.md does not list."""
        return [mutant for mutant in self.survivors if mutant.change not in listed()]

    def __str__(self) -> str:
        explained = len(self.survivors) - len(self.unexplained)
        score = f"{self.killed} of {self.tried} mutants killed, {self.killed / self.tried:.1%}"
        return f"{self.target}: {score}; {explained} survivors explained, {len(self.unexplained)} not"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the mutants of the targets that are named, or of all; returns 1 if too many survive."""
    parser = script_parser("mutants", __doc__ or "")
    parser.add_argument("targets", nargs="*", metavar="GAME", help=f"{', '.join(targets())}; all if none")
    parser.add_argument("--sample", type=int, metavar="N", help="try only N mutants of each game, always the same ones")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="mutants at a time")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.targets) - set(targets()):
        parser.error(f"there are no mutants of {', '.join(sorted(unknown))}; there are {', '.join(targets())}")
    return max(_apart(target, asked.sample, asked.jobs) for target in asked.targets or targets())


def _apart(target: str, sample: int | None, jobs: int) -> int:
    """Report on a target in a process of its own, which has not imported its rules for another one."""
    child = os.fork()
    if child == 0:
        os._exit(report(target, sample, jobs))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def report(target: str, sample: int | None, jobs: int) -> int:
    """Try a target, and print the results; returns 1 if too many survive, 2 if nothing could be tried."""
    prepare(target)
    if verdict(os.waitpid(start(None, target, quick=sample is not None), 0)[1]) is not Verdict.SURVIVED:
        print(f"{target}: its tests fail without any fault; mend them first.", flush=True)
        return 2
    result = try_out(target, chosen(target, sample), jobs)
    for mutant in result.unexplained:
        print(f"\n{mutant.change}")
    print(f"\n{result}", flush=True)
    return int(bool(result.unexplained) if sample else result.killed < WANTED * result.tried)


def chosen(target: str, sample: int | None) -> list[Mutant]:
    """List all mutants of a target, or a sample of those that should not survive, from as many modules as possible."""
    if sample is None:
        return list(mutants(target))
    random = Random(target)
    paths = modules(target)
    picked = random.sample(paths, min(sample, len(paths)))
    shares = [sample // len(picked) + (number < sample % len(picked)) for number in range(len(picked))]
    return [mutant for path, share in zip(picked, shares, strict=True) for mutant in _killable(path, share, random)]


def _killable(path: Path, wanted: int, random: Random) -> Iterator[Mutant]:
    every = list(mutants_of(path))
    random.shuffle(every)
    return islice((mutant for mutant in every if mutant.change not in listed()), wanted)


def try_out(target: str, every: list[Mutant], jobs: int) -> Result:
    """Try mutants of a target, so many at a time."""
    survivors: list[Mutant] = []
    for done, (mutant, end) in enumerate(_tried(every, target, jobs), 1):
        assert end is not Verdict.NOT_TRIED, f"pytest found nothing to run for {target}"
        if end is Verdict.SURVIVED:
            survivors.append(mutant)
        if done % 20 == 0:
            print(f"{target}: {done} of {len(every)} tried, {len(survivors)} survive", flush=True)
    return Result(target, len(every), survivors)


def _tried(every: list[Mutant], target: str, jobs: int) -> Iterator[tuple[Mutant, Verdict]]:
    running: dict[int, Mutant] = {}
    for mutant in every:
        running[start(mutant, target)] = mutant
        if len(running) >= jobs:
            yield _one_done(running)
    while running:
        yield _one_done(running)


def _one_done(running: dict[int, Mutant]) -> tuple[Mutant, Verdict]:
    child, status = os.wait()
    return running.pop(child), verdict(status)


if __name__ == "__main__":
    sys.exit(main())
