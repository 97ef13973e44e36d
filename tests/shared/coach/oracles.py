"""Exact solutions of small positions, written without the coach's kernels: in fractions, or by the games' own rules."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import permutations
from typing import Any, NamedTuple

from scoville_shared.bots.dicht_dran.table import choose_by_policy
from scoville_shared.bots.no_thanks.policies import POPULATION
from scoville_shared.bots.no_thanks.table import Round
from scoville_shared.coach.sample import Aim
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME as DICHT_DRAN
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import Reshuffled
from scoville_shared.games.dicht_dran.state import PLAYS, State
from scoville_shared.games.no_thanks.runs import card_points


class Worth(NamedTuple):
    """What a position is worth to each seat: mean score, share of the win and lead over the best other seat."""

    scores: tuple[Fraction, ...]
    wins: tuple[Fraction, ...]
    leads: tuple[Fraction, ...]


def mean(parts: Sequence[Worth]) -> Worth:
    return Worth(*(
        tuple(sum(seat, Fraction()) / len(parts) for seat in zip(*column, strict=True))
        for column in zip(*parts, strict=True)
    ))  # fmt: skip


def ended(scores: Sequence[int], *, fewer: bool) -> Worth:
    goods = [-score if fewer else score for score in scores]
    best = max(goods)
    share = Fraction(1, goods.count(best))
    return Worth(
        tuple(map(Fraction, scores)),
        tuple(share if good == best else Fraction() for good in goods),
        tuple(Fraction(good - max(goods[:seat] + goods[seat + 1 :])) for seat, good in enumerate(goods)),
    )


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


Play = Callable[[CardTable], Worth]
"""What a position leads to, by some way to go on."""


def take(table: CardTable, go_on: Play) -> Worth:
    """Return what taking leads to."""
    after = table.taken()
    if not after.left:
        scores = [card_points(cards) - chips for cards, chips in zip(after.cards, after.chips, strict=True)]
        return ended(scores, fewer=True)
    return mean([go_on(each) for each in after.following()])


def by_policies(table: CardTable, policies: Sequence[tuple[int, ...]]) -> Worth:
    """Return what a position leads to if the seats decide by these policies."""
    if not table.chips[table.mover] or wants(table, policies[table.mover]):
        return take(table, partial(by_policies, policies=policies))
    return by_policies(table.passed(), policies)


@cache
def solved(table: CardTable, aim: Aim) -> Worth:
    """Return what a position leads to if all seats play perfectly by an aim."""
    taking = take(table, partial(solved, aim=aim))
    if not table.chips[table.mover]:
        return taking
    passing = solved(table.passed(), aim)
    return taking if reached(taking, table.mover, aim) >= reached(passing, table.mover, aim) else passing


def reached(worth: Worth, seat: int, aim: Aim) -> Fraction:
    """Return what a seat maximizes."""
    return worth.leads[seat] if aim is Aim.LEAD else worth.wins[seat] + worth.leads[seat] / 1000


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
    return choose_by_policy(state.board, state.secret.hands[seat], 0)


def finish_round(state: State, picks: Sequence[int]) -> State:
    """Play a round by the rules."""
    for seat, card in enumerate(picks):
        step: Any = play_move(DICHT_DRAN, state, seat, PLAYS[card])  # type: ignore[arg-type]
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
