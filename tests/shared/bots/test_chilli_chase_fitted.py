"""The fitted policy of Chilli Chase: the figures of plays, how they are drawn, and the master who expects it."""

from collections import Counter
from math import exp, log
from typing import Any

import pytest

from scoville_shared.bots.chilli_chase import careful, fitted
from scoville_shared.bots.chilli_chase.hits import can_hit
from scoville_shared.bots.chilli_chase.kernel import ALL_WAYS, HAND, TOTAL, VALUES, result_of
from scoville_shared.bots.chilli_chase.search import Master, Strong, TurnBot, TurnQuestion
from scoville_shared.bots.chilli_chase.table import describe_choices, list_seen, make_space, read_table
from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.search import PORTIONS, make_sums
from scoville_shared.bots.utility import WORLDS
from scoville_shared.games.chilli_chase.arithmetic import list_reaches
from scoville_shared.games.chilli_chase.state import View
from tests.shared.bots.bot_games import Decision, play_decisions
from tests.support.machines import MACHINES


def turns(**options: Any) -> list[Decision]:
    """Return the plays of some games; the mover chooses no Chilli Score in any of them."""
    every = (
        each for number in range(3) for each in play_decisions("chilli_chase", ["sensible"] * 3, number, **options)
    )
    return [each for each in every if not each.state.board.choosing and not each.state.board.over]


def view_of(decision: Decision) -> View:
    view: View = decision.game.view(decision.state, decision.seat)
    return view


def ask(bot: type[TurnBot], decision: Decision) -> TurnQuestion:
    return bot(decision.game).make_question(view_of(decision))


@pytest.mark.parametrize("options", [{"turn_limit": 60}, {"turn_limit": 60, "extended": True, "zero": True}], ids=str)
def test_every_total_of_a_card_is_described_once(options: dict[str, Any]) -> None:
    for each in turns(**options):
        view = view_of(each)
        board = view.board
        reached = {(card, way.total) for card in view.hand for way in list_reaches(card, board.total, board.options)}
        assert set(describe_choices(board, view.hand)) == reached


def test_figures_are_what_their_names_say() -> None:
    points = 0
    for each in turns(turn_limit=200):
        view = view_of(each)
        board, scores, cap = view.board, view.board.scores, view.board.options.cap
        described = describe_choices(board, view.hand)
        assert sum(figures[fitted.BEST] for figures in described.values()) == 1.0
        for (card, total), figures in described.items():
            owner = scores.index(total) if total in scores else None
            rest = list(view.hand)
            rest.remove(card)
            dangerous = sum(can_hit(each, total, scores[(board.mover + 1) % 3], cap) for each in range(1, VALUES + 1))
            danger = 1 - (1 - dangerous / VALUES) ** HAND
            points += owner is not None
            assert figures[fitted.BEHIND] <= 0.0
            assert figures[fitted.OWN_POINT] == (owner == board.mover)
            assert figures[fitted.OTHERS_POINT] == (owner not in (None, board.mover))
            assert figures[fitted.OTHERS_POINTS] == (
                board.points[owner] if owner is not None and owner != board.mover else 0
            )
            assert figures[fitted.PROMISE] == sum(can_hit(each, total, scores[board.mover], cap) for each in rest)
            assert figures[fitted.DANGER] == pytest.approx(danger)
            assert figures[fitted.SAFE_RETURN] == pytest.approx((1 - danger) * figures[fitted.RETURN])
            assert figures[fitted.SIZE] == log(1 + abs(total))
    assert points > 20


@pytest.mark.parametrize("machine", MACHINES)
def test_plays_are_drawn_by_their_chances(machine: str) -> None:
    made: Machine = MACHINES[machine]()
    each = turns(turn_limit=60)[7]
    view = view_of(each)
    described = describe_choices(view.board, view.hand)
    odds = {
        key: exp(sum(map(float.__mul__, fitted.WEIGHTS, figures)))  # the logarithms of chances, but for their sum
        for key, figures in described.items()
    }
    hands = [view.hand if seat == view.board.mover else () for seat in range(3)]
    known = read_table(view.board, hands)
    table, space, rng = list_seen(made, known), make_space(made, known), made.numbers([1])
    functions, drawn = made.load(fitted), Counter[tuple[int, int]]()
    for _ in range(4_000):
        play = functions.draw_play(table, space.insight, rng)
        card = view.hand[play // ALL_WAYS]
        drawn[card, result_of(play % ALL_WAYS, known.now[TOTAL], card, known.rules)] += 1
    for key, chance in odds.items():
        assert drawn[key] / 4_000 == pytest.approx(chance / sum(odds.values()), abs=0.03), key


def test_only_a_master_expects_fitted_players() -> None:
    each = turns(turn_limit=60)[3]
    master, strong = ask(Master, each), ask(Strong, each)
    assert (master.rivals, strong.rivals) == (careful.FITTED, careful.CAREFUL)
    assert (master.needed_errors, strong.needed_errors) == (1.0, 2.0)
    assert master.moves == strong.moves


def test_a_master_gives_the_playouts_of_worse_plays_to_better_ones() -> None:
    each = next(each for each in turns(turn_limit=60) if len(ask(Master, each).moves) >= 8)
    for bot, is_even in ((Master, False), (Strong, True)):
        question, rng = ask(bot, each), [1]
        sums = make_sums(question, INTERPRETED)
        for _ in range(PORTIONS):
            question.compare_moves(INTERPRETED, 2, rng, sums)
        worlds = sums[WORLDS :: WORLDS + 1]
        asked = PORTIONS * 2 * len(question.moves)
        assert (len(set(worlds)) == 1) == is_even
        assert 0.7 * asked < sum(worlds) <= asked
        assert worlds[0] == max(worlds), "all others are compared with the first one"


def test_machine_code_compares_the_same_playouts() -> None:
    question = ask(Master, turns(turn_limit=60)[7])
    found = []
    for machine in (MACHINES["interpreted"](), MACHINES["compiled"]()):
        sums, rng = make_sums(question, machine), machine.numbers([7])
        for _ in range(4):
            question.compare_moves(machine, 1, rng, sums)
        found.append([float(each) for each in sums])
    assert found[0] == pytest.approx(found[1])
