"""Compiles all tests and the kernels of bots and coaches, while the static checks leave a processor free.

Without it each worker of a fresh checkout rewrites the same thousand tests, and several compile the same kernels: a
tenth of all that the tests compute. `scripts/test` runs it beside the checks; nothing waits for what it says.
"""

import subprocess
import sys

from scoville_shared.bots.registry import list_levels
from scoville_shared.coach.registry import find_coach
from scoville_shared.coach.study import chart_course, study_moves
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.games.registry import list_slugs, load_game
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


if __name__ == "__main__":
    main()
