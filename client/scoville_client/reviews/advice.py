"""Advice during a game: what every legal move is worth, from what this client's own seat knows."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import render, tr
from scoville_client.reviews.coaches import make_coach, think_about
from scoville_client.session.table.table import AtTable
from scoville_outside.guard import GameFailed
from scoville_shared.coach.base import Coach
from scoville_shared.coach.sample import Figures, weigh_move
from scoville_shared.coach.study import Study, Studying
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import Played


class Advice(NamedTuple):
    """The figures of every move, the best first, with a reason for each; `seq` is the event that it belongs to.

    `balance` is a sentence on the equilibrium of this round, empty where none is known. `short` is a sentence of a few
    words on why the best move is better than the next one.
    """

    seq: int
    study: Study
    rows: tuple[tuple[Figures, str, str], ...]
    balance: str
    short: str


def rank_moves(study: Study) -> list[int]:
    """Return the places of the moves of a study, the best move first."""
    return sorted(range(len(study.sample.moves)), key=lambda place: -study.sample.worth_of_move(place))


class MoveExplainer(NamedTuple):
    """Names of the moves of a decision, and the reasons for their worth."""

    game: AnyGame
    names: Sequence[str]
    coach: Coach
    view: Any
    question: Any

    def explain_moves(self, study: Study, places: Iterable[int]) -> tuple[tuple[Figures, str, str], ...]:
        """Return the figures, the name and the reason of some moves of a study."""
        figures = study.sample.figures_of_moves()
        return tuple((figures[place], *self._write_texts(figures, place)) for place in places)

    def name_reason(self, study: Study, rival: int | None = None) -> str:
        """Say in a few words why the best move of a study is better than a `rival`, by default the next best.

        Returns an empty text where nothing can be compared.
        """
        if len(study.sample.moves) < 2:
            return ""
        figures, best = study.sample.figures_of_moves(), study.sample.best_move
        weighed = weigh_move(figures, best, None if rival == best else rival)
        return render(self.coach.name_reason(self.view, self.question, weighed))

    def _write_texts(self, figures: Sequence[Figures], place: int) -> tuple[str, str]:
        move = self.game.text.describe_move_at(self.view, self.game.codec.decode_move(figures[place].move))
        reason = self.coach.explain_move(self.view, self.question, weigh_move(figures, place))
        return render(move, self.names), render(reason, self.names)


async def advise_player(at: AtTable, seed: int, asker: str) -> Advice:
    """Study the decision that the user's seat owes. Raises ScovilleError if there is none."""
    # All three before the wait: the table goes on while processes think, and the advice is for this moment.
    coach, view, seq = _informed_coach(at), at.view, at.seq
    question = coach.make_question(view) if at.my_turn and at.seat is not None else None
    if question is None:
        raise ScovilleError("no_choice", tr("You have nothing to decide now."))
    study = await think_about(Studying(question, coach.advice_playouts, seed), asker, at.game)
    assert isinstance(study, Study), "the work is a study"
    explained = MoveExplainer(at.game, at.names, coach, view, question)
    rows = explained.explain_moves(study, rank_moves(study))
    return Advice(seq, study, rows, write_balance(coach, study), explained.name_reason(study))


def hint_for(at: AtTable) -> Phrase | None:
    """Name the considerations in the decision that the user's seat owes; None where the game has no coach."""
    if at.view is None or not at.has_coach:
        return None
    try:
        return make_coach(at.game).write_hint(at.view)
    except GameFailed as failed:
        return Phrase("{sentence}", {"sentence": error_text(failed)})


def write_balance(coach: Coach, study: Study) -> str:
    """Write the sentence on the equilibrium of a round; nothing where none is known."""
    return render(coach.explain_balance(study.sample.moves, study.shares)) if study.shares else ""


def _informed_coach(at: AtTable) -> Coach:
    """Return a coach that has observed everything that this client received at the table."""
    coach = make_coach(at.game, (seat.level for seat in at.info.seats))
    for seen in at.deal.events:
        if isinstance(seen.event, Played):
            for fact in at.facts_of(seen.event):
                coach.observe_fact(fact)
    return coach
