"""The work of a review: every decision that had an alternative, and all players' chances after every move."""

from typing import Any, NamedTuple

from scoville_client.i18n.language import tr
from scoville_client.replays.reel import Reel
from scoville_client.reviews.coaches import make_coach
from scoville_shared.coach.base import Coach
from scoville_shared.coach.study import Charting, Judging
from scoville_shared.engine.contract import select_facts
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat


class Decision(NamedTuple):
    """A decision: the `position` after its move, who made it, on which View, and its judgement as work."""

    position: int
    seat: Seat
    view: Any
    coach: Coach
    work: Judging


class ChartPoint(NamedTuple):
    """The chances at a position as work."""

    position: int
    work: Charting


class Plan(NamedTuple):
    """All work of a review: the decisions to judge, and the positions of its chart."""

    decisions: list[Decision]
    course: list[ChartPoint]

    @property
    def work(self) -> list[Judging | Charting]:
        """The work in the order of the plan: decisions, then the course."""
        return [*(decision.work for decision in self.decisions), *(point.work for point in self.course)]


def plan_review(reel: Reel, percent: int = 100) -> Plan:
    """Plan the review of a game, with a percentage of the usual playouts. Raises ScovilleError."""
    coaches = [make_coach(reel.game, reel.levels) for _ in reel.header.seats]
    if reel.ending is None:
        raise ScovilleError("unfinished", tr("Only finished games can be reviewed; this one has no result."))
    playouts, course_playouts = (budget * percent // 100 for budget in coaches[0].playout_budgets(reel.moves))
    decisions: list[Decision] = []
    for position in range(1, reel.moves + 1):
        # Before its facts are observed: a decision is judged by its player's knowledge, and not by its result.
        _plan_move(reel, position, coaches, decisions, playouts)
        for seat, coach in enumerate(coaches):
            for fact in select_facts(reel.moments[position].facts, Seat(seat)):
                coach.observe_fact(fact)
    return Plan(decisions, _course_of_game(reel, coaches[0], course_playouts))


def _plan_move(reel: Reel, position: int, coaches: list[Coach], decisions: list[Decision], playouts: int) -> None:
    line = reel.moments[position].line
    assert line is not None, "only the deal comes about without a move"
    seat, coach, game = Seat(line.seat), coaches[line.seat], reel.game
    # A choice that was taken back has decided nothing.
    if coach.undoes_choice(line.move):
        last = max(n for n, decision in enumerate(decisions) if decision.seat == seat)
        del decisions[last]
        return
    view = game.view(reel.moments[position - 1].state, seat)
    question = coach.make_question(view)
    if question is None:
        return
    question, played = coach.locate_move(view, question, game.codec.encode_plain(game.codec.decode_move(line.move)))
    # Seeded by the position, and the course from a million on: a review says the same each time, and no two samples of
    # it share their worlds.
    work = Judging(question, played, playouts, position)
    decisions.append(Decision(position, seat, view, coach, work))


def _course_of_game(reel: Reel, coach: Coach, playouts: int) -> list[ChartPoint]:
    """Return the points of the course: the deal, and after every move that all players see."""
    points = []
    for position in range(reel.moves + 1):
        if position:
            before, after = reel.pending_at(position - 1), reel.pending_at(position)
            if after and set(after) < set(before):
                continue  # a choice that the others do not see yet
        question = coach.make_course_question(reel.moment_at(position).state)
        points.append(ChartPoint(position, Charting(question, playouts, 1_000_000 + position)))
    return points
