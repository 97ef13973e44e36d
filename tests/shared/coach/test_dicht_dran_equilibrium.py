"""The equilibrium of a round of Dicht dran: best replies to it, computed from the rules of a round alone."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from random import Random
from statistics import fmean

import pytest

from scoville_shared.bots.dicht_dran.table import KnownCycle
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.coach.base import Policy
from scoville_shared.coach.dicht_dran.coach import RoundCoach, RoundQuestion
from scoville_shared.coach.sample import Aim
from scoville_shared.coach.study import judge_move, study_moves
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.solvers.dicht_dran.equilibrium import RoundGame, round_game, round_to_percents, shares_of
from tests.support.machines import MACHINES

PEPPERS = peppers_by_card(None)
Hands = Callable[[Sequence[int], int], Iterable[tuple[int, ...]]]


class Table:
    """A circle and the cards that nobody has seen, from which two players hold so many each."""

    def __init__(self, luck: Random, unseen: int, sizes: tuple[int, int]) -> None:
        cards = luck.sample(range(2, 100), 4 + unseen)
        self.circle, self.slot = [1, *cards[:2], 100, *cards[2:4]], luck.randrange(6)
        self.cards, self.sizes = sorted(cards[4:]), sizes

    def game(self, side: int) -> RoundGame:
        sizes = self.sizes if side == 0 else self.sizes[::-1]
        return round_game(self.circle, self.slot, self.cards, PEPPERS, sizes)

    def lead(self, own: int, other: int, drawn: float) -> float:
        """What a round brings in excess of the other's by rules A7 to A13, if a drawn card has so many peppers."""
        target, before, after = (self.circle[(self.slot + step) % 6] for step in (0, -1, 1))
        wins = (abs(own - target), -own) < (abs(other - target), -other)

        def brings(card: int, *, wins: bool) -> float:
            fits = min(before, after) < card < max(before, after)
            return PEPPERS[card] + (PEPPERS[target] if wins else 0 if fits else -drawn * PEPPERS[card])

        return brings(own, wins=wins) - brings(other, wins=not wins)

    def gain(self, side: int, machine: Machine, own: Hands, others: Hands) -> float:
        """By how much the best replies of a side exceed its advised play, on average over its hands."""
        return fmean(
            self.reply_gain(side, hand, machine, others) for hand in own(self.cards, self.sizes[side])
        )  # fmt: skip

    def reply_gain(self, side: int, hand: tuple[int, ...], machine: Machine, others: Hands) -> float:
        rest = [card for card in self.cards if card not in hand]
        worths, met = [0.0] * len(hand), 0
        for held in others(rest, self.sizes[1 - side]):
            drawn = fmean(PEPPERS[card] for card in rest if card not in held)
            shares = shares_of(self.game(1 - side), held, machine)
            met += 1
            for place, card in enumerate(hand):
                worths[place] += sum(
                    share * self.lead(card, other, drawn) for share, other in zip(shares, held, strict=True)
                )
        advised = zip(shares_of(self.game(side), hand, machine), worths, strict=True)
        return (max(worths) - sum(share * worth for share, worth in advised)) / met


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(("unseen", "sizes"), [(7, (2, 2)), (8, (2, 2)), (8, (3, 2)), (8, (1, 5))])
def test_known_advice_gains_rivals_nothing(name: str, unseen: int, sizes: tuple[int, int]) -> None:
    machine = MACHINES[name]()
    for seed in range(2):
        table = Table(Random(seed), unseen, sizes)
        assert sum(table.gain(side, machine, combinations, combinations) for side in (0, 1)) < 0.005


@pytest.mark.parametrize(("unseen", "sizes"), [(16, (4, 4)), (40, (3, 2)), (80, (7, 9))])
def test_sampled_advice_is_exploitable_by_a_hundredth(unseen: int, sizes: tuple[int, int]) -> None:
    luck = Random(unseen)

    def drawn(number: int) -> Hands:
        return lambda cards, size: (tuple(luck.sample(cards, size)) for _ in range(number))

    table = Table(luck, unseen, sizes)
    machine = MACHINES["compiled"]()
    assert sum(table.gain(side, machine, drawn(12), drawn(400)) for side in (0, 1)) < 0.02


def test_rounds_with_mostly_held_cards_are_not_solved() -> None:
    table = Table(Random(1), 30, (12, 12))
    assert shares_of(table.game(0), table.cards[:12], INTERPRETED) == ()


def test_shares_are_whole_percents_that_add_up_to_one() -> None:
    assert round_to_percents([1 / 3, 1 / 3, 1 / 3]) == (0.34, 0.33, 0.33)
    assert round_to_percents([0.999, 0.001, 0.0]) == (1.0, 0.0, 0.0)
    luck = Random(4)
    for _ in range(200):
        parts = [luck.random() ** 4 for _ in range(luck.randint(1, 9))]
        assert sum(round_to_percents([part / sum(parts) for part in parts])) == pytest.approx(1)


def last_round(table: Table, hand: Sequence[int], seats: int = 2) -> RoundQuestion:
    cycle = KnownCycle(
        circle=table.circle, slot=table.slot, sizes=[len(hand)] * seats, won=[0] * seats, discard=[], pile=4,
        peppers=list(PEPPERS), totals=[0] * seats, cycles=0,
    )  # fmt: skip
    return RoundQuestion(
        moves=[{"card": card} for card in hand], cycle=cycle, me=0, hand=list(hand),
        unseen=[card for card in table.cards if card not in hand], known=[0] * seats,
        policy=Policy.TRAINED, aim=Aim.LEAD,
    )  # fmt: skip


def test_two_player_studies_show_equilibrium_shares() -> None:
    coach, table = RoundCoach(GAME), Table(Random(5), 8, (2, 2))
    hands = list(combinations(table.cards, 2))
    found = [study_moves(last_round(table, hand), 800, 1) for hand in hands]
    said = [coach.explain_balance(each.sample.moves, each.shares).render([]) for each in found]
    mixed = next(place for place, each in enumerate(found) if 0 < each.shares[0] < 1)
    parts = sorted(zip(found[mixed].shares, hands[mixed], strict=True), key=lambda part: -part[0])
    cards = ", ".join(f"the {card} in {round(100 * share)} % of cases" for share, card in parts)
    assert said[mixed] == f"If only this round counted: {cards}. Nobody can exploit that."
    pure = next(place for place, each in enumerate(found) if each.shares[1] == 1)
    assert said[pure] == f"If only this round counted: always the {hands[pure][1]}. Nobody can exploit that."
    assert study_moves(last_round(table, hands[0], seats=3), 800, 1).shares == ()


def test_equilibrium_cards_are_never_called_wrong() -> None:
    blamed = spared = 0
    machine = MACHINES["compiled"]()
    for seed in range(2):
        table = Table(Random(seed), 8, (2, 2))
        for hand in list(combinations(table.cards, 2))[::3]:
            question = last_round(table, hand)
            found = study_moves(question, 20_000, 1, machine)
            played = 1 - found.sample.best_move
            judged = judge_move(question, played, 40_000, 1, machine)
            if found.shares[played] == 0:
                blamed += judged.is_sure
            elif judged.best != played:
                spared += not judged.is_sure
    assert blamed > 3
    assert spared > 0
