"""Speed of the playout kernels on one core: whole rounds, cycles or games a second, next to OpenSpiel's hearts.

A kernel plays out the first decision of a game of four: all its moves, with the policies of the searching bots. That
is a whole round of No Thanks!, a whole cycle of Dicht dran, and sixteen turns of Chilli Chase. OpenSpiel's hearts is
played at random, driven from Python move by move. Processor time counts. Without numba there is only plain Python.
"""

import random
import sys
import time
from collections.abc import Callable
from typing import Any

from _arguments import add_rounds, bench_parser
from engine import INSTALL, is_installed, open_spiel

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.registry import find_bot, list_levels
from scoville_shared.bots.search import SearchBot, make_sums
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.registry import list_slugs, load_game
from scoville_thinking.machines import fastest_machine, has_numba

PLAYERS = 4
GOALS = {"no_thanks": 80.0, "dicht_dran": 30.0}
"""At least so many times the games a second of hearts."""

HEARTS = "OpenSpiel hearts (C++), driven from Python"

Runner = Callable[[int], int]
"""Plays at least so many games; returns how many it has played."""


def make_kernel(slug: str, by: Machine) -> Runner:
    """Play out the first decision of a game, all its moves equally often."""
    game = load_game(slug)
    state = game.setup(game.codec.decode_options({}), PLAYERS, Dice(bytes(SEED_BYTES)))
    seat = min(game.pending(state))
    bot = find_bot(slug, "strong")(game)
    assert isinstance(bot, SearchBot), "strong bots search"
    question = bot.make_question(game.view(state, seat))
    moves = len(question.moves)
    rng, sums = by.numbers([1]), make_sums(question, by)

    def run(games: int) -> int:
        worlds = -(-games // moves)
        question.compare_moves(by, worlds, rng, sums)
        return worlds * moves

    return run


def make_hearts() -> Runner:
    """Play whole games of hearts."""
    play = open_spiel("hearts")
    luck = random.Random(1)

    def run(games: int) -> int:
        for _ in range(games):
            play(luck.randrange(2**32))
        return games

    return run


def measure_rate(run: Runner, batch: int, seconds: float) -> float:
    """Return how many games a second of processor time are played."""
    played, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        played += run(batch)
    return played / (time.process_time() - began)


def measure_all(seconds: float, rounds: int) -> dict[str, float]:
    """Measure everything in turns; the best round of each counts."""
    runners: dict[str, tuple[Runner, int]] = {}
    for slug in list_slugs():
        if "strong" in list_levels(slug):
            runners[f"{slug}, plain Python"] = (make_kernel(slug, INTERPRETED), 20)
            if has_numba():
                runners[slug] = (make_kernel(slug, fastest_machine()), 2_000)
    if is_installed("pyspiel", "OpenSpiel", INSTALL):
        runners[HEARTS] = (make_hearts(), 20)
    for run, _ in runners.values():
        run(1)  # compiles
    best: dict[str, float] = dict.fromkeys(runners, 0.0)
    for _ in range(rounds):
        for name, (run, batch) in runners.items():
            best[name] = max(best[name], measure_rate(run, batch, seconds))
    return best


def report_rates(rates: dict[str, float]) -> bool:
    """Print the table with each ratio to hearts; return whether the goals that could be measured are met."""
    theirs = rates.get(HEARTS)
    print("| kernel | games/s | ours : hearts |")
    print("|---|---:|---:|")
    for name, games in rates.items():
        print(f"| {name} | {games:,.0f} | {f'{games / theirs:.1f}' if theirs else ''} |")
    reached: dict[str, Any] = {slug: rates[slug] / theirs for slug in GOALS if theirs and slug in rates}
    for slug, ratio in reached.items():
        print(f"\nGoal: {slug} at least {GOALS[slug]:g} times hearts: {'met' if ratio >= GOALS[slug] else 'not met'}.")
    return all(ratio >= GOALS[slug] for slug, ratio in reached.items())


def main() -> int:
    """Run the comparison."""
    parser = bench_parser("kernels", __doc__)
    add_rounds(parser, seconds=0.4, rounds=5)
    chosen = parser.parse_args()
    return 0 if report_rates(measure_all(chosen.seconds, chosen.rounds)) else 1


if __name__ == "__main__":
    sys.exit(main())
