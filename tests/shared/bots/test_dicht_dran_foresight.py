"""The farsighted and the fitted policy of Dicht dran: what they count and keep, and how they choose."""

from collections import Counter
from math import exp
from random import Random

import pytest

from scoville_shared.bots import utility
from scoville_shared.bots.dicht_dran import comparison, fitted, foresight, kernel
from scoville_shared.bots.dicht_dran.fitted import FIGURES, chance_among_eight, describe_hand, draw_card
from scoville_shared.bots.dicht_dran.foresight import (
    NUMBERS,
    chance_of_closest,
    choose_farsighted,
    count_unknown,
    find_closest,
    mark_cards,
)
from scoville_shared.bots.dicht_dran.policies import (
    FITTED,
    FORESIGHT,
    GUMBEL,
    LOGARITHMS,
    Foresight,
    Likelihood,
)
from scoville_shared.bots.dicht_dran.search import Master, Strong
from scoville_shared.bots.dicht_dran.table import (
    choose_by_policy,
    choose_with_foresight,
    describe_choice,
    list_insight,
    list_worth,
    make_desk,
    make_space,
)
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.bots.search import PORTIONS, make_sums
from scoville_shared.bots.utility import COLUMNS, WORLDS
from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.cards import DECK, peppers_by_card
from scoville_shared.games.dicht_dran.state import Options
from tests.shared.bots.bot_games import Decision, play_decisions
from tests.shared.games.dicht_dran.tables import ANNA, lay_out
from tests.support.machines import MACHINES

PEPPERS = peppers_by_card(None)


def cumulate(cards: list[int]) -> list[int]:
    unknown = [0] * NUMBERS
    count_unknown([int(number in cards) for number in range(NUMBERS)], [], 0, 0, unknown)
    return unknown


def test_closer_unknown_cards_lower_the_chance() -> None:
    luck = Random(1)
    for _ in range(300):
        target, card, *others = luck.sample(range(1, 101), 2 + luck.randint(1, 60))
        closer = [each for each in others if kernel.closeness_of(each, target) < kernel.closeness_of(card, target)]
        unknown, share = cumulate(others), 1 - len(closer) / len(others)
        assert chance_of_closest(card, target, unknown, 3.5, LOGARITHMS) == pytest.approx(share**3.5)
        assert chance_among_eight(card, target, unknown) == pytest.approx(share**8)


def test_without_unknown_cards_nothing_is_divided() -> None:
    assert chance_of_closest(50, 60, [0] * NUMBERS, 3.0, LOGARITHMS) == 0.0
    assert chance_among_eight(50, 60, [0] * NUMBERS) == 1.0


def test_the_closest_two_cards_of_a_hand_are_found() -> None:
    luck = Random(2)
    for size in (1, 2, 3, 8):
        target, *hand = luck.sample(range(1, 101), 1 + size)
        order = sorted(range(size), key=lambda place: kernel.closeness_of(hand[place], target))
        assert find_closest([0, *hand], 1, size, target) == (order[0], order[1] if size > 1 else -1)


def lay_out_world(decision: Decision) -> kernel.Cycle:
    """Lay out a decision's cycle with all hands."""
    board, secret = decision.state.board, decision.state.secret
    hands = [0] * (len(secret.hands) * kernel.STRIDE)
    for seat, hand in enumerate(secret.hands):
        hands[seat * kernel.STRIDE : seat * kernel.STRIDE + len(hand)] = hand
    counts = [0, len(secret.pile), 0, board.target]
    return kernel.Cycle(list(board.circle), hands, list(board.hands), [], list(secret.pile), [], counts)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_view_and_a_world_have_the_same_choice(seats: int) -> None:
    compared = 0
    for decision in play_decisions("dicht_dran", ["sensible"] * seats, 7, cycles=1):
        if decision.facts and not decision.state.board.over:
            cycle, board, seat = lay_out_world(decision), decision.state.board, decision.seat
            hand = decision.state.secret.hands[seat]
            marks, unknown, losses = [0] * NUMBERS, [0] * NUMBERS, [0.0] * kernel.STRIDE
            mark_cards(cycle, marks)
            count_unknown(marks, cycle.hands, seat, len(hand), unknown)
            others = [each for number, each in enumerate(decision.state.secret.hands) if number != seat]
            unseen = [card for cards in (*others, decision.state.secret.pile) for card in cards]
            card = choose_farsighted(cycle, seat, PEPPERS, FORESIGHT, LOGARITHMS, unknown, losses)
            assert card == choose_with_foresight(board, seat, hand, unseen)
            figures = [1.0] * (FIGURES * len(hand))
            describe_hand(cycle, seat, list_worth(INTERPRETED, PEPPERS, seats), unknown, figures)
            assert figures == [each for row in describe_choice(board, seat, hand, unseen) for each in row]
            compared += 1
    assert compared > 10


# The gap of target 30 is 45 to 90: both cards of Anna fit it, and 46 would win the target that follows.
AHEAD = lay_out([(46, 76), (20, 21), (50, 70)], circle=(1, 90, 30, 45, 5, 95), target=2)
UNSEEN = [card for card in DECK if card not in {*AHEAD.secret.hands[ANNA], *AHEAD.board.circle}]


def test_card_for_a_later_target_is_kept() -> None:
    board, hand = AHEAD.board, AHEAD.secret.hands[ANNA]
    assert choose_by_policy(board, hand, kernel.TRAINED) == 46
    assert choose_with_foresight(board, ANNA, hand, UNSEEN) == 76


def test_a_master_departs_from_the_farsighted_card() -> None:
    view = GAME.view(AHEAD, ANNA)
    master, strong = Master(GAME).make_question(view), Strong(GAME).make_question(view)
    assert (master.candidates, strong.candidates) == ([76, 46], [46, 76])
    assert (master.needed_errors, strong.needed_errors) == (1.0, 2.0)


def test_the_weights_are_those_that_the_kernel_reads() -> None:
    for kind, module in ((Foresight, foresight), (Likelihood, fitted)):
        names = {"drawn": "LAID"} if kind is Foresight else {}
        places = [getattr(module, names.get(field, field.upper())) for field in kind._fields]
        assert places == list(range(len(kind._fields)))
    assert len(Likelihood._fields) == FIGURES


def test_figures_compare_cards_with_trained_ones() -> None:
    best, other = (Likelihood(*row) for row in describe_choice(AHEAD.board, ANNA, AHEAD.secret.hands[ANNA], UNSEEN))
    assert (best.best, other.best) == (1.0, 0.0)
    assert best.behind == best.little_behind == 0.0
    assert other.behind < 0.0
    assert other.little_behind == max(other.behind, -1.0)
    # Without the 46 the hand has little to win the 45 with, which is the next target.
    assert best.first_loss > 0.5 > other.first_loss == 0.0
    assert best.drawing == other.drawing == 0.0, "both fit the gap"


def test_cards_are_drawn_by_their_chances() -> None:
    hand, seats = AHEAD.secret.hands[ANNA], len(AHEAD.board.hands)
    rows = describe_choice(AHEAD.board, ANNA, hand, UNSEEN)
    odds = [exp(sum(map(float.__mul__, FITTED, row))) for row in rows]
    cycle = kernel.Cycle(list(AHEAD.board.circle), list(hand), list(AHEAD.board.hands), [], [], [], [0, 0, 0, 2])
    worth, unknown, rng = list_worth(INTERPRETED, PEPPERS, seats), cumulate(UNSEEN), [1]
    figures = [0.0] * (FIGURES * len(hand))
    drawn = Counter(draw_card(cycle, 0, worth, FITTED, GUMBEL, unknown, figures, rng) for _ in range(4_000))
    assert drawn[46] / 4_000 == pytest.approx(odds[0] / sum(odds), abs=0.03)


def test_playouts_go_to_the_better_cards() -> None:
    # Of eight cards, the first one by the rule of thumb, the worse half leaves first, then all but two.
    kept, count = [0] * 8, 8
    sums = [0.0] * (COLUMNS * count)
    for number, better in enumerate((0.0, -0.3, 0.2, 0.1, -0.1, 0.3, -0.2, 0.05)):
        sums[COLUMNS * number + 1] = better
    for worlds, playing in ((29, 8), (30, 5), (89, 5), (90, 3)):
        for number in range(count):
            sums[COLUMNS * number + WORLDS] = 1.0
        sums[WORLDS] = worlds
        assert utility.keep_better_moves(sums, 10, count, kept) == sum(kept) == playing
    assert kept == [1, 0, 1, 0, 0, 1, 0, 0]


def test_halving_makes_as_many_playouts_as_were_asked_for() -> None:
    view = GAME.view(GAME.setup(Options(), 3, Dice(bytes(32))), ANNA)
    question, rng = Master(GAME).make_question(view), [1]
    sums = make_sums(question, INTERPRETED)
    for _ in range(PORTIONS):
        question.compare_moves(INTERPRETED, 2, rng, sums)
    worlds = sums[WORLDS::COLUMNS]
    asked = PORTIONS * 2 * len(question.moves)
    assert 0.9 * asked <= sum(worlds) <= asked
    assert min(worlds) == 6.0
    assert max(worlds) > 1.4 * PORTIONS * 2


@pytest.mark.parametrize(("lead", "share"), [(0, 1 / 3), (6, 0.576), (-6, 0.155), (10_000, 1.0), (-10_000, 0.0)])
def test_lead_counts_as_its_chance_to_win(lead: int, share: float) -> None:
    cycle = make_space(INTERPRETED, 3).cycle
    assert comparison.share_of_win(1, cycle, PEPPERS, [0, lead, 0], 6.0) == pytest.approx(share, abs=0.001)


def play_cycles(name: str, games: int, seats: int) -> tuple[list[list[int]], float]:
    """Play single cycles on a machine, one seat with foresight; return all scores and its share of the wins."""
    machine = MACHINES[name]()
    space, worth, insight = (
        make_space(machine, seats),
        list_worth(machine, PEPPERS, seats),
        list_insight(machine, seats),
    )
    desk, rng = make_desk(machine), machine.numbers([1])
    code, rules = machine.load(comparison), machine.load(kernel)
    played, won = [], 0.0
    for number in range(games):
        me = number % seats
        rules.deal_cycle(space.cycle, seats, rng)
        code.play_on(space, worth, insight, desk, me, kernel.ANY_CARD, rng)
        scores = [int(rules.own_peppers(space.cycle, seat, worth.peppers)) for seat in range(seats)]
        played.append(scores)
        won += (scores[me] == max(scores)) / scores.count(max(scores))
    return played, won


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_machine_code_plays_the_same_cycles(seats: int) -> None:
    assert play_cycles("compiled", 20, seats) == play_cycles("interpreted", 20, seats)


def test_foresight_wins_more_than_three_fitted_players() -> None:
    assert play_cycles("compiled", 400, 4)[1] > 400 / 4 * 1.1
