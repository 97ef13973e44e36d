"""The coach of No Thanks! where rounds of two are too large to be solved in time: estimates against exact solutions."""

from collections.abc import Sequence
from random import Random

import pytest

from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import Policy
from scoville_shared.coach.no_thanks import estimated
from scoville_shared.coach.no_thanks.estimated import estimate
from scoville_shared.coach.no_thanks.exact import Row, solve_two
from scoville_shared.coach.no_thanks.question import CardQuestion
from scoville_shared.coach.no_thanks.table import Round
from scoville_shared.coach.sample import SURE, Aim, Sample
from scoville_shared.coach.study import judge, study
from scoville_shared.coach.tally import LEAD, SCORE, WIN
from tests.support.machines import MACHINES

MOVES = [{"action": "take"}, {"action": "pass"}]
COLUMNS = (SCORE, WIN, LEAD)


def draw(luck: Random, unseen: int, left: int, chips: int, owned: int) -> Round:
    """Draw a round of two in the middle of a whole deck."""
    cards = luck.sample(range(3, 36), unseen + 1 + owned)
    hands = [0, 0]
    for card in cards[unseen + 1 :]:
        hands[luck.randrange(2)] |= 1 << card
    points = [sum(card for card in range(3, 36) if hand >> card & 1 and not hand >> (card - 1) & 1) for hand in hands]
    return Round(
        chips=[luck.randint(1, chips), luck.randint(0, chips)],
        owned=hands,
        points=points,
        unseen=sorted(cards[:unseen]),
        left=left,
        card=cards[unseen],
        pot=luck.randrange(4),
        mover=luck.randrange(2),
        totals=[0, 0],
        whole=list(range(3, 36)),
        rounds=0,
        chips_each=11,
    )


def lost(sample: Sample, aim: Aim, rows: Sequence[Row]) -> float:
    """Return what the advised move gives away, from the exact figures of all moves."""
    right = [row[LEAD] if aim is Aim.LEAD else row[WIN] + row[LEAD] / 1000 for row in rows]
    return max(right) - right[sample.best]


@pytest.mark.parametrize("aim", Aim)
def test_estimates_lose_next_to_nothing_and_know_how_far_they_are_off(aim: Aim) -> None:
    luck, machine = Random(11), MACHINES["compiled"]()
    losses: list[float] = []
    errors: list[float] = []
    held: list[bool] = []
    for number in range(18):
        table = draw(luck, 12 + number % 3, 4 + number % 3, 8, 12)
        found = solve_two(machine, table, lead_only=aim is Aim.LEAD)
        rows = [found[move["action"]] for move in MOVES]
        sample = estimate(machine, table, MOVES, aim)
        losses.append(lost(sample, aim, rows))
        errors.append(abs(sample.mean(sample.best, LEAD) - rows[sample.best][LEAD]))
        for place, row in enumerate(rows):
            for column in COLUMNS:
                figure = sample.estimate(place, column)
                held.append(abs(figure.mean - row[column]) <= SURE * figure.error)
    assert sum(losses) / len(losses) <= (0.02 if aim is Aim.LEAD else 0.002)
    assert sum(errors) / len(errors) <= (0.1 if aim is Aim.LEAD else 0.4)
    assert sum(held) / len(held) >= 0.95


def test_plain_python_and_machine_code_fit_the_same_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimated, "POSITIONS", 60)
    monkeypatch.setattr(estimated, "MOST_SEARCHED", 30)
    table = draw(Random(3), 6, 4, 3, 8)
    for aim in Aim:
        slow, fast = (estimate(machine, table, MOVES, aim) for machine in (INTERPRETED, MACHINES["compiled"]()))
        assert slow.worlds == fast.worlds
        assert slow.sums == pytest.approx(fast.sums)
        for place in range(len(MOVES)):
            assert slow.estimate(place, LEAD) == pytest.approx(fast.estimate(place, LEAD))


def question(table: Round) -> CardQuestion:
    return CardQuestion(moves=MOVES, round=table, policy=Policy.MIXED, aim=Aim.WIN)


def test_a_whole_deck_is_estimated_and_says_so() -> None:
    asked, machine = question(draw(Random(5), 32, 23, 11, 0)), MACHINES["compiled"]()
    found = study(asked, 100, 1, machine)
    assert found.policy is Policy.ESTIMATED
    assert not found.sample.exact
    figures = found.sample.figures()
    assert all(0 <= each.win.mean <= 1 and each.win.error > 0 and each.score.error > 0 for each in figures)
    worse = 1 - found.sample.best
    judged = judge(asked, worse, 100, 1, machine)
    assert judged.loss == pytest.approx(figures[worse].behind)
    assert judged.loss.mean > 0


def test_plain_python_samples_games_instead() -> None:
    found = study(question(draw(Random(5), 32, 23, 11, 0)), 100, 1, INTERPRETED)
    assert found.policy is Policy.MIXED
