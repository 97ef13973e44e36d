"""Runs the points of the acceptance list for hosts one by one, with real processes, and reports which hold."""

import argparse
import asyncio
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scoville_runtime.clock import SYSTEM
from tests.e2e.host_drill import keeping, running
from tests.e2e.host_drill.drill import PATIENCE_SECONDS, CannotRunError, Drill, NotHeldError, Point
from tests.support.tree import ROOT
from tests.support.warm_start import SERVER

POINTS = (*running.POINTS, *keeping.POINTS)


class Shown(NamedTuple):
    """How a point went: `held` is None where this machine cannot show it."""

    point: Point
    held: bool | None
    done: str
    seconds: float

    def __str__(self) -> str:
        said = {True: "held", False: "NOT HELD", None: "not run"}[self.held]
        return f"{self.point.number:>2} {said:<8} {self.point.title}: {self.done} ({self.seconds:.1f} s)"


def describe_causes(error: BaseException) -> Iterator[str]:
    """Describe what has gone wrong, and where; of a group of errors, which says only how many there are, each one."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from describe_causes(each)
        return
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(ROOT)]
    place = f" ({Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].lineno})" if frames else ""
    yield f"{type(error).__name__}: {error}{place}"


async def show_point(
    point: Point, folder: Path, *, whole: bool, code: str = SERVER, patience: float = PATIENCE_SECONDS
) -> Shown:
    """Show one point in an empty folder; whatever goes wrong, it does not hold."""
    drill, begun = Drill(folder, whole=whole, code=code, patience=patience), SYSTEM.seconds()
    done: list[str] = []
    held: bool | None = True
    try:
        if point.show is not None:
            done.append(await point.show(drill))
        if whole and point.tests:
            done.append(f"{await drill.run_tests(point.tests)} ({', '.join(point.tests)})")
        if not done:
            held, done = None, ["only its tests show it, and a short drill runs none"]
    except CannotRunError as error:
        held, done = None, [str(error)]
    except NotHeldError as error:
        held, done = False, [str(error)]
    except asyncio.CancelledError:  # an answer that never comes: the server has closed its connection
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise
        held, done = False, ["a connection was closed before its answer"]
    except Exception as error:  # noqa: BLE001 - a drill that fails shows nothing, and the other points are shown
        held, done = False, [*describe_causes(error)]
    finally:
        await drill.end_servers()
    return Shown(point, held, "; ".join(done), SYSTEM.seconds() - begun)


async def run_points(points: Sequence[Point], *, whole: bool) -> list[Shown]:
    """Show points one after the other, each in a folder of its own."""
    shown = list[Shown]()
    for at, point in enumerate(points, 1):
        print(f"{at} of {len(points)}: {point.title} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="scoville-drill-") as folder:
            shown.append(await show_point(point, Path(folder), whole=whole))
        print(shown[-1], flush=True)
    return shown


def main() -> None:
    """Run and report; the status is 1 unless all points hold that this machine can show."""
    parser = argparse.ArgumentParser(prog="scripts/host_drill", description=__doc__)
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="only these points")
    parser.add_argument("--short", action="store_true", help="do everything a few times only, and run no tests")
    chosen = parser.parse_args()
    points = [point for point in POINTS if chosen.only is None or point.number in chosen.only]
    shown = asyncio.run(run_points(points, whole=not chosen.short))
    failed = [each.point.number for each in shown if each.held is False]
    left_out = [each.point.number for each in shown if each.held is None]
    print(f"{sum(each.held is True for each in shown)} of {len(shown)} points hold", end="")
    print(f"; not held: {failed}" if failed else "", f"; not run: {left_out}" if left_out else "", sep="")
    sys.exit(int(bool(failed or not shown)))


if __name__ == "__main__":
    main()
