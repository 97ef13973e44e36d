"""Exact solutions of small positions, written without the coach's kernels: in fractions, or by the games' own rules."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any, NamedTuple

from scoville_shared.bots.dicht_dran import kernel as dicht_dran_policy
from scoville_shared.bots.dicht_dran.policies import WEIGHTS, chances
from scoville_shared.bots.no_thanks.policies import POPULATION
from scoville_shared.coach.no_thanks.table import Round
from scoville_shared.coach.sample import Aim
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play
from scoville_shared.games.dicht_dran import GAME as DICHT_DRAN
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import Reshuffled
from scoville_shared.games.dicht_dran.state import PLAYS, State
from scoville_shared.games.no_thanks.runs import card_points


class Worth(NamedTuple):
    """What a position is worth to each seat: mean score and share of the win."""

    scores: tuple[Fraction, ...]
    wins: tuple[Fraction, ...]

    def lead(self, seat: int) -> Fraction:
        """The lead of one of two seats."""
        return self.scores[1 - seat] - self.scores[seat]


def mean(parts: Sequence[Worth]) -> Worth:
    seats = range(len(parts[0].scores))
    return Worth(
        tuple(sum((part.scores[seat] for part in parts), Fraction()) / len(parts) for seat in seats),
        tuple(sum((part.wins[seat] for part in parts), Fraction()) / len(parts) for seat in seats),
    )


def ended(scores: Sequence[int], *, fewer: bool) -> Worth:
    best = min(scores) if fewer else max(scores)
    share = Fraction(1, list(scores).count(best))
    return Worth(tuple(map(Fraction, scores)), tuple(share if score == best else Fraction() for score in scores))


class CardTable(NamedTuple):
    """A round of No Thanks! in sets of cards."""

    chips: tuple[int, ...]
    cards: tuple[frozenset[int], ...]
    unseen: frozenset[int]
    left: int
    card: int
    pot: int
    mover: int

    def passed(self) -> "CardTable":
        chips = tuple(count - (seat == self.mover) for seat, count in enumerate(self.chips))
        return self._replace(chips=chips, pot=self.pot + 1, mover=(self.mover + 1) % len(chips))

    def taken(self) -> "CardTable":
        chips = tuple(count + self.pot * (seat == self.mover) for seat, count in enumerate(self.chips))
        cards = tuple(own | {self.card} if seat == self.mover else own for seat, own in enumerate(self.cards))
        return self._replace(chips=chips, cards=cards, pot=0)

    def following(self) -> Iterator["CardTable"]:
        for card in sorted(self.unseen):
            yield self._replace(card=card, unseen=self.unseen - {card}, left=self.left - 1)


def take(table: CardTable, policies: Sequence[tuple[int, ...]] | None) -> Worth:
    """Return what taking leads to: by these policies of the seats, or under perfect play."""
    after = table.taken()
    if not after.left:
        scores = [card_points(cards) - chips for cards, chips in zip(after.cards, after.chips, strict=True)]
        return ended(scores, fewer=True)
    return mean([go_on(each, policies) for each in after.following()])


def go_on(table: CardTable, policies: Sequence[tuple[int, ...]] | None) -> Worth:
    """Return what a position leads to."""
    if not table.chips[table.mover]:
        return take(table, policies)
    if policies is not None:
        return take(table, policies) if wants(table, policies[table.mover]) else go_on(table.passed(), policies)
    taking, passing = take(table, None), go_on(table.passed(), None)
    return taking if aim(taking, table.mover) >= aim(passing, table.mover) else passing


def aim(worth: Worth, seat: int) -> Fraction:
    """With two seats the lead."""
    return worth.lead(seat)


@cache
def solved_take(table: CardTable, aim: Aim) -> Worth:
    """Return what taking leads to if both seats play perfectly by an aim."""
    after = table.taken()
    if not after.left:
        return take(table, None)
    return mean([solved(each, aim) for each in after.following()])


@cache
def solved(table: CardTable, aim: Aim) -> Worth:
    """Return what a position leads to if both seats play perfectly by an aim."""
    taking = solved_take(table, aim)
    if not table.chips[table.mover]:
        return taking
    passing = solved(table.passed(), aim)
    return taking if reached(taking, table.mover, aim) >= reached(passing, table.mover, aim) else passing


def reached(worth: Worth, seat: int, aim: Aim) -> Fraction:
    """What one of two seats maximizes."""
    return worth.lead(seat) if aim is Aim.LEAD else worth.wins[seat] + worth.lead(seat) / 1000


def wants(table: CardTable, policy: tuple[int, ...]) -> bool:
    """Decide by the rule of the trained bots, as docstrings describe it."""
    card, mine, seats = table.card, table.cards[table.mover], len(table.cards)
    fits = [bool({card - 1, card + 1} & cards) for cards in table.cards]
    run, near = fits[table.mover], bool({card - 2, card + 2} & mine)
    rivals, following = sum(fits) - run, fits[(table.mover + 1) % seats]
    features = [
        1, card_points(mine | {card}) - card_points(mine), table.left, run, near, rivals, run * rivals, following,
        table.pot, run * table.pot, min(table.chips[table.mover], 20),
    ]  # fmt: skip
    return sum(weight * feature for weight, feature in zip(policy, features, strict=True)) > 0


TRAINED = POPULATION[0]


def as_round(table: CardTable) -> Round:
    """Return the position in the coach's terms."""
    return Round(
        chips=list(table.chips),
        owned=[sum(1 << card for card in cards) for cards in table.cards],
        points=[card_points(cards) for cards in table.cards],
        unseen=sorted(table.unseen),
        left=table.left,
        card=table.card,
        pot=table.pot,
        mover=table.mover,
        totals=[0] * len(table.chips),
        whole=list(range(3, 36)),
        rounds=0,
        chips_each=11,
    )


# --- Dicht dran --------------------------------------------------------------------------------------------


class Reshuffling(Exception):
    """A world in which chance is not enumerated."""


def deals(state: State, seat: int) -> Iterator[State]:
    """List the worlds of a seat: its own cards stay, the others' hands and the pile are dealt in every way."""
    secret, sizes = state.secret, state.board.hands
    hidden = [card for other, hand in enumerate(secret.hands) if other != seat for card in hand] + [*secret.pile]
    others = [size for other, size in enumerate(sizes) if other != seat]
    for order in permutations(sorted(hidden)):
        cards = iter(order)
        if any(order[at] > order[at + 1] for size, start in _slices(others) for at in range(start, start + size - 1)):
            continue  # the same hand in another order
        hands = tuple(
            hand if other == seat else tuple(sorted(next(cards) for _ in range(sizes[other])))
            for other, hand in enumerate(secret.hands)
        )
        yield State(
            state.board,
            type(secret)(Dice(bytes(32)), hands, secret.won, tuple(cards), secret.discard),
            state.chosen,
            state.picks,
            state.taken_back,
        )


def _slices(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for size in sizes:
        yield size, start
        start += size


def by_policy(state: State, seat: int) -> int:
    """Choose a card as the first trained policy does."""
    board, hand = state.board, state.secret.hands[seat]
    return dicht_dran_policy.choose(
        board.circle, board.target, hand, len(hand), 0, peppers_by_card(board.options.peppers),
        chances(len(board.hands)), WEIGHTS, 0,
    )  # fmt: skip


def finish_round(state: State, picks: Sequence[int]) -> State:
    """Play a round by the rules."""
    for seat, card in enumerate(picks):
        step: Any = play(DICHT_DRAN, state, seat, PLAYS[card])  # type: ignore[arg-type]
        assert not isinstance(step, Refusal)
        if any(isinstance(each.fact, Reshuffled) for each in step.facts):
            raise Reshuffling
        state = step.state
    return state


def pepper_worth(state: State, seat: int, first: int) -> Worth:
    """Return what a card of the last cycle leads to: the mean over all deals, everybody playing by policy."""
    parts = []
    for deal in deals(state, seat):
        seats, world = range(len(deal.picks)), after_round(deal, seat, first)
        while not world.board.over:
            world = finish_round(world, [by_policy(world, other) for other in seats])
        parts.append(ended(world.board.totals, fewer=False))
    return mean(parts)


def after_round(deal: State, seat: int, first: int) -> State:
    """Play one round in which a seat plays the card `first`."""
    seats = range(len(deal.picks))
    return finish_round(deal, [first if other == seat else by_policy(deal, other) for other in seats])


def round_worth(state: State, seat: int, first: int) -> Fraction:
    """Return the peppers that one round brings a seat on average: won ones, less the change of those in its hand."""
    peppers = peppers_by_card(state.board.options.peppers)

    def own(world: State) -> int:
        return sum(peppers[card] for card in world.secret.won[seat]) - sum(
            peppers[card] for card in world.secret.hands[seat]
        )

    found = [own(after_round(deal, seat, first)) - own(deal) for deal in deals(state, seat)]
    return Fraction(sum(found), len(found))
