"""The careful policy of playouts against the sensible bot, and its machine code against plain Python."""

import pytest

from scoville_shared.bots.chilli_chase import careful
from scoville_shared.bots.chilli_chase.heuristics import new_score
from scoville_shared.bots.chilli_chase.table import list_seen
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import Policy
from scoville_shared.coach.chilli_chase.coach import TurnCoach
from scoville_shared.coach.study import study_moves
from scoville_shared.games.chilli_chase.arithmetic import list_reaches
from scoville_shared.games.chilli_chase.state import NewScore, Options
from tests.shared.bots.bot_games import Decision, play_decisions
from tests.support.machines import MACHINES

CAP = Options().cap


@pytest.mark.parametrize("card", range(1, 7))
def test_it_knows_which_cards_hit_a_score(card: int) -> None:
    for total in (*range(-40, 41), 64, 125, 1_000):
        within = {way.total for way in list_reaches(card, total, Options())}
        for score in (*range(-30, 0), *range(1, 31)):
            assert careful.can_hit(card, total, score, CAP) == (score in within), (card, total, score)


def offers() -> list[Decision]:
    every = (
        each for number in range(9) for each in play_decisions("chilli_chase", ["random"] * 3, number, turn_limit=60)
    )
    return [each for each in every if each.state.board.choosing and not each.state.board.over]


def test_it_takes_the_chilli_score_that_the_sensible_bot_takes() -> None:
    found = offers()
    assert len(found) > 2
    for each in found:
        view = each.game.view(each.state, each.seat)
        move = new_score(view)
        wanted = move.score if isinstance(move, NewScore) else view.board.scores[each.seat]
        question = TurnCoach(each.game).make_question(view)
        if question is None:
            continue
        assert careful.most_reached(list_seen(INTERPRETED, question.table)) == wanted


def test_machine_code_plays_the_same_games() -> None:
    decision = next(play_decisions("chilli_chase", ["sensible"] * 3, 5, turn_limit=50))
    question = TurnCoach(decision.game).make_question(decision.game.view(decision.state, decision.seat))
    assert question is not None
    assert question.policy is Policy.DRAWN
    few = question.with_moves([0, 1])
    plain, compiled = MACHINES["interpreted"](), MACHINES["compiled"]()
    assert study_moves(few, 80 * plain.divisor, 3, plain).sample.sums[:10] == pytest.approx(
        study_moves(few, 2, 3, compiled).sample.sums[:10]
    )
