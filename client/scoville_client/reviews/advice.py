"""Advice during a game: what every legal move is worth, from what this client's own seat knows."""

import asyncio
import atexit
import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from scoville_client.i18n.language import render, tr
from scoville_client.session.table.table import AtTable
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import Coach
from scoville_shared.coach.registry import find_coach
from scoville_shared.coach.sample import Figures, weigh_move
from scoville_shared.coach.study import Study
from scoville_shared.coach.work import Studying
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import Played
from scoville_thinking.messages import Work
from scoville_thinking.pool import Pool, PoolLimits

WORKERS, WAITING, WAITING_EACH = 2, 5_000, 2_000
"""The processes of all clients of this process, and how much work may wait, in total and for one asker."""


class Advice(NamedTuple):
    """The figures of every move, the best first, with a reason for each; `seq` is the event that it belongs to.

    `balance` is a sentence on the equilibrium of this round, empty where none is known.
    """

    seq: int
    study: Study
    rows: tuple[tuple[Figures, str, str], ...]
    balance: str


@cache
def shared_pool() -> Pool:
    """Return the pool of this process; askers take turns. Its processes start when they are first needed."""
    workers = max(1, min(os.cpu_count() or 1, WORKERS))
    pool = Pool(PoolLimits(workers=workers, waiting=WAITING, quotas=(WAITING_EACH,)))
    atexit.register(pool.close)
    return pool


async def think_about(work: Work, asker: str) -> object:
    """Do work in a process of the pool, or in a thread where there is none; the event loop continues."""
    result = await asyncio.wrap_future(shared_pool().run_work(work, (asker,)))
    return result if result is not None else await asyncio.to_thread(work.run, INTERPRETED)


def rank_moves(study: Study) -> list[int]:
    """Return the places of the moves of a study, the best move first."""
    return sorted(range(len(study.sample.moves)), key=lambda place: -study.sample.worth_of_move(place))


class MoveExplainer(NamedTuple):
    """What the moves of a decision are called, and why they are worth what they are."""

    game: AnyGame
    names: Sequence[str]
    coach: Coach
    view: Any
    question: Any

    def explain_moves(self, study: Study, places: Iterable[int]) -> tuple[tuple[Figures, str, str], ...]:
        """Return the figures, the name and the reason of some moves of a study."""
        figures = study.sample.figures_of_moves()
        return tuple((figures[place], *self._texts(figures, place)) for place in places)

    def _texts(self, figures: Sequence[Figures], place: int) -> tuple[str, str]:
        move = self.game.text.describe_move(self.game.codec.decode_move(figures[place].move))
        reason = self.coach.explain_move(self.view, self.question, weigh_move(figures, place))
        return render(move, self.names), render(reason, self.names)


async def advise_player(at: AtTable, seed: int, asker: str) -> Advice:
    """Study the decision that the user's seat owes. Raises ScovilleError if there is none."""
    coach, view, seq = _informed_coach(at), at.view, at.seq
    question = coach.make_question(view) if at.my_turn and at.seat is not None else None
    if question is None:
        raise ScovilleError("no_choice", tr("You have nothing to decide now."))
    study = await think_about(Studying(question, coach.advice_playouts, seed), asker)
    assert isinstance(study, Study), "the work is a study"
    explained = MoveExplainer(at.game, at.names, coach, view, question)
    return Advice(seq, study, explained.explain_moves(study, rank_moves(study)), balance(coach, study))


def hint_for(at: AtTable) -> Phrase | None:
    """Say what to consider in the decision that the user's seat owes; None where the game has no coach."""
    kind = find_coach(at.info.game)
    return None if kind is None or at.view is None else kind(at.game).write_hint(at.view)


def balance(coach: Coach, study: Study) -> str:
    """Write the sentence on the equilibrium of a round; nothing where none is known."""
    return render(coach.explain_balance(study.sample.moves, study.shares)) if study.shares else ""


def _informed_coach(at: AtTable) -> Coach:
    """Return a coach that has observed everything that this client received at the table."""
    kind = find_coach(at.info.game)
    assert kind is not None, "advice is offered for games with a coach only"
    coach = kind(at.game)
    coach.expect_players(seat.level for seat in at.info.seats)
    for seen in at.deal.events:
        if isinstance(seen.event, Played):
            for fact in at.facts_of(seen.event):
                coach.observe_fact(fact)
    return coach
