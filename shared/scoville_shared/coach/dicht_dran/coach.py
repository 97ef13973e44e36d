"""The coach of Dicht dran: it remembers all cards, plays the game out, and says what speaks for a card."""

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_shared.bots.dicht_dran.kernel import STRIDE
from scoville_shared.bots.dicht_dran.policies import POPULATION, WEIGHTS, chances_by_rank
from scoville_shared.bots.dicht_dran.search import Remembered
from scoville_shared.bots.machine import Machine
from scoville_shared.coach.base import Coach, Policy, PublicDecision, Sums
from scoville_shared.coach.dicht_dran import kernel
from scoville_shared.coach.dicht_dran.reasons import describe_mixture, explain_card
from scoville_shared.coach.sample import Aim, Sample, Weighed
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.dicht_dran.cards import DECK, peppers_by_card
from scoville_shared.games.dicht_dran.facts import Fact, Revealed, TargetWon
from scoville_shared.games.dicht_dran.state import Board, State, View
from scoville_shared.ids import Seat
from scoville_shared.solvers.dicht_dran.equilibrium import round_game, shares_of
from scoville_shared.values import Plain

PLAYERS = 2
"""An equilibrium of a round is computed for so many players."""


class Cycle(Struct, frozen=True, kw_only=True):
    """A cycle on the table in plain numbers, with what a player with a good memory knows."""

    circle: list[int]
    slot: int
    sizes: list[int]
    won: list[int]
    discard: list[int]
    peppers: list[int]
    totals: list[int]
    cycles: int


class RoundQuestion(Struct, frozen=True, kw_only=True):
    """A choice of a card from the hand; `unseen` are the cards that may be in other hands or the pile.

    Of a `hand` that is known in part only the known cards are moves; the others are among the unseen ones.
    """

    moves: list[Plain]
    cycle: Cycle
    me: int
    hand: list[int]
    unseen: list[int]
    pile: int
    policy: Policy
    aim: Aim

    @property
    def all_worlds(self) -> int:
        """Deals are always sampled."""
        return 0

    def with_moves(self, places: Sequence[int]) -> "RoundQuestion":
        """Return the question with a choice of its cards."""
        return replace(self, moves=[self.moves[place] for place in places])

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play the cards out."""
        numbers, floats, table = machine.numbers, machine.floats, self.cycle
        seats = len(table.sizes)
        machine.load(kernel).compare_cards(
            self.me, numbers(table.circle), table.slot, numbers(self.hand), numbers(table.sizes), numbers(table.won),
            numbers(self.unseen), numbers(table.discard), self.pile, numbers(table.peppers), numbers(table.totals),
            table.cycles, numbers(int(move["card"]) for move in self.moves), floats(chances_by_rank(seats)),
            floats(WEIGHTS),
            len(POPULATION) if self.policy is Policy.MIXED else 1, len(worlds), rng,
            numbers([0] * kernel.scratch_size(seats)), floats([0.0] * (COLUMNS * len(self.moves))), *to,
        )  # fmt: skip

    def solve_exactly(self, machine: Machine) -> Sample | None:  # noqa: ARG002 - perfect play is not known
        """Return nothing: a round can be solved, the rest of the game cannot."""
        return None

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:
        """Return how often an equilibrium of this round plays each card; that of two players who know their hands."""
        table, hand = self.cycle, self.hand
        if len(table.sizes) != PLAYERS or len(hand) != table.sizes[self.me]:
            return ()
        sizes = (len(hand), table.sizes[1 - self.me])
        game = round_game(table.circle, table.slot, [*hand, *self.unseen], table.peppers, sizes)
        found = shares_of(game, hand, machine)
        return tuple(found[hand.index(int(move["card"]))] for move in self.moves) if found else ()


class ChanceQuestion(NamedTuple):
    """Everybody's chances with these hands; `over` once the last cycle is scored."""

    cycle: Cycle
    hands: list[list[int]]
    pile: list[int]
    over: bool

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.cycle.sizes)

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play the game out."""
        numbers, floats, table = machine.numbers, machine.floats, self.cycle
        places = [card for hand in self.hands for card in (hand + [0] * STRIDE)[:STRIDE]]
        machine.load(kernel).expect_scores(
            numbers(table.circle), table.slot, numbers(places), numbers(table.sizes), numbers(table.won),
            numbers(self.pile), numbers(table.discard), numbers(table.peppers), numbers(table.totals), table.cycles,
            self.over, floats(chances_by_rank(self.seats)), floats(WEIGHTS), len(POPULATION), worlds, rng,
            numbers([0] * kernel.scratch_size(self.seats)), sums,
        )  # fmt: skip


MEAN_PEPPERS = 2
"""What a won card counts whose peppers the coach has not seen."""


class RoundCoach(Coach):
    """Advises on the card to choose."""

    unit = Phrase("peppers")
    headlines = (TargetWon,)

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._remembered = Remembered()

    def observe_fact(self, fact: Any) -> None:
        self._remembered.observe_fact(fact)

    def make_question(self, view: View, policy: Policy = Policy.MIXED, aim: Aim = Aim.WIN) -> RoundQuestion | None:
        board, seat = view.board, view.seat
        if seat is None or board.over or view.pick is not None or board.hands[seat] < 2:
            return None
        return self._make_round_question(view, seat, policy, aim)

    def make_course_question(self, state: State) -> ChanceQuestion:
        secret, board = state.secret, state.board
        peppers = peppers_by_card(board.options.peppers)
        won = [sum(peppers[card] for card in cards) for cards in secret.won]
        cycle = _make_cycle(board, list(secret.discard), won)
        return ChanceQuestion(cycle, [list(hand) for hand in secret.hands], list(secret.pile), board.over)

    def explain_move(self, view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:
        return explain_card(view, question, weighed)

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
        return PublicDecision(view, self._make_round_question(view, seat, Policy.MIXED, Aim.WIN), 0)

    def undoes_choice(self, move: Plain) -> bool:
        return "take_back" in move

    def _make_round_question(self, view: View, seat: Seat, policy: Policy, aim: Aim) -> RoundQuestion:
        return RoundQuestion(
            moves=[{"card": card} for card in view.hand],
            cycle=self._known_cycle(view),
            me=seat,
            hand=list(view.hand),
            unseen=self._list_unseen(view),
            pile=view.board.pile,
            policy=policy,
            aim=aim,
        )

    def _known_cycle(self, view: View) -> Cycle:
        """Return the cycle; of a seat that has not seen all of it, with what it can conclude."""
        board, known = view.board, self._remembered
        complete = len(known.targets) == sum(board.won)
        won = [known.won.get(seat, 0) if complete else MEAN_PEPPERS * count for seat, count in enumerate(board.won)]
        return _make_cycle(board, list(known.discard), list(board.won_peppers or won))

    def _list_unseen(self, view: View) -> list[int]:
        known = self._remembered
        seen = {*view.board.circle, *view.hand, *view.won, *known.discard, *known.targets}
        return [card for card in DECK if card not in seen]


def _make_cycle(board: Board, discard: list[int], won: list[int]) -> Cycle:
    return Cycle(
        circle=list(board.circle),
        slot=board.target,
        sizes=list(board.hands),
        won=won,
        discard=discard,
        peppers=list(peppers_by_card(board.options.peppers)),
        totals=list(board.totals),
        cycles=board.options.cycles - board.cycle,
    )
