"""Fair shares of the thinking processes: a player with one table, alone and next to a guest who floods the pool.

The guest asks for every bot of all the tables that one user may open, and again as soon as it is answered; the player's
bot asks for a move after each pause. Questions are first moves of No Thanks! for `master`. Prints how long the player's
bot waits, and for both how many moves had to be made by a rule of thumb. With `--first-come` everybody is one asker, as
in a queue without shares.
"""

import sys
import threading
import time

from _arguments import bench_parser

from scoville_server.limits.throttle import WIDER
from scoville_server.settings.model import Settings
from scoville_shared.bots.registry import find_bot
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.registry import load_game
from scoville_thinking.messages import Task
from scoville_thinking.pool import Pool, PoolLimits

BOTS = 3
GAME, LEVEL = "no_thanks", "master"
PAUSE = 0.5
"""Seconds between two moves of the player's bot."""

GOAL_SECONDS = 1.0
"""So long a person waits for a bot at most, whatever others do."""


def first_question(seconds: float) -> Task:
    """Return the first decision of a game of four."""
    game = load_game(GAME)
    state = game.setup(game.codec.decode_options({}), 4, Dice(bytes(SEED_BYTES)))
    bot = find_bot(GAME, LEVEL)(game)
    assert isinstance(bot, SearchBot), "masters search"
    return Task(bot.make_question(game.view(state, min(game.pending(state)))), bot.playouts, 1, seconds)


class Flood:
    """A guest whose tables ask without end."""

    def __init__(self, pool: Pool, task: Task, tables: int, *, fair: bool) -> None:
        self.answers, self.quick, self.over = 0, 0, False
        self._pool, self._task, self._fair = pool, task, fair
        self.threads = [threading.Thread(target=self._play, args=(n,)) for n in range(tables * BOTS)]

    def _play(self, number: int) -> None:
        asker = ("guests", "guests", "guest", f"table {number // BOTS}") if self._fair else ("", "", "", "")
        while not self.over:
            thought = self._pool.ask_question(self._task, asker).result()
            self.answers += 1
            self.quick += thought is None
            if thought is None:
                time.sleep(self._task.seconds)  # a move by the rule of thumb also takes its table a while


def measure_waits(pool: Pool, task: Task, moves: int, *, fair: bool) -> tuple[list[float], int]:
    """Let the player's bot move; return how long it waited for each answer, and how often there was none."""
    asker = ("player", "player", "anna", "her table") if fair else ("", "", "", "")
    taken, quick = [], 0
    for _ in range(moves):
        time.sleep(PAUSE)
        began = time.perf_counter()
        quick += pool.ask_question(task, asker).result() is None
        taken.append(time.perf_counter() - began)
    return sorted(taken), quick


def report_waits(name: str, taken: list[float], quick: int) -> None:
    """Print a line about the player's bot."""
    late = taken[int(0.95 * len(taken))]
    print(f"{name}: the median wait is {1000 * taken[len(taken) // 2]:.0f} ms, ", end="")
    print(f"95 % at most {1000 * late:.0f} ms; {quick} of {len(taken)} moves without an answer")


def main() -> int:
    """Measure alone, then next to the flood."""
    parser = bench_parser("thinking", __doc__)
    parser.add_argument("--moves", type=int, default=40, metavar="N", help="moves of the player's bot")
    parser.add_argument("--first-come", action="store_true", help="one queue for all, without shares and quotas")
    asked = parser.parse_args()
    limits, tables, fair = Settings().thinking, Settings().tables_hosted, not asked.first_come
    address = limits.waiting_per_address
    quotas = (WIDER * address, address, limits.waiting_per_user, limits.waiting_per_table)
    pool = Pool(PoolLimits(limits.workers, limits.process_idle_seconds, limits.waiting, quotas if fair else ()))
    task = first_question(limits.move_seconds)
    pool.ask_question(task, ("", "", "", "")).result()  # compiles
    report_waits("alone", *measure_waits(pool, task, asked.moves, fair=fair))
    flood = Flood(pool, task, tables, fair=fair)
    for thread in flood.threads:
        thread.start()
    taken, quick = measure_waits(pool, task, asked.moves, fair=fair)
    flood.over = True
    for thread in flood.threads:
        thread.join()
    pool.close()
    report_waits(f"next to {tables} tables of a guest", taken, quick)
    print(f"the guest: {flood.answers} moves, {100 * flood.quick // max(1, flood.answers)} % by a rule of thumb")
    return int(fair and taken[int(0.95 * len(taken))] > GOAL_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
