"""Answers of bots of all levels and of the coach to seeded questions stay what they were, however they are computed."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from scoville_shared.bots.registry import find_bot, list_levels
from scoville_shared.bots.search import SearchBot, answer_question
from scoville_shared.coach.registry import find_coach
from scoville_shared.coach.study import chart_course, study_moves
from scoville_shared.engine.dice import Dice
from tests.shared.bots.bot_games import Decision, play_decisions
from tests.support.machines import make_quick_machine

SEATS = ["sensible", "easy", "random"]
SHORT: dict[str, dict[str, Any]] = {
    "no_thanks": {"rounds": 2},
    "dicht_dran": {"cycles": 1},
    "chilli_chase": {"turn_limit": 50},
}
POSITIONS, PLAYOUTS = 8, 400
RECORDED = {
    "no_thanks": "1654144c7c8cd40b",
    "dicht_dran": "03f33dbf53329216",
    "chilli_chase": "1a874b0267c9ff15",
}
"""Digests of all answers. A policy, a sample or an order of random numbers that is meant to change changes them."""


@pytest.mark.parametrize("slug", RECORDED)
def test_seeded_answers_stay_as_recorded(slug: str) -> None:
    *made, _ = play_decisions(slug, SEATS, 3, **SHORT[slug])
    chosen = made[:: max(1, len(made) // POSITIONS)][:POSITIONS]
    said = "\n".join(part for decision in chosen for part in answers(decision))
    assert sha256(said.encode()).hexdigest()[:16] == RECORDED[slug], said


def answers(decision: Decision) -> Iterator[str]:
    """Let bots and coach answer; figures in six digits, since sums differ by machine in the last."""
    game, number, machine = decision.game, decision.number, make_quick_machine()
    view = game.view(decision.state, decision.seat)
    for level in list_levels(game.info.slug):
        bot = find_bot(game.info.slug, level)(game)
        for fact in decision.facts:
            bot.observe_fact(fact)
        if isinstance(bot, SearchBot):
            thought = answer_question(bot.make_question(view), PLAYOUTS, number, machine)
            yield f"{level} {thought.move} {rounded(value for row in thought.findings for value in row[1:])}"
        else:
            yield f"{level} {bot.choose_move(view, Dice(bytes(32)).open_stream('answer'))}"
    kind = find_coach(game.info.slug)
    assert kind is not None
    coach = kind(game)
    for fact in decision.facts:
        coach.observe_fact(fact)
    question = coach.make_question(view)
    if question is not None:
        found = study_moves(question, PLAYOUTS, number, machine)
        yield f"coach {found.policy} {rounded(found.sample.sums)} {rounded(found.shares)}"
    course = chart_course(coach.make_course_question(decision.state), PLAYOUTS, number, machine)
    yield f"course {rounded(each for row in course for each in row)}"


def rounded(values: Any) -> str:
    return " ".join(f"{value:.6g}" for value in values)
