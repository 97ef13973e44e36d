"""The coach of Dicht dran: it remembers all cards, plays the game out, and says what speaks for a card."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from scoville_shared.bots.dicht_dran.policies import CLOSEST, SIMPLE, TRAINED
from scoville_shared.bots.dicht_dran.search import Remembered
from scoville_shared.bots.dicht_dran.table import KnownCycle, read_cycle
from scoville_shared.coach.base import Coach, Policy, PublicDecision
from scoville_shared.coach.dicht_dran.question import ChanceQuestion, RoundQuestion
from scoville_shared.coach.dicht_dran.reasons import describe_mixture, explain_card, name_right_card, name_wrong_card
from scoville_shared.coach.sample import Aim, Weighed
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import DECK, peppers_by_card
from scoville_shared.games.dicht_dran.facts import Fact, Revealed, TargetWon
from scoville_shared.games.dicht_dran.state import Board, State, View
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

MEAN_PEPPERS = 2
"""What a won card counts whose peppers the coach has not seen."""


_HINT = Phrase(
    "Which of your cards is closest to the {target}, and who may hold one that is closer? A card that fits the gap "
    "costs nothing if it does not win."
)


class RoundCoach(Coach):
    """Advises on the card to choose."""

    unit = Phrase("peppers")
    headlines = (TargetWon,)
    puzzle_options: ClassVar = {"cycles": 1, "open_won": True}
    like_level: ClassVar = {
        "easy": CLOSEST, "casual": SIMPLE, "sensible": SIMPLE, "strong": TRAINED, "master": TRAINED,
    }  # fmt: skip

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._remembered = Remembered()

    def observe_fact(self, fact: Any) -> None:
        self._remembered.observe_fact(fact)

    def make_question(self, view: View, policy: Policy | None = None, aim: Aim = Aim.WIN) -> RoundQuestion | None:
        board, seat = view.board, view.seat
        if seat is None or board.over or view.pick is not None or board.hands[seat] < 2:
            return None
        return self._make_round_question(view, seat, policy or self.policy, aim)

    def make_course_question(self, state: State) -> ChanceQuestion:
        secret, board = state.secret, state.board
        peppers = peppers_by_card(board.options.peppers)
        won = [sum(peppers[card] for card in cards) for cards in secret.won]
        cycle = read_cycle(board, list(secret.discard), won)
        return ChanceQuestion(
            cycle,
            [list(hand) for hand in secret.hands],
            list(secret.pile),
            self.list_known_policies(len(board.hands)),
            board.over,
        )

    def write_hint(self, view: View) -> Phrase:
        return _HINT.with_fields({"target": view.board.circle[view.board.target]})

    def explain_move(self, view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:
        return explain_card(view, question, weighed)

    def name_error(self, view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:  # noqa: ARG002
        return name_wrong_card(view, weighed)

    def name_reason(self, view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:
        return name_right_card(view, question, weighed)

    def explain_balance(self, moves: Sequence[Plain], shares: Sequence[float]) -> Phrase:
        """Say how often an equilibrium of this round plays each card."""
        return describe_mixture(moves, shares)

    def public_moves(self, facts: Iterable[Fact]) -> Iterator[tuple[Seat, Plain]]:
        for fact in facts:
            if isinstance(fact, Revealed):
                yield from ((Seat(seat), {"card": card}) for seat, card in enumerate(fact.cards))

    def public_decision(self, board: Board, seat: Seat, move: Plain) -> PublicDecision | None:
        """Return the card with its figures alone: the rest of the hand is hidden."""
        if board.hands[seat] < 2:
            return None
        hand, nobody = (int(move["card"]),), (False,) * len(board.hands)
        view = View(board=board, chosen=nobody, seat=seat, hand=hand, pick=None, won=(), take_backs=0)
        return PublicDecision(view, self._make_round_question(view, seat, self.policy, Aim.WIN), 0)

    def undoes_choice(self, move: Plain) -> bool:
        return "take_back" in move

    def _make_round_question(self, view: View, seat: Seat, policy: Policy, aim: Aim) -> RoundQuestion:
        seats = len(view.board.hands)
        return RoundQuestion(
            moves=[{"card": card} for card in view.hand],
            cycle=self._known_cycle(view),
            me=seat,
            hand=list(view.hand),
            unseen=self._list_unseen(view),
            known=[TRAINED] * seats if policy is Policy.TRAINED else self.list_known_policies(seats),
            policy=policy,
            aim=aim,
        )

    def _known_cycle(self, view: View) -> KnownCycle:
        """Return the cycle; of a seat that has not seen all of it, with what it can conclude."""
        board, known = view.board, self._remembered
        # Every won card was a target, so with fewer of them a part of the cycle was missed.
        complete = len(known.targets) == sum(board.won)
        won = [known.won.get(seat, 0) if complete else MEAN_PEPPERS * count for seat, count in enumerate(board.won)]
        return read_cycle(board, list(known.discard), list(board.won_peppers or won))

    def _list_unseen(self, view: View) -> list[int]:
        known = self._remembered
        seen = {*view.board.circle, *view.hand, *view.won, *known.discard, *known.targets}
        return [card for card in DECK if card not in seen]
