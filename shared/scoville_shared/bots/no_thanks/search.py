"""Bots for No Thanks! that search: gated Monte Carlo over the rest of the round."""

from collections.abc import MutableSequence, Sequence
from math import exp, prod
from typing import Any, ClassVar, Final, NamedTuple

from msgspec import Struct

from scoville_shared.bots.machine import Machine
from scoville_shared.bots.no_thanks import comparison, counting, kernel
from scoville_shared.bots.no_thanks.heuristics import wants_card
from scoville_shared.bots.no_thanks.policies import (
    BEST,
    COUNTING_WEIGHTS,
    EVERYBODY,
    EXPECTED,
    OPINIONS,
    OWN,
    POPULATION,
    PRIOR,
    PRIOR_OF_EXPECTED,
    SPREAD,
    WEIGHTS,
)
from scoville_shared.bots.no_thanks.table import Round, list_numbers, read_round
from scoville_shared.bots.search import SURE, SearchBot
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundBegan, Took, TurnedUp
from scoville_shared.games.no_thanks.state import CARDS, DECK_SIZE, Action, Options, View, chips_each
from scoville_shared.values import Plain

CHANCES: Final = 2**32
"""The chances of all policies of a seat together."""

ERROR: Final = 0.03
"""The chance that a decision follows none of the policies."""

VARIATION: Final = 2.0
"""The points by which a player's opinion of a card varies around the policy that describes them best."""

ALIKE: Final = 0.9
"""The chance, before anything was observed, that all opponents play alike: such as bots of one level do."""

FLOOR: Final = 0.05
"""The part of the chances that does not depend on what was observed: nobody plays exactly like one of the policies."""

_UNLIKELY: Final = 1e-30


class Kinds(NamedTuple):
    """The kinds of players that may sit there: their policies, how likely each is, and how exactly they play by it.

    `variations` are by how many points the opinions of each kind vary.
    """

    policies: Sequence[tuple[int, ...]]
    prior: Sequence[float]
    variations: Sequence[float]


PLAYERS: Final = Kinds(EVERYBODY, PRIOR, [VARIATION] * len(EVERYBODY))
"""The opponents that the coach expects; it knows where bots sit that search."""

RIVALS: Final = Kinds(
    EXPECTED, PRIOR_OF_EXPECTED, [max(VARIATION, scale / 1000) for scale in OPINIONS[: len(EXPECTED)]]
)
"""The opponents that a master expects; what they are like, it must learn from their decisions."""


class Expected(NamedTuple):
    """The opponents as playouts draw them.

    `chances` are the cumulated ones of each seat's policies, one seat after another, and of the policies of all
    opponents if they play alike, for which the chance is `alike`; all of `CHANCES`.
    """

    chances: list[int]
    alike: int


def expect_own_policy(seats: int) -> Expected:
    """Expect all seats to play by this bot's own policy."""
    return Expected([CHANCES] * (seats + 1), 0)


class Opponents:
    """The decisions of all seats, and the chances of each policy to be theirs.

    Either all opponents have the same policy, or each has its own: what they do makes one or the other more likely.
    Players of one kind are thus known from the decisions of all of them, before the first cards are gone. Only
    decisions count: who has no chip must take.
    """

    def __init__(self, kinds: Kinds = PLAYERS) -> None:
        self._kinds = kinds
        self._unknown = [1.0] * len(kinds.policies)
        self._unread: list[Fact] = []
        self._likelihoods: dict[int, list[float]] = {}
        self._begin_round()

    def observe_fact(self, fact: Fact) -> None:
        """Remember a fact until the number of seats is known."""
        self._unread.append(fact)

    def expect_policies(self, options: Options, seats: int, among: Sequence[int]) -> Expected:
        """Return the expected policies of all seats; the seats in `among` may all share one policy."""
        for fact in self._unread:
            self._read_fact(fact, chips_each(options, seats), seats)
        self._unread.clear()
        each = [self._weigh_kinds(self._likelihoods.get(seat, self._unknown)) for seat in range(seats)]
        opponents = [self._likelihoods.get(seat, self._unknown) for seat in among]
        together = self._weigh_kinds([prod(likelihoods) for likelihoods in zip(*opponents, strict=True)])
        # Bayes' rule between two hypotheses: one policy for all of them, or one for each by itself.
        same = ALIKE * sum(together)
        apart = (1 - ALIKE) * prod(sum(each[seat]) for seat in among)
        chances = [chance for weights in (*each, together) for chance in self._cumulate_chances(weights)]
        return Expected(chances, round(CHANCES * same / (same + apart)))

    def _begin_round(self) -> None:
        self._left = DECK_SIZE - 1
        self._owned: dict[int, int] = {}
        self._changes: dict[int, int] = {}

    def _read_fact(self, fact: Fact, chips: int, seats: int) -> None:
        # A client's coach has facts of a server, perhaps a hostile one: a card is a bit here, a seat a place in a list.
        if not _is_possible(fact, chips * seats, seats):
            return
        match fact:
            case Passed(seat=seat, card=card, pot=pot):
                self._weigh_decision(seat, card, pot - 1, chips, seats, took=False)
                self._changes[seat] = self._changes.get(seat, 0) - 1
            case Took(seat=seat, card=card, chips=pot):
                self._weigh_decision(seat, card, pot, chips, seats, took=True)
                self._owned[seat] = self._owned.get(seat, 0) | 1 << card
                self._changes[seat] = self._changes.get(seat, 0) + pot
            case TurnedUp(left=left):
                self._left = left
            case RoundBegan():
                self._begin_round()

    def _weigh_decision(self, seat: int, card: int, pot: int, chips: int, seats: int, *, took: bool) -> None:
        """Make the policies that decide like a seat more likely."""
        everybody = [chips + self._changes.get(each, 0) for each in range(seats)]
        # Below zero: the beginning of the round was missed, and nothing is known of anybody's chips.
        if not everybody[seat] or min(everybody) < 0:
            return
        owned = [self._owned.get(each, 0) for each in range(seats)]
        likelihoods = self._likelihoods.get(seat, self._unknown)
        new = []
        for policy, likelihood, variation in zip(
            self._kinds.policies, likelihoods, self._kinds.variations, strict=True
        ):
            urge = counting.urge_of(seat, everybody, owned, card, self._left, pot, policy, 0)
            # In points: their weight is negative, so this is by how many points taking is better.
            surplus = -urge / policy[counting.POINTS]
            new.append(likelihood * _chance_of_taking((surplus if took else -surplus) / variation))
        # In proportion to the likeliest and never zero: a product of many decisions would vanish, and nothing could
        # revive it.
        self._likelihoods[seat] = [max(likelihood / max(new), _UNLIKELY) for likelihood in new]

    def _weigh_kinds(self, likelihoods: Sequence[float]) -> list[float]:
        """Return prior chances times likelihoods; their sum is the likelihood of all decisions."""
        whole = sum(self._kinds.prior)
        return [prior * likelihood / whole for prior, likelihood in zip(self._kinds.prior, likelihoods, strict=True)]

    def _cumulate_chances(self, weights: Sequence[float]) -> list[int]:
        total, whole, chances, so_far = sum(weights), sum(self._kinds.prior), list[int](), 0.0
        for prior, weight in zip(self._kinds.prior, weights, strict=True):
            # Against unknown players a posterior alone misleads: one without a floor fell from 58 to 33 % of the wins.
            so_far += FLOOR * prior / whole + (1 - FLOOR) * weight / total
            chances.append(round(CHANCES * so_far))
        # Rounded sums may stay below it, and a random word above the last one would draw no policy.
        chances[-1] = CHANCES
        return chances


def _is_possible(fact: Fact, chips: int, seats: int) -> bool:
    """Whether a fact fits a game with so many chips and seats."""
    match fact:
        case Passed(seat=seat, card=card, pot=pot) | Took(seat=seat, card=card, chips=pot):
            return 0 <= seat < seats and card in CARDS and 0 <= pot <= chips
        case TurnedUp(left=left):
            return 0 <= left < DECK_SIZE
    return True


def _chance_of_taking(steps: float) -> float:
    """Return the chance of a decision that a policy finds better by so many variations of opinion."""
    # `exp` fails on large numbers, and beyond these bounds the chance is the same to nine digits.
    steps = max(-30.0, min(30.0, steps))
    return ERROR + (1 - 2 * ERROR) / (1 + exp(-steps))


_PASS: Plain = {"action": Action.PASS.value}
_TAKE: Plain = {"action": Action.TAKE.value}


class Counted:
    """All players' chips, counted from the beginning of the round as a person at the table could."""

    def __init__(self) -> None:
        self._changes: dict[int, int] = {}

    def observe_fact(self, fact: Fact) -> None:
        """Count the chips of a move."""
        match fact:
            case Passed(seat=seat):
                self._changes[seat] = self._changes.get(seat, 0) - 1
            case Took(seat=seat, chips=chips):
                self._changes[seat] = self._changes.get(seat, 0) + chips
            case RoundBegan():
                self._changes.clear()

    def chips_by_seat(self, options: Options, seats: int) -> list[int]:
        return [chips_each(options, seats) + self._changes.get(seat, 0) for seat in range(seats)]


class CardQuestion(Struct, frozen=True, kw_only=True):
    """The decision on a card, in the terms of the kernel.

    `moves` are those of all plans: for each policy in `mine` by which the seat may go on the move that this policy
    makes first, then the other one. `chances` and `alike` are those of the opponents' policies.
    """

    needed_errors: ClassVar[float] = SURE
    moves: list[Plain]
    mine: list[int]
    chances: list[int]
    alike: int
    round: Round
    counting: bool

    @property
    def ways(self) -> int:
        """The number of policies by which the seat may go on."""
        return len(self.mine)

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play every plan out."""
        numbers, table = machine.numbers, self.round
        plans = comparison.Plans(
            numbers(kernel.TAKE_FIRST if move == _TAKE else kernel.PASS_FIRST for move in self.moves),
            numbers(self.mine),
            not table.rounds,
            self.counting,
        )
        players = counting.Players(
            numbers(COUNTING_WEIGHTS if self.counting else WEIGHTS),
            numbers(self.chances),
            self.alike,
            numbers([-1] * len(table.chips)),
        )
        vague = table.left + 1 if self.counting else 0
        machine.load(comparison).compare_answers(
            *list_numbers(machine, table), numbers(table.totals), plans, players, numbers(OPINIONS), numbers(SPREAD),
            playouts, rng, numbers([0] * ((7 + vague) * len(table.chips))), sums,
        )  # fmt: skip


class CardBot(SearchBot):
    """Compares taking and passing by playouts.

    `mine` are the policies by which it may go on, that of its rule of thumb first. It goes on by the one that does
    best, and departs from the move of that policy only for one that is surely better. A bot that `learns` knows
    policies that count, and expects opponents to decide as they have so far; another one expects them to decide as it
    does.
    """

    mine: ClassVar[tuple[int, ...]] = (0,)
    learns: ClassVar[bool] = False

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._counted = Counted()
        self._opponents = Opponents(RIVALS)

    def observe_fact(self, fact: Any) -> None:
        self._counted.observe_fact(fact)
        if self.learns:
            self._opponents.observe_fact(fact)

    def make_question(self, view: View) -> CardQuestion:
        """Ask whether to take the card, with everything that is known."""
        board = view.board
        assert view.seat is not None, "a pending View has a seat"
        seats = len(board.cards)
        chips = list(board.chips or self._counted.chips_by_seat(board.options, seats))
        table = read_round(board, chips)

        # Without a chip there is nothing to compare: the single move is played without a search (B2).
        moves, mine = [_TAKE], [self.mine[0]]
        if view.chips:
            mine = list(self.mine)
            moves = [
                move
                for policy in mine
                for move in ((_TAKE, _PASS) if self._takes_card(view, table, policy) else (_PASS, _TAKE))
            ]

        # Not its own decisions: a bot knows how it decides, and would take every opponent for a player like itself.
        others = [seat for seat in range(seats) if seat != view.seat]
        expected = (
            self._opponents.expect_policies(board.options, seats, others) if self.learns else expect_own_policy(seats)
        )
        return CardQuestion(
            moves=moves,
            mine=mine,
            chances=expected.chances,
            alike=expected.alike,
            round=table,
            counting=self.learns,
        )

    def _takes_card(self, view: View, table: Round, policy: int) -> bool:
        """Return whether a policy takes the card; one that learns also counts chips and cards to come."""
        if not self.learns:
            return wants_card(view, POPULATION[policy])
        return counting.takes_card(
            table.mover, table.chips, table.owned, table.card, table.left, table.pot, OWN[policy], 0
        )  # fmt: skip


class Strong(CardBot):
    """Imagines both moves a few dozen times, as a good player does."""

    description = Phrase("counts chips and plays forty futures with players like itself")
    playouts = 40


class Master(CardBot):
    """Searches for as long as other players do not have to wait."""

    description = Phrase("learns how its opponents decide and plays five thousand futures")
    playouts = 5_000
    mine = (BEST, *range(len(EXPECTED), len(OWN)))
    learns = True
