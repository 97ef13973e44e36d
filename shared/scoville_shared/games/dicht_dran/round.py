"""A round of Dicht dran whose cards are all chosen: the rulebook's four actions; cycles and their scoring.

And what each card of a hand promises in it, as far as its holder can know.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from scoville_shared.engine.contract import Addressed, Step
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.tuples import with_item, without_item
from scoville_shared.games.dicht_dran.cards import DECK, HIGHEST, LOWEST, peppers_by_card
from scoville_shared.games.dicht_dran.facts import (
    CycleEnd,
    CycleScored,
    Discarded,
    Drew,
    DrewCards,
    Fact,
    FellInGap,
    Reshuffled,
    Revealed,
    RoundBegan,
    TargetWon,
)
from scoville_shared.games.dicht_dran.state import CIRCLE_SLOTS, HAND_SIZE, Board, Options, Secret, State
from scoville_shared.ids import Seat

Scores = tuple[int, ...]


def deal_first_cycle(options: Options, seats: int, dice: Dice) -> State:
    return _lay_out(options, seats, dice, cycles=())


def begin_round(board: Board, secret: Secret) -> State:
    """Return the state at the beginning of a round, in which nobody has chosen."""
    seats = len(secret.hands)
    return State(board, secret, (False,) * seats, (None,) * seats, (0,) * seats)


def make_round_began(board: Board) -> RoundBegan:
    """Return the fact that names the new target and its gap."""
    low, high = board.gap
    return RoundBegan(cycle=board.cycle, round=board.round, target=board.target_card, low=low, high=high)


def end_cycle(board: Board, secret: Secret, reason: CycleEnd) -> tuple[State, list[Fact]]:
    """Score the cycle: won peppers less those left in hand (A18, A20); then comes the next one, or the end (A21)."""
    scored = score_cycle(board, secret, reason)
    cycles = (*board.cycles, scored.scores)
    if len(cycles) == board.options.cycles:
        return begin_round(_close_board(board, cycles, scored.totals), secret), [scored]
    state = _lay_out(board.options, len(secret.hands), secret.dice, cycles)
    return state, [scored, make_round_began(state.board)]


def score_cycle(board: Board, secret: Secret, reason: CycleEnd) -> CycleScored:
    """Count every seat's won peppers, the peppers left in hand, and the difference."""
    peppers = peppers_by_card(board.options.peppers)
    plus = tuple(sum(peppers[card] for card in won) for won in secret.won)
    minus = tuple(sum(peppers[card] for card in hand) for hand in secret.hands)
    scores = tuple(won - left for won, left in zip(plus, minus, strict=True))
    totals = tuple(map(sum, zip(board.totals, scores, strict=True)))
    return CycleScored(cycle=board.cycle, reason=reason, plus=plus, minus=minus, scores=scores, totals=totals)


def _lay_out(options: Options, seats: int, dice: Dice, cycles: tuple[Scores, ...]) -> State:
    cycle = len(cycles) + 1
    deck = dice.open_stream(f"dicht_dran/cycle/{cycle}/deck").shuffle_cards(DECK)
    # First the circle, in the order of ruling A3, then the hands: another program deals the same from the same shuffle.
    circle, rest = deck[:4], deck[4:]
    dealt = seats * HAND_SIZE
    secret = Secret(
        dice=dice,
        hands=tuple(tuple(sorted(rest[start : start + HAND_SIZE])) for start in range(0, dealt, HAND_SIZE)),
        won=((),) * seats,
        pile=tuple(rest[dealt:]),
        discard=(),
    )
    board = Board(
        options=options,
        cycle=cycle,
        round=1,
        circle=(LOWEST, *circle[:2], HIGHEST, *circle[2:]),
        target=1,
        hands=(HAND_SIZE,) * seats,
        won=(0,) * seats,
        won_peppers=(0,) * seats if options.open_won else None,
        pile=len(secret.pile),
        discard=0,
        cycles=cycles,
        totals=tuple(map(sum, zip(*cycles, strict=True))) if cycles else (0,) * seats,
        over=False,
    )
    return begin_round(board, secret)


def _close_board(board: Board, cycles: tuple[Scores, ...], totals: Scores) -> Board:
    return replace(board, cycles=cycles, totals=totals, over=True)


def resolve_round(state: State, picks: tuple[int, ...]) -> Step[State, Fact]:
    """Carry out the four actions with all players' cards, then begin the next round, the next cycle or the end."""
    resolving = _Round(state, picks)
    winner = resolving.award_target()
    left_over = resolving.discard_in_gap(clockwise_from(winner, len(picks)))
    resolving.discard_left_over(left_over)
    resolving.draw_owed_cards(left_over)
    return resolving.close_round()


def nearest_card(target: int, cards: tuple[int, ...]) -> int:
    """Find the card closest to the target; of two equally close ones it is the higher (A10)."""
    return min(cards, key=_closeness_to(target).__getitem__)


@cache
def _closeness_to(target: int) -> tuple[int, ...]:
    """Rank every card, by its number, in the order of closeness to the target."""
    # Doubled, so that the higher of two equally close cards can come first by one.
    return tuple(2 * abs(card - target) - (card > target) for card in range(HIGHEST + 1))


@cache
def clockwise_from(winner: int, seats: int) -> tuple[Seat, ...]:
    """List the other seats from the winner's left on."""
    return tuple(Seat((winner + step) % seats) for step in range(1, seats))


class _Round:
    """The table while a round is resolved: the cards moved so far, and the facts."""

    __slots__ = (
        "board",
        "circle",
        "dice",
        "discard",
        "facts",
        "hands",
        "peppers",
        "picks",
        "pile",
        "ran_out",
        "won",
    )

    def __init__(self, state: State, picks: tuple[int, ...]) -> None:
        secret = state.secret
        self.board = state.board
        self.dice = secret.dice
        self.peppers = peppers_by_card(state.board.options.peppers)
        self.picks = picks
        self.hands = [without_item(hand, card) for hand, card in zip(secret.hands, picks, strict=True)]
        self.won = list(secret.won)
        self.pile = secret.pile
        self.discard = secret.discard
        self.ran_out = False
        self.facts: list[Addressed[Fact]] = [Addressed(None, Revealed(picks))]

    def add_fact(self, fact: Fact) -> None:
        self.facts.append(Addressed(None, fact))

    def award_target(self) -> Seat:
        """2nd action: the closest card wins the target and takes its slot (A6)."""
        target = self.board.target_card
        card = nearest_card(target, self.picks)
        winner = Seat(self.picks.index(card))
        # Its peppers count, also those of the 1 and the 100 (A5).
        self.won[winner] += (target,)
        self.circle = with_item(self.board.circle, self.board.target, card)
        # The card on the other side that would be as close. The winner is the higher one, so a lower winner has none.
        mirrored = 2 * target - card
        self.add_fact(
            TargetWon(
                seat=winner,
                card=card,
                target=target,
                peppers=self.peppers[target],
                distance=abs(card - target),
                tie=mirrored in self.picks,
            )
        )
        return winner

    def discard_in_gap(self, others: tuple[Seat, ...]) -> list[Seat]:
        """3rd action: cards that fit the gap go to the discard at no cost (A12); returns the seats left over."""
        low, high = self.board.gap
        left_over = []
        for seat in others:
            card = self.picks[seat]
            # By itself, although the rulebook says "may" (A12). The ends of the gap do not fit (A8).
            if low < card < high:
                self.discard += (card,)
                self.add_fact(FellInGap(seat, card))
            else:
                left_over.append(seat)
        return left_over

    def discard_left_over(self, left_over: list[Seat]) -> None:
        """4th action, first half: all left-over cards go to the discard before any player draws (A13)."""
        for seat in left_over:
            card = self.picks[seat]
            self.discard += (card,)
            self.add_fact(Discarded(seat, card, self.peppers[card]))

    def draw_owed_cards(self, left_over: list[Seat]) -> None:
        """4th action, second half: a card for each pepper discarded, each player all at once (A13)."""
        for seat in left_over:
            count = self.peppers[self.picks[seat]]
            # Once only: after the reshuffle the discard is empty, and the pile covers all that is owed (A17).
            if count > len(self.pile) and not self.ran_out:
                self.reshuffle_discard()
            drawn, self.pile = self.pile[:count], self.pile[count:]
            assert len(drawn) == count, "the discard always covers what is owed (A17)"
            self.hands[seat] = tuple(sorted(self.hands[seat] + drawn))
            self.add_fact(Drew(seat, count))
            self.facts.append(Addressed(seat, DrewCards(drawn)))

    def reshuffle_discard(self) -> None:
        """Put the whole discard, shuffled, under what is left of the pile (A14)."""
        self.add_fact(Reshuffled(len(self.discard)))
        stream = self.dice.open_stream(f"dicht_dran/cycle/{self.board.cycle}/reshuffle")
        self.pile += tuple(stream.shuffle_cards(self.discard))
        self.discard = ()
        self.ran_out = True

    def close_round(self) -> Step[State, Fact]:
        """Begin the next round; after an empty hand or an exhausted pile (A15, A16) score the cycle."""
        reason = self.find_cycle_end()
        if self.ran_out:
            # Only owed cards are dealt from the reshuffled ones; the rest counts as discarded (A14).
            self.pile, self.discard = (), self.discard + self.pile
        secret = Secret(self.dice, tuple(self.hands), tuple(self.won), self.pile, self.discard)
        if reason is not None:
            state, facts = end_cycle(self.make_next_board(secret, step=0), secret, reason)
            self.facts.extend(Addressed(None, fact) for fact in facts)
            return Step(state, self.facts)
        board = self.make_next_board(secret, step=1)
        self.add_fact(make_round_began(board))
        return Step(begin_round(board, secret), self.facts)

    def find_cycle_end(self) -> CycleEnd | None:
        """Judge, after the 4th action, whether the cycle is over; several empty hands are one end (A18)."""
        # Named first where the pile ran out in the same round.
        if () in self.hands:
            return CycleEnd.HAND_EMPTY
        if self.ran_out or not self.pile:
            return CycleEnd.PILE_EMPTY
        return None

    def make_next_board(self, secret: Secret, step: int) -> Board:
        """Build the public part of the table, the target `step` slots further on (A4)."""
        board = self.board
        return Board(
            options=board.options,
            cycle=board.cycle,
            round=board.round + step,
            circle=self.circle,
            target=(board.target + step) % CIRCLE_SLOTS,
            hands=tuple(map(len, secret.hands)),
            won=tuple(map(len, secret.won)),
            won_peppers=self.count_won_peppers(),
            pile=len(secret.pile),
            discard=len(secret.discard),
            cycles=board.cycles,
            totals=board.totals,
            over=False,
        )

    def count_won_peppers(self) -> tuple[int, ...] | None:
        """Count all players' won peppers where the table plays them open (A24)."""
        if not self.board.options.open_won:
            return None
        return tuple(sum(self.peppers[card] for card in won) for won in self.won)


class Weighed(NamedTuple):
    """A card compared with this round's target and gap; `closest` of its hand, the higher one of two (A10)."""

    card: int
    peppers: int
    distance: int
    fits: bool
    closest: bool


def weigh_hand(board: Board, hand: Sequence[int], peppers: Sequence[int]) -> list[Weighed]:
    """Compare every card of `hand` with the target and gap, in its order; `peppers` are those of every card."""
    low, high = board.gap
    target = board.target_card
    best = find_closest(board, hand)
    return [Weighed(card, peppers[card], abs(card - target), low < card < high, card == best) for card in hand]


def find_closest(board: Board, hand: Sequence[int]) -> int | None:
    """Find the card of `hand` that comes closest to the target; None for an empty hand."""
    return nearest_card(board.target_card, tuple(hand)) if hand else None
