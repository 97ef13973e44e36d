"""The coach of No Thanks!: it counts chips, plays the game out, and says what speaks for a move."""

from collections.abc import Iterable, Iterator
from typing import Any

from scoville_shared.bots.no_thanks.search import Counted
from scoville_shared.bots.no_thanks.table import read_round
from scoville_shared.coach.base import Coach, Policy, PublicDecision
from scoville_shared.coach.no_thanks.question import CardQuestion, ChanceQuestion
from scoville_shared.coach.no_thanks.reasons import explain_answer
from scoville_shared.coach.sample import Aim, Weighed
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.facts import Fact, Passed, Took, TurnedUp
from scoville_shared.games.no_thanks.state import Action, Board, State, View, chips_each
from scoville_shared.ids import Seat
from scoville_shared.values import Plain


class CardCoach(Coach):
    """Advises on the card."""

    fewer_is_better = True
    playouts = 24_000
    headlines = (Took, TurnedUp, Passed)

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._counted = Counted()

    def observe_fact(self, fact: Any) -> None:
        self._counted.observe_fact(fact)

    def make_question(self, view: View, policy: Policy = Policy.MIXED, aim: Aim = Aim.WIN) -> CardQuestion | None:
        """Ask whether to take the card; without a chip there is no choice."""
        if not view.chips or view.seat != view.board.mover:
            return None
        moves = [self.game.codec.encode_plain(move) for move in self.game.moves(view)]
        return CardQuestion(
            moves=moves, round=read_round(view.board, self._chips_by_seat(view)), policy=policy, aim=aim
        )

    def make_course_question(self, state: State) -> ChanceQuestion:
        return ChanceQuestion(read_round(state.board, state.chips))

    def explain_move(self, view: View, question: CardQuestion, weighed: Weighed) -> Phrase:
        return explain_answer(view, question.round, weighed)

    def public_moves(self, facts: Iterable[Fact]) -> Iterator[tuple[Seat, Plain]]:
        for fact in facts:
            if isinstance(fact, Passed | Took):
                action = Action.TAKE if isinstance(fact, Took) else Action.PASS
                yield fact.seat, {"action": action.value}

    def public_decision(self, board: Board, seat: Seat, move: Plain) -> PublicDecision | None:
        counted = list(board.chips or self._counted.chips_by_seat(board.options, len(board.cards)))
        if seat != board.mover or min(counted) < 0:
            return None
        view = View(board=board, seat=seat, chips=counted[seat])
        question = self.make_question(view)
        return None if question is None else PublicDecision(view, question, question.moves.index(move))

    def _chips_by_seat(self, view: View) -> list[int]:
        """Return everybody's chips as counted; of a seat that has not seen the whole round, what can be concluded."""
        board = view.board
        seats, mine = len(board.cards), view.chips or 0
        total = chips_each(board.options, seats) * seats - board.pot
        counted = list(board.chips or self._counted.chips_by_seat(board.options, seats))
        assert view.seat is not None, "a View with chips has a seat"
        if counted[view.seat] == mine and sum(counted) == total and min(counted) >= 0:
            return counted
        each, more = divmod(total - mine, seats - 1)
        others = iter([each + (place < more) for place in range(seats - 1)])
        return [mine if seat == view.seat else next(others) for seat in map(Seat, range(seats))]
