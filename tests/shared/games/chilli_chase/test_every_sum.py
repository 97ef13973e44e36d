"""Every total with every card and operation, compared with an independent implementation."""

import os

import pytest
from msgspec.structs import replace

from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import list_reaches
from scoville_shared.games.chilli_chase.state import Left, Op, Options, Play, State
from tests.shared.games.chilli_chase.oracle import OPS, combined
from tests.shared.games.chilli_chase.tables import A, lay_out

CAP = 9_999 if os.environ.get("HYPOTHESIS_PROFILE") == "wide" else 999
CARDS = range(1, 7)
PLAYS = [Play(card, Op(op), left) for card in CARDS for op in OPS for left in Left]


def totals(cap, zero):
    return [total for total in range(-cap, cap + 1) if total or zero]


@pytest.fixture(scope="module")
def table():
    return lay_out(1, tuple(CARDS), (1, 2, 3))


def with_total(table, total, options):
    return State(replace(table.board, total=total, options=options), table.secret)


def expected(play, total, options):
    left, right = (total, play.card) if play.left is Left.TOTAL else (play.card, total)
    return combined(left, play.op.value, right, options.cap, extended=options.extended, zero=options.zero)


@pytest.mark.parametrize(
    "options",
    [
        Options(cap=CAP, extended=True),
        Options(cap=99, extended=True, zero=True),
        Options(cap=99, zero=True),
        Options(cap=99),
        Options(cap=128, extended=True),
    ],
    ids=["extended", "extended with zero", "with zero", "as in the rulebook", "a cap that is a power"],
)
def test_check_and_oracle_agree_on_playability(table, options):
    for total in totals(options.cap, options.zero):
        state = with_total(table, total, options)
        made = {play: expected(play, total, options) for play in PLAYS}
        legal = {play for play in PLAYS if GAME.check(state, A, play) is None}
        assert legal == {play for play in PLAYS if made[play] is not None}, total
        assert {play.card for play in legal} == set(CARDS), total
        moves = GAME.moves(GAME.view(state, A))
        assert len(moves) == len(legal)
        assert set(moves) == legal
        for card in CARDS:
            for way in list_reaches(card, total, options):
                assert {made[play] for play in way.plays} == {way.total}
                assert {play.card for play in way.plays} == {card}


@pytest.mark.parametrize("cap", [99, 9_999, 999_999])
@pytest.mark.parametrize("distance", range(7))
def test_every_card_can_be_played_close_to_the_cap(cap, distance):
    options = Options(cap=cap)
    for total in (cap - distance, distance - cap):
        for card in CARDS:
            ways = list_reaches(card, total, options)
            assert ways
            assert all(abs(way.total) <= cap for way in ways)


@pytest.mark.parametrize("total", [999_999, -999_999, 531_441, 2**19, 1_000, -512, 0, 1, -1])
def test_far_totals_agree_with_the_oracle_too(total):
    options = Options(cap=999_999, extended=True, zero=True)
    for play in PLAYS:
        ways = [way.total for way in list_reaches(play.card, total, options) if play in way.plays]
        made = expected(play, total, options)
        assert ways == ([] if made is None else [made])
