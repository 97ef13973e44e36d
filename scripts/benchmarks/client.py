"""Speed of the client at a terminal, next to a bare Textual app in the same run.

- first screen: from starting the process to the first drawn screen, and to the board of `scoville practice`;
- keys: from an arrow key on the board to what is drawn for it;
- bytes: what the terminal gets for the start, an arrow key and the help, at 80 × 24 in true colour;
- refresh: processor time of what one event of a table draws, in this process, without input.

The programs take turns, so that the machine's other load is the same for all; a ratio is the median of the ratios of
each turn. Exit status 1: a goal is not met.
"""

import sys
import time
from itertools import cycle
from statistics import median, quantiles

from _arguments import bench_parser
from _board_refresh import MOVES, refresh_times
from _screen_program import Program

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare")
Bare().run()
"""
SCOVILLE = "import sys; from scoville_client.cli.main import main; sys.exit(main())"
PRACTICE = ["-c", SCOVILLE, "practice", "--seed", "00"]

STARTS = {
    "bare Textual app": (["-c", BARE], b"bare", 1.0),
    "scoville": (["-c", SCOVILLE], b"quit", 1.3),
    "scoville practice, its board": (PRACTICE, b"draw pile", 2.0),
}
"""Arguments, the word that is waited for, and the goal as a ratio."""
ARROWS = (b"\x1b[C", b"\x1b[D")
KEY_MS, ARROW_BYTES, HELP_BYTES, START_BYTES, REFRESH_MS, MOVE_MS = 25.0, 1_500, 8_192, 25_600, 6.0, 40.0


class Report:
    """Prints figures with their goals, and remembers whether all are met."""

    def __init__(self) -> None:
        self.met = True

    def row(self, what: str, figure: float, goal: float, unit: str, more: str = "") -> None:
        """Print one figure; it meets its goal if it is not larger."""
        self.met &= figure <= goal
        verdict = "" if figure <= goal else "   NOT met"
        print(f"{what:<38} {figure:>9,.2f} {unit:<5} goal {goal:,.1f}{verdict}{more}")


def measure_starts(report: Report, runs: int) -> None:
    """Start all programs in turn; the first turn fills the caches of the system."""
    taken: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(runs + 1):
        for name, (arguments, word, _) in STARTS.items():
            with Program(arguments) as program:
                taken[name].append(program.wait_for(word))
    bare = taken["bare Textual app"][1:]
    for name, (_, _, goal) in STARTS.items():
        ratios = [one / other for one, other in zip(taken[name][1:], bare, strict=True)]
        report.row(name, median(ratios), goal, "×", f"   ({median(taken[name][1:]) * 1000:.0f} ms)")


def measure_board(report: Report, keys: int, pause: float) -> None:
    """Play at the board of a practice game: bytes of the start, of keys and of the help; and how soon keys are seen."""
    with Program(PRACTICE) as program:
        program.wait_for(b"draw pile")
        report.row("bytes of the start, until the board", len(program.settle(1.0)), START_BYTES, "B")
        seconds, sizes = [], []
        for _, arrow in zip(range(keys), cycle(ARROWS), strict=False):
            seconds.append(program.press(arrow))
            sizes.append(len(program.settle(0.08)))
            time.sleep(pause)
        report.row("an arrow key, p95 until it is seen", quantiles(seconds, n=20)[-1] * 1000, KEY_MS, "ms")
        report.row("an arrow key, most bytes", max(sizes), ARROW_BYTES, "B", f"   (median {median(sizes):,.0f})")
        program.settle()
        program.press(b"?")
        report.row("bytes of the help", len(program.settle()), HELP_BYTES, "B")


def main() -> int:
    """Measure everything and compare it with the goals."""
    parser = bench_parser("client", __doc__)
    parser.add_argument("--runs", type=int, default=9, metavar="N", help="starts of each program")
    parser.add_argument("--keys", type=int, default=100, metavar="N", help="arrow keys")
    asked = parser.parse_args()
    report = Report()
    measure_starts(report, asked.runs)
    measure_board(report, asked.keys, pause=0.03)
    times = refresh_times()
    report.row("CPU of a refresh after an event, median", median(times) * 1000, REFRESH_MS, "ms")
    # Changes that share a refresh make each one dearer and all of them cheaper: the sum is what a battery feels.
    report.row(
        "CPU of all refreshes, an own move", sum(times) / MOVES * 1000, MOVE_MS, "ms", f"   ({len(times)} refreshes)"
    )
    return 0 if report.met else 1


if __name__ == "__main__":
    sys.exit(main())
