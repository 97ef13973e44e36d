"""First paint: from starting the process to the first drawn screen, next to a bare Textual App in the same run.

Every program runs on a pseudo-terminal of 80 x 24, all in turn, several times; the median counts. What is waited
for is a word that only the drawn screen holds. `--runs N` changes how often. Exit status 1: the goal is not met.
"""

import os
import pty
import signal
import struct
import sys
import time
from fcntl import ioctl
from statistics import median
from termios import TIOCSWINSZ

from _arguments import bench_parser

GOAL = 1.6
TIMEOUT = 30.0

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare")
Bare().run()
"""
SCOVILLE = "import sys; from scoville_client.cli.main import main; sys.exit(main())"

PROGRAMS = {
    "bare Textual App": (["-c", BARE], b"bare"),
    "scoville": (["-c", SCOVILLE], b"quit"),
    "scoville practice": (["-c", SCOVILLE, "practice"], b"quit"),
    "... and its board": (["-c", SCOVILLE, "practice"], b"draw pile"),
}


def seconds_until(arguments: list[str], word: bytes) -> float:
    """Start Python with `arguments` on a new pseudo-terminal; time until `word` is written to it."""
    began = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", PYTHONUTF8="1")
        os.execv(sys.executable, [sys.executable, *arguments])
    ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    try:
        wait_for(terminal, word, began + TIMEOUT)
        return time.perf_counter() - began
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def wait_for(terminal: int, word: bytes, deadline: float) -> None:
    """Read until `word` has come. Raises SystemExit when the program ends or stays silent."""
    seen = b""
    while word not in seen:
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            raise SystemExit(f"The program ended before it drew {word.decode()!r}:\n{seen.decode()}") from None
        if time.perf_counter() > deadline:
            raise SystemExit(f"Nothing drew {word.decode()!r} within {TIMEOUT:.0f} s.")


def main() -> int:
    """Run all programs in turn, print the medians and their ratios."""
    parser = bench_parser("paint", __doc__)
    parser.add_argument("--runs", type=int, default=7, metavar="N", help="starts of each program")
    runs = parser.parse_args().runs
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(runs + 1):
        for name, (arguments, word) in PROGRAMS.items():
            times[name].append(seconds_until(arguments, word))
    medians = {name: median(taken[1:]) for name, taken in times.items()}
    bare = next(iter(medians.values()))
    for name, taken in medians.items():
        print(f"{name:<20} {taken * 1000:6.0f} ms   x {taken / bare:.2f}")
    met = all(medians[name] <= GOAL * bare for name in ("scoville", "scoville practice"))
    print(f"goal: first paint within x {GOAL}: {'met' if met else 'NOT met'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
