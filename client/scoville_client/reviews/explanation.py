"""Explanations of moves that were made: the best moves with figures, and what they assume.

While a game runs, a bot's move is explained from what all players at the table know, never from a hand: not the bot's
and not the user's. Once it is over, every move is explained from what its own seat could know.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from scoville_client.i18n.language import render, tr
from scoville_client.replays.reel import Reel
from scoville_client.reviews.advice import MoveExplainer, rank_moves, write_balance
from scoville_client.reviews.coaches import make_coach, think_about
from scoville_client.session.table.deal_record import PastView
from scoville_client.session.table.table import AtTable
from scoville_shared.bots.registry import find_bot, list_levels
from scoville_shared.coach.base import Coach, Question
from scoville_shared.coach.sample import Figures
from scoville_shared.coach.study import Study, Studying
from scoville_shared.engine.contract import select_facts
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played, Started
from scoville_shared.values import Plain

BEST = 3
"""So many moves are shown, and the played one."""


class BotMove(NamedTuple):
    """The latest move of a bot: the number of the event that showed it, its seat, and the move."""

    seq: int
    seat: Seat
    move: Plain


class Decision(NamedTuple):
    """A decision to explain; `public` if only public facts are used."""

    seat: Seat
    coach: Coach
    view: Any
    question: Question
    played: int
    public: bool


class Explanation(NamedTuple):
    """The best moves of a decision and the played one, the best first, each with a reason.

    `level` is that of the bot that played in a running game, if it is known, and `habit` how the level plays. `balance`
    is a sentence on the equilibrium of the round, empty where none is known. `short` says in a few words why the best
    move is better than the played one, or than the next best. `about` names the subject of the decision, empty where
    the moves' names say it. `position` is the number of the move in a finished game, None while the game runs.
    """

    name: str
    level: str | None
    habit: Phrase | None
    study: Study
    rows: tuple[tuple[Figures, str, str], ...]
    played: Figures
    public: bool
    balance: str
    short: str
    about: str
    position: int | None = None

    @property
    def played_move(self) -> str:
        return next(move for figures, move, _ in self.rows if figures is self.played)

    @property
    def is_compared(self) -> bool:
        """Whether other moves are known: of a hidden hand only what was played is."""
        return len(self.study.sample.moves) > 1


def bot_moves(at: AtTable) -> list[BotMove]:
    """Return the latest move of each bot that all players saw, the newest first."""
    coach, found, movers = _coach_of(at), {}, {}
    for event in _received_moves(at):
        movers[event.seat] = event.mover
        for seat, move in coach.public_moves(at.facts_of(event)):
            if movers.get(seat) == "bot":
                found[seat] = BotMove(event.seq, seat, move)
            else:
                # A move of the player who is back at the seat hides the bot's older one.
                found.pop(seat, None)
    return sorted(found.values(), key=lambda made: (-made.seq, made.seat))


async def explain_bot(at: AtTable, made: BotMove, asker: str) -> Explanation:
    """Explain a bot's move of a running game. Raises ScovilleError if there is nothing to explain."""
    coach, before, board = _coach_of(at), 0, None
    for event in _received_moves(at):
        # Only events before the move: the bot could not know the rest.
        if event.seq >= made.seq:
            break
        before = event.seq
        for fact in at.facts_of(event):
            coach.observe_fact(fact)
    view = _view_between(at, before, made.seq)
    board = None if view is None else coach.public_board(at.game.codec.decode_view(view.as_plain()))
    found = None if board is None else coach.public_decision(board, made.seat, made.move)
    if found is None:
        raise _no_explanation(at.names[made.seat])
    decision = Decision(made.seat, coach, found.view, found.question, found.played, public=True)
    explained = await _make_explanation(at.game, at.names, decision, made.seq, asker)
    level = at.info.seats[made.seat].level
    if level is None or level not in list_levels(at.info.game):
        return explained
    return explained._replace(level=level, habit=find_bot(at.info.game, level).description)


async def explain_move(reel: Reel, position: int, asker: str) -> Explanation:
    """Explain the move before a position of a finished game. Raises ScovilleError if there is nothing to explain."""
    line = None if position > reel.moves else reel.moment_at(position).line
    if line is None or reel.ending is None:
        raise ScovilleError("no_move", tr("Only moves of finished games are explained."))
    seat, coach, game = Seat(line.seat), make_coach(reel.game, reel.levels), reel.game
    for moment in reel.moments[:position]:
        # A coach may know no more than the player did.
        for fact in select_facts(moment.facts, seat):
            coach.observe_fact(fact)
    names = [sitter.name for sitter in reel.header.seats]
    view = game.view(reel.moments[position - 1].state, seat)
    question = None if coach.undoes_choice(line.move) else coach.make_question(view)
    if question is None:
        raise _no_explanation(names[seat])
    question, played = coach.locate_move(view, question, game.codec.encode_plain(game.codec.decode_move(line.move)))
    decision = Decision(seat, coach, view, question, played, public=False)
    return (await _make_explanation(game, names, decision, position, asker))._replace(position=position)


async def _make_explanation(game: Any, names: list[str], decision: Decision, seed: int, asker: str) -> Explanation:
    coach = decision.coach
    study = await think_about(Studying(decision.question, coach.advice_playouts, seed), asker, game)
    assert isinstance(study, Study), "the work is a study"
    explained = MoveExplainer(game, names, coach, decision.view, decision.question)
    places = [place for nth, place in enumerate(rank_moves(study)) if nth < BEST or place == decision.played]
    rows = explained.explain_moves(study, places)
    about = game.text.describe_decision(decision.view)
    # The very figures of its row: readers find the played move by them.
    played, *_ = rows[places.index(decision.played)]
    return Explanation(
        name=names[decision.seat],
        level=None,
        habit=None,
        study=study,
        rows=rows,
        played=played,
        public=decision.public,
        balance=write_balance(coach, study),
        short=explained.name_reason(study, decision.played),
        about="" if about is None else render(about, names),
    )


def _received_moves(at: AtTable) -> Iterator[Played]:
    """Yield the moves that this client was sent, in their order."""
    return (seen.event for seen in at.deal.events if isinstance(seen.event, Played))


def _view_between(at: AtTable, first: int, end: int) -> PastView | None:
    """Return the latest View from event `first` on and before event `end`; nothing of the board changed since."""
    if not first:
        first = next((seen.event.seq for seen in at.deal.events if isinstance(seen.event, Started)), end)
    return next((past for past in reversed(at.deal.past) if first <= past.seq < end), None)


def _coach_of(at: AtTable) -> Coach:
    return make_coach(at.game, (seat.level for seat in at.info.seats))


def _no_explanation(name: str) -> ScovilleError:
    return ScovilleError("no_choice", tr("{name} had no choice there, or you did not see the move.", name=name))
