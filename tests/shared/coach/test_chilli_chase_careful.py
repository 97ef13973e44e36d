"""The policies of playouts against the bots that they stand for, and their machine code against plain Python."""

from collections import Counter
from random import Random

import pytest

from scoville_shared.bots.chilli_chase import careful, hits
from scoville_shared.bots.chilli_chase.heuristics import Easy, new_score
from scoville_shared.bots.chilli_chase.kernel import (
    ALL_WAYS,
    MEMO,
    MOVER,
    NEAR,
    TOTAL,
    Table,
    lay_out_table,
    result_of,
)
from scoville_shared.bots.chilli_chase.table import list_seen, make_space
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.coach.base import Policy
from scoville_shared.coach.chilli_chase.coach import TurnCoach
from scoville_shared.coach.study import study_moves
from scoville_shared.engine.dice import Dice
from scoville_shared.games.chilli_chase.arithmetic import list_reaches, total_made
from scoville_shared.games.chilli_chase.state import NewScore, Options, Play
from tests.shared.bots.bot_games import Decision, play_decisions
from tests.support.machines import MACHINES

CAP = Options().cap


@pytest.mark.parametrize("card", range(1, 7))
def test_it_knows_which_cards_hit_a_score(card: int) -> None:
    for total in (*range(-40, 41), 64, 125, 1_000):
        within = {way.total for way in list_reaches(card, total, Options())}
        for score in (*range(-30, 0), *range(1, 31)):
            assert hits.can_hit(card, total, score, CAP) == (score in within), (card, total, score)


@pytest.mark.parametrize("machine", MACHINES)
def test_noted_hits_are_those_that_were_computed(machine: str) -> None:
    made, luck = MACHINES[machine](), Random(7)
    functions, memo = made.load(hits), made.numbers([0] * MEMO)
    # Beyond NEAR nothing is noted.
    totals = (*range(-NEAR - 2, NEAR + 3), 200, 1_296, -9_999)
    scores = (*range(1, 13), -1, -7, 24, 64, NEAR, NEAR + 1, 216)
    pairs = [(luck.choice(totals), luck.choice(scores)) for _ in range(900)]
    for total, score in [*pairs, *pairs]:
        hitting = [card for card in range(1, 7) if score in {way.total for way in list_reaches(card, total, Options())}]
        expected = (len(hitting) << hits.COUNT) + sum(1 << card for card in hitting)
        assert functions.find_hits(memo, total, score, CAP) == expected, (total, score)
        if abs(total) <= NEAR and abs(score) <= NEAR:
            assert memo[functions.locate_hits(score) + total] == expected + 1
        else:
            assert not functions.locate_hits(score) or abs(total) > NEAR


def offers() -> list[Decision]:
    every = (
        each for number in range(9) for each in play_decisions("chilli_chase", ["random"] * 3, number, turn_limit=60)
    )
    return [each for each in every if each.state.board.choosing and not each.state.board.over]


def test_it_takes_the_chilli_score_that_the_sensible_bot_takes() -> None:
    found = offers()
    assert len(found) > 2
    for each in found:
        view = each.game.view(each.state, each.seat)
        move = new_score(view)
        wanted = move.score if isinstance(move, NewScore) else view.board.scores[each.seat]
        question = TurnCoach(each.game).make_question(view)
        if question is None:
            continue
        assert careful.most_reached(list_seen(INTERPRETED, question.table)) == wanted


def known_table(decision: Decision) -> Table | None:
    """Return the table of a turn as its seat knows it; None where the seat chooses a Chilli Score."""
    view = decision.game.view(decision.state, decision.seat)
    question = None if view.board.choosing or view.board.over else TurnCoach(decision.game).make_question(view)
    return None if question is None else list_seen(INTERPRETED, question.table)


def make_total(table: Table, seat: int, chosen: int) -> tuple[int, int]:
    """Return the card and the total of a policy's choice."""
    card = table.hands[3 * seat + chosen // ALL_WAYS]
    return card, result_of(chosen % ALL_WAYS, table.now[TOTAL], card, table.rules)


@pytest.mark.parametrize("extended", [False, True])
def test_it_plays_what_the_easy_bot_plays(extended: bool) -> None:
    seen = 0
    for each in play_decisions("chilli_chase", ["random"] * 3, 4, turn_limit=90, extended=extended):
        table = known_table(each)
        if table is None:
            continue
        seen += 1
        move = Easy(each.game).choose_move(each.game.view(each.state, each.seat), Dice(bytes(32)).open_stream("bot"))
        assert isinstance(move, Play)
        wanted = move.card, total_made(move, table.now[TOTAL], each.state.board.options)
        assert make_total(table, each.seat, careful.choose_closest(table)) == wanted
    assert seen > 20


def test_casual_players_are_half_easy() -> None:
    coach = TurnCoach(next(play_decisions("chilli_chase", ["easy"] * 3, 0)).game)
    coach.expect_players(["easy", "casual", "sensible"])
    assert coach.list_known_policies(3) == [careful.CLOSEST, careful.MIXED, careful.CAREFUL]
    made: Counter[bool] = Counter()
    luck = Random(1)
    for each in play_decisions("chilli_chase", ["random"] * 3, 7, turn_limit=120):
        seen = known_table(each)
        if seen is None:
            continue
        closest = make_total(seen, each.seat, careful.choose_closest(seen))[1]
        question = coach.make_question(each.game.view(each.state, each.seat))
        assert question is not None
        for _ in range(8):
            space = make_space(INTERPRETED, question.table)
            table = space.table
            lay_out_table(each.seat, seen, list(question.unseen), table)
            # What the careful policy would play from here; its own chance only tells equals apart.
            if make_total(table, each.seat, careful.choose_carefully(table, [luck.getrandbits(32)]))[1] == closest:
                continue
            careful.play_on(space._replace(policies=[careful.MIXED] * 3), 1, [luck.getrandbits(32)])
            made[table.now[TOTAL] == closest] += 1
    assert sum(made.values()) > 200
    assert 0.4 < made[True] / sum(made.values()) < 0.6


@pytest.mark.parametrize("levels", [[], ["casual"] * 3, ["master"] * 3])
def test_machine_code_plays_the_same_games(levels: list[str]) -> None:
    decision = next(play_decisions("chilli_chase", ["sensible"] * 3, 5, turn_limit=50))
    coach = TurnCoach(decision.game)
    coach.expect_players(levels)
    question = coach.make_question(decision.game.view(decision.state, decision.seat))
    assert question is not None
    assert question.policy is Policy.DRAWN
    few = question.with_moves([0, 1])
    plain, compiled = MACHINES["interpreted"](), MACHINES["compiled"]()
    assert study_moves(few, 80 * plain.divisor, 3, plain).sample.sums[:10] == pytest.approx(
        study_moves(few, 2, 3, compiled).sample.sums[:10]
    )


def test_masters_are_played_out_with_opinions_that_vary() -> None:
    coach, luck = TurnCoach(next(play_decisions("chilli_chase", ["easy"] * 3, 0)).game), Random(2)
    coach.expect_players(["master"] * 3)
    assert coach.list_known_policies(3) == [careful.VARIED] * 3
    seen = next(filter(None, map(known_table, play_decisions("chilli_chase", ["sensible"] * 3, 5))))
    chosen: Counter[tuple[int, int]] = Counter()
    for _ in range(400):
        play = careful.choose_carefully(seen, [luck.getrandbits(32)], careful.VARIATION)
        chosen[make_total(seen, seen.now[MOVER], play)] += 1
    # The rule's choice is often made, and by far not the only one.
    rule = make_total(seen, seen.now[MOVER], careful.choose_carefully(seen, [1]))
    assert 400 / len(chosen) < chosen[rule] < 300
    assert len(chosen) > 5
