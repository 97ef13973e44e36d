"""Compiles all tests and the kernels of bots and coaches, while the static checks leave a processor free.

Without it each worker of a fresh checkout rewrites the same thousand tests, and several compile the same kernels: a
tenth of all that the tests compute. `scripts/test` runs it beside the checks; nothing waits for what it says.
"""

import subprocess
import sys

from scoville_shared.bots.no_thanks.table import Round
from scoville_shared.bots.registry import list_levels
from scoville_shared.coach.registry import find_coach
from scoville_shared.coach.study import chart_course, study_moves
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.registry import list_slugs, load_game
from scoville_shared.solvers.dicht_dran.equilibrium import round_game, shares_of
from scoville_shared.solvers.no_thanks.last_cards import solve_last_cards
from scoville_thinking.machines import fastest_machine
from scoville_thinking.messages import WarmUp
from scoville_thinking.worker import warm_up
from tests.support.tree import ROOT


def main() -> None:
    """Collect the tests in a process of its own, and compile kernels here."""
    collecting = subprocess.Popen(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq"], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    for slug in list_slugs():
        for level in list_levels(slug):
            warm_up(WarmUp(slug, level))
        ask_coach(slug)
    solve_endings()
    collecting.wait()


def ask_coach(slug: str) -> None:
    """Have a coach look at the first decision of a game."""
    game, coach = load_game(slug), find_coach(slug)
    assert coach is not None
    state = game.setup(game.codec.decode_options({}), game.info.official[0], Dice(bytes(SEED_BYTES)))
    question = coach(game).make_question(game.view(state, min(game.pending(state))))
    if question is not None:
        study_moves(question, 2 * len(question.moves), 1, fastest_machine())
    chart_course(coach(game).make_course_question(state), 1, 1, fastest_machine())


def solve_endings() -> None:
    """Solve a round of two hands, another by samples, and last cards with too many states for plain Python."""
    machine, seats = fastest_machine(), 4
    for cards, size in ((range(41, 49), 2), (range(2, 82), 7)):
        shares_of(round_game([1, 85, 90, 100, 95, 99], 2, cards, [1] * 101, (size, size)), cards[:size], machine)
    last = Round(
        chips=[11] * seats, owned=[0] * seats, points=[0] * seats, unseen=[*range(20, 31)], left=2, card=12, pot=0,
        mover=0, totals=[0] * seats, whole=[], rounds=1, chips_each=11,
    )  # fmt: skip
    solve_last_cards(machine, last, lead_only=False)


if __name__ == "__main__":
    main()
