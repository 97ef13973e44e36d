"""A review as a value: players with their luck and skill, decisions with verdicts, the course, and three moments."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import Any, NamedTuple

from scoville_client.replays.reel import Reel
from scoville_client.reviews.plan import Plan
from scoville_shared.coach.base import Policy
from scoville_shared.coach.sample import Estimate, Figures, weigh_move
from scoville_shared.coach.study import ERRORS, Judged, Verdict, give_verdict
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat

MOMENTS = 3
LEAST_CHANGE = 0.01
"""Chances below it that change hands make no moment: nothing has happened where somebody wins for certain."""
RARE = 0.05
"""Chances below it count as much as it does in a player's skill: parts of tiny chances are mostly noise."""

FELT = 0.5
"""A change of less than this part of what the costliest decision cost does not show it."""

MOST_EVENTS = 2
"""Facts that tell what happened at a moment."""


class MoveReview(NamedTuple):
    """A decision: the move and the best one, each with its figures, what it gave away, and why the best is better.

    `about` is what was decided on, None where the moves' names say it.
    `loss` is of the chance to win, `score_loss` of points (positive: the played move scores worse on average). `why` is
    the reason for the best move, `instead` what the played one does; `kind` is the kind of an error, None for none.
    `shares` is how often an equilibrium of this round plays each of the `figures`' moves, empty where none is known.
    """

    position: int
    seat: Seat
    about: Phrase | None
    move: Phrase
    best: Phrase
    played: Figures
    better: Figures
    verdict: Verdict
    loss: Estimate
    score_loss: Estimate
    why: Phrase
    instead: Phrase
    kind: Phrase | None
    policy: Policy
    exact: bool
    worlds: int
    figures: tuple[Figures, ...]
    shares: tuple[float, ...]


class CoursePoint(NamedTuple):
    """All players' chance to win and expected score at a position, all hands open."""

    position: int
    wins: tuple[float, ...]
    scores: tuple[float, ...]


class PlayerReview(NamedTuple):
    """A player's result, taken apart: even share + skill + luck = share of the win.

    `skill` is what the player's errors cost of the even share, with its standard error: each keeps part of the chance
    that the best move had, and the parts are multiplied, so no player loses more than they began with.
    `luck` is the rest: the cards, and what the others did. `each_loss` is what a decision gave away on average; samples
    that find less than nothing count as nothing.
    """

    seat: Seat
    name: str
    score: int
    place: int
    share: float
    skill: Estimate
    luck: float
    each_loss: float
    verdicts: Mapping[Verdict, int]


class Leak(NamedTuple):
    """Errors of one kind that a player made: how many, and how much of the chance to win they cost together."""

    kind: Phrase
    errors: int
    loss: float


class MarkedMoment(NamedTuple):
    """A place in the game that a review has marked for a player: its position, and what there is to say of it."""

    position: int
    text: str


class Moment(NamedTuple):
    """A position that decided: whose chance changed most there, from what to what, and what happened.

    `errors` are those of players whose chance did not rise; `forgiven` those of players who were lucky all the same.
    `part` is which part of the change the first error explains: what it gave away of the chance that was exchanged.
    `costliest` is the costliest decision of the game, where it is all that makes this a moment: the chances before it
    counted on such a move, or what happened after it was lucky.
    """

    position: int
    seat: Seat
    before: float
    after: float
    events: tuple[Phrase, ...]
    errors: tuple[MoveReview, ...]
    forgiven: tuple[MoveReview, ...]
    part: float
    costliest: MoveReview | None = None


class Review(NamedTuple):
    """A whole review; `fast` tells whether the samples had their full size."""

    reel: Reel
    players: tuple[PlayerReview, ...]
    moves: tuple[MoveReview, ...]
    course: tuple[CoursePoint, ...]
    moments: tuple[Moment, ...]
    fewer_is_better: bool
    unit: Phrase
    fast: bool
    course_policy: Policy

    @property
    def policies(self) -> list[Policy]:
        """The policies that figures assume, in the order in which they occur."""
        return list(dict.fromkeys(move.policy for move in self.moves))

    def list_leaks(self, seat: Seat) -> list[Leak]:
        """List the kinds of a player's errors, the costliest first."""
        return add_up_leaks(
            Leak(move.kind, 1, move.loss.mean) for move in self.moves if move.seat == seat and move.kind is not None
        )


def add_up_leaks(leaks: Iterable[Leak]) -> list[Leak]:
    """Add up the errors of each kind, the costliest kind first."""
    added: dict[str, Leak] = {}
    for leak in leaks:
        before = added.get(leak.kind.text, leak._replace(errors=0, loss=0.0))
        added[leak.kind.text] = Leak(leak.kind, before.errors + leak.errors, before.loss + max(leak.loss, 0.0))
    return sorted(added.values(), key=lambda leak: (-leak.loss, -leak.errors))


def assemble_review(reel: Reel, plan: Plan, results: Sequence[Any]) -> Review:
    """Put the results of a plan's work together."""
    moves = tuple(_move_review(reel, plan, n, results[n]) for n in range(len(plan.decisions)))
    charted = results[len(plan.decisions) :]
    course = tuple(
        CoursePoint(point.position, tuple(win for _, win in seats), tuple(score for score, _ in seats))
        for point, seats in zip(plan.course, charted, strict=True)
    )
    coach = plan.decisions[0].coach if plan.decisions else None
    return Review(
        reel,
        tuple(_player_review(reel, Seat(seat), moves) for seat in range(len(reel.header.seats))),
        moves,
        course,
        find_moments(reel, moves, course, coach.headlines if coach else ()),
        fewer_is_better=coach is not None and coach.fewer_is_better,
        unit=coach.unit if coach else Phrase("points"),
        fast=not any(_is_small(plan, n, results[n]) for n in range(len(moves))),
        course_policy=coach.policy if coach else Policy.DRAWN,
    )


def _move_review(reel: Reel, plan: Plan, number: int, judged: Judged) -> MoveReview:
    decision, game = plan.decisions[number], reel.game
    line = reel.moments[decision.position].line
    assert line is not None, "a decision has a move"
    sample = judged.study.sample
    figures, coach, question = sample.figures_of_moves(), decision.coach, decision.work.question
    best = figures[judged.best]
    fewer = coach.fewer_is_better

    # The best move is explained against the played one, since its player asks about that one.
    rival = None if judged.played == judged.best else judged.played
    score_loss = judged.score_loss if fewer else Estimate(-judged.score_loss.mean, judged.score_loss.error)
    verdict = give_verdict(judged, fewer=fewer)
    wrong = weigh_move(figures, judged.played, judged.best)
    return MoveReview(
        position=decision.position,
        seat=decision.seat,
        about=game.text.describe_decision(decision.view),
        move=game.text.describe_move_at(decision.view, game.codec.decode_move(line.move)),
        best=game.text.describe_move_at(decision.view, game.codec.decode_move(best.move)),
        played=figures[judged.played],
        better=best,
        verdict=verdict,
        loss=judged.win_loss,
        score_loss=score_loss,
        why=coach.explain_move(decision.view, question, weigh_move(figures, judged.best, rival)),
        instead=coach.explain_move(decision.view, question, weigh_move(figures, judged.played)),
        kind=coach.name_error(decision.view, question, wrong) if verdict in ERRORS else None,
        policy=judged.study.policy,
        exact=sample.exact,
        worlds=sample.worlds,
        figures=figures,
        shares=judged.study.shares,
    )


def _is_small(plan: Plan, number: int, judged: Judged) -> bool:
    """Whether a decision was studied by far fewer worlds than planned, as without compiled kernels."""
    sample, planned = judged.study.sample, plan.decisions[number].work.playouts // 2 // len(judged.study.sample.moves)
    return not sample.exact and 2 * sample.worlds < planned


def _player_review(reel: Reel, seat: Seat, moves: Sequence[MoveReview]) -> PlayerReview:
    ending = reel.ending
    assert ending is not None, "only finished games are reviewed"
    own = [move for move in moves if move.seat == seat]
    # Players who tie for the first place share one win.
    share = 1 / ending.places.count(1) if ending.places[seat] == 1 else 0.0
    even, part = 1 / len(ending.places), estimate_kept_part(own)
    skill = Estimate(even * (part.mean - 1.0), even * part.error)
    return PlayerReview(
        seat=seat,
        name=reel.header.seats[seat].name,
        score=ending.scores[seat],
        place=ending.places[seat],
        share=share,
        skill=skill,
        luck=share - even - skill.mean,
        each_loss=max(0.0, fmean(move.loss.mean for move in own)) if own else 0.0,
        verdicts={error: sum(move.verdict is error for move in own) for error in ERRORS},
    )


def estimate_kept_part(moves: Sequence[MoveReview]) -> Estimate:
    """Return which part of their chances some decisions kept, all together.

    Only errors cost: what the samples leave open of all others would add up to a loss, or even to a gain, that is none.
    """
    whole, spread = 1.0, 0.0
    for move in moves:
        if move.verdict not in ERRORS:
            continue
        # Of a chance near zero every part is noise, and zero cannot be divided by.
        chance = max(move.better.win.mean, RARE)
        part = max(0.0, 1.0 - move.loss.mean / chance)
        whole *= part
        # Of a product the squares of relative errors add up.
        spread += (move.loss.error / chance / max(part, RARE)) ** 2
    return Estimate(whole, whole * sqrt(spread))


def find_moments(
    reel: Reel, moves: Sequence[MoveReview], course: Sequence[CoursePoint], headlines: Sequence[type]
) -> tuple[Moment, ...]:
    """Return the steps of the course in which most chance changed hands, in the order of the game.

    The costliest decision is always among them: it may have been lucky, and is what one learns from.
    """
    changes = {step: _win_change(course[step - 1], course[step]) for step in range(1, len(course))}
    ranked = sorted(changes, key=lambda step: -changes[step])
    errors = [move for move in moves if move.verdict in ERRORS]
    costliest = max(errors, key=lambda move: move.loss.mean, default=None)
    costly = [step for step in ranked if costliest and _is_between(course[step - 1], costliest, course[step])]
    ranked = [step for step in ranked if changes[step] >= LEAST_CHANGE]
    found = []
    for step in sorted(list(dict.fromkeys([*costly, *ranked]))[:MOMENTS]):
        moment = _moment_of(reel, moves, course[step - 1], course[step], headlines)
        # In a game that was decided early such a step is among the greatest, and still no luck that made up for it.
        unfelt = costliest is not None and step in costly and changes[step] < FELT * costliest.loss.mean
        found.append(moment._replace(costliest=costliest) if unfelt or step not in ranked[:MOMENTS] else moment)
    return tuple(found)


def _is_between(before: CoursePoint, move: MoveReview, after: CoursePoint) -> bool:
    return before.position < move.position <= after.position


def _win_change(before: CoursePoint, after: CoursePoint) -> float:
    # One player's gain is the others' loss: every change is in the sum twice.
    return sum(abs(now - then) for then, now in zip(before.wins, after.wins, strict=True)) / 2


def _moment_of(
    reel: Reel, moves: Sequence[MoveReview], before: CoursePoint, after: CoursePoint, headlines: Sequence[type]
) -> Moment:
    seat = max(range(len(after.wins)), key=lambda each: abs(after.wins[each] - before.wins[each]))
    step = range(before.position + 1, after.position + 1)
    found = [move for move in moves if move.position in step and move.verdict in ERRORS]
    errors = sorted(found, key=lambda move: -move.loss.mean)
    rose = {each for each in range(len(after.wins)) if after.wins[each] > before.wins[each]}
    facts = [each.fact for each in reel.moments[after.position].facts if each.to is None]
    events = [fact for fact in facts if isinstance(fact, tuple(headlines))][:MOST_EVENTS]
    blamed, change = [move for move in errors if move.seat not in rose], _win_change(before, after)
    return Moment(
        after.position,
        Seat(seat),
        before.wins[seat],
        after.wins[seat],
        tuple(phrase for phrase in map(reel.game.text.describe_fact, events) if phrase is not None),
        tuple(blamed),
        tuple(move for move in errors if move.seat in rose),
        min(1.0, blamed[0].loss.mean / change) if blamed and change else 0.0,
    )
