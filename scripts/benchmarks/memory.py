"""Memory of a server: every resource that it keeps or queues, filled up to its default bound.

Each resource is filled in a process of its own, to a share of its bound that keeps the run short, and the growth of the
resident memory is scaled up. What the system's kernel holds for sockets and files is not counted.
"""

import asyncio
import json
import subprocess
import sys
from typing import NamedTuple

from _arguments import bench_parser
from _resources import KEPT, Fill, list_resources, measure_resident

MIB = 1024 * 1024
GOAL_MIB = 512
SHARE = 0.1


class Row(NamedTuple):
    """One resource: its bound, and the bytes that each takes."""

    name: str
    bound: int
    each: float

    @property
    def mib(self) -> float:
        """What all of them take."""
        return self.bound * self.each / MIB


def fill_resource(name: str, share: float) -> None:
    """Fill one resource in this process, and print the bytes that each takes."""
    found = list_resources()
    work, bound = found[name]
    assert work is not None
    number = max(1, int(bound * share))

    async def main() -> None:
        if name == "server":
            await work(1)
            print(json.dumps(measure_resident()), flush=True)
            return
        await work(number // 20 + 1)  # what is there once is not counted
        before = measure_resident()
        await work(number)
        inner = [kept for kept in KEPT if isinstance(kept, int)]
        print(json.dumps((inner[-1] if inner else measure_resident() - before) / number), flush=True)

    asyncio.run(main())


def measure_resource(name: str, work: Fill | None, bound: int, share: float) -> Row:
    """Measure a resource in a process of its own."""
    if work is None:
        return Row(name, bound, 1.0)
    share = 1.0 if name == "server" else share
    ran = subprocess.run([sys.executable, __file__, "--only", name, "--share", str(share)], stdout=-1, check=True)
    return Row(name, bound, json.loads(ran.stdout))


def main() -> None:
    """Print the table. Exit status 1: all bounds together are more than the goal."""
    parser = bench_parser("memory", __doc__)
    parser.add_argument("--share", type=float, default=SHARE, metavar="N", help="part of each bound that is filled")
    parser.add_argument("--only", metavar="NAME", help="fill this resource only, in this process")
    args = parser.parse_args()
    if args.only:
        fill_resource(args.only, args.share)
        return
    rows = [measure_resource(name, work, bound, args.share) for name, (work, bound) in list_resources().items()]
    for row in rows:
        print(f"| {row.name} | {row.bound:,} | {row.each:,.0f} | {row.mib:.0f} |")
    total = sum(row.mib for row in rows)
    print(f"total: {total:.0f} MiB, goal {GOAL_MIB} MiB")
    sys.exit(total > GOAL_MIB)


if __name__ == "__main__":
    main()
