"""The playout kernel of Chilli Chase against the rules: all arithmetic, and random games with every option."""

from itertools import product
from random import Random
from typing import Any

import pytest

from scoville_shared.bots.chilli_chase import comparison, kernel
from scoville_shared.bots.chilli_chase.table import list_rules, list_seen, read_table
from scoville_shared.bots.machine import INTERPRETED
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.arithmetic import total_made
from scoville_shared.games.chilli_chase.state import VALUES, Left, NewScore, Op, Options, Play, Reason, State
from tests.support.machines import MACHINES

TOTALS = [*range(-130, 131), 216, 243, -243, 999, 1000, -1000, 4096, 9_998, 9_999, -9_999]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("options", [Options(), Options(extended=True, zero=True), Options(extended=True, cap=99)])
def test_every_sum_is_as_by_the_rules(machine: str, options: Options) -> None:
    made = MACHINES[machine]()
    functions = made.load(kernel)
    board = GAME.setup(options, 2, Dice(bytes(32))).board
    numbers = made.numbers(list_rules(board))
    ways = kernel.ALL_WAYS if options.extended else kernel.BASIC_WAYS
    for total, card, way in product(TOTALS, VALUES, range(ways)):
        if abs(total) <= options.cap and (total or options.zero):
            expected = total_made(Play(card, list(Op)[way // 2], list(Left)[way % 2]), total, options)
            found = functions.result_of(way, total, card, numbers)
            assert found == (kernel.NOTHING if isinstance(expected, Reason) else expected), (total, card, way)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("options", [Options(), Options(zero=True, cap=99)])
def test_noted_sums_are_those_that_were_computed(machine: str, options: Options) -> None:
    made = MACHINES[machine]()
    functions, memo = made.load(kernel), made.numbers([0] * kernel.MEMO)
    rules = (options.cap, int(options.zero))
    for _, total, card in product("ab", range(-kernel.NEAR - 1, kernel.NEAR + 2), VALUES):
        noted = functions.note_sums(memo, total, card, *rules)
        assert (noted < 0) == (abs(total) > kernel.NEAR)
        if noted >= 0:
            expected = [kernel.total_made(way, total, card, *rules) for way in range(kernel.ALL_WAYS)]
            assert list(memo[noted : noted + kernel.ALL_WAYS]) == expected, (total, card)


class Table:
    """A state of the rules in the kernel's sequences."""

    def __init__(self, state: State) -> None:
        board, secret = state.board, state.secret
        known = read_table(board, secret.hands)
        deck = [*secret.deck, *[0] * (kernel.CARDS - len(secret.deck))]
        hot = [*board.hot, *[0] * (kernel.CARDS - len(board.hot))]
        self.table = list_seen(INTERPRETED, known)._replace(deck=deck, hot=hot)
        self.table.now[kernel.DECK] = len(secret.deck)

    def values(self) -> list[Any]:
        now, _, hands, scores, points, deck, hot, _ = self.table
        sorted_hands = [sorted(hands[at : at + kernel.HAND]) for at in range(0, len(hands), kernel.HAND)]
        known = [now[kernel.TOTAL], now[kernel.CHOOSING], now[kernel.OVER], sorted_hands, scores, points]
        cards = [deck[now[kernel.TOP] : now[kernel.DECK]], hot[: now[kernel.HOT]]]
        return [*known, *cards, now[kernel.MOVER], now[kernel.TURN]]

    def move(self, state: State, move: Any) -> None:
        """Make a move in the kernel."""
        if not isinstance(move, Play):
            score = move.score if isinstance(move, NewScore) else state.board.scores[state.board.mover]
            kernel.take_score(self.table, score, [1])
            return
        first = kernel.HAND * state.board.mover
        place = list(self.table.hands[first : first + kernel.HAND]).index(move.card)
        way = 2 * list(Op).index(move.op) + list(Left).index(move.left)
        total = kernel.result_of(way, self.table.now[kernel.TOTAL], move.card, self.table.rules)
        kernel.lay_card(self.table, place, total, [1])


def options(luck: Random) -> Options:
    return Options(
        points=luck.randint(3, 10), extended=luck.random() < 0.5, zero=luck.random() < 0.5,
        cap=luck.choice((99, 500, 9_999)), die_scores=luck.random() < 0.5, shuffle=luck.random() < 0.5,
        turn_limit=luck.choice((50, 120)),
    )  # fmt: skip


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_every_move_of_random_games_leads_where_the_rules_lead(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    luck = Random(seats)
    for number in range(6):
        dice = Dice(number.to_bytes(32))
        state = GAME.setup(options(luck), seats, dice)
        while not state.board.over:
            recycled = state.board.recycled + 1

            def shuffle(
                cards: list[int], size: int, count: int, rng: Any, label: int = recycled, dice: Dice = dice
            ) -> None:
                assert count == size - 1
                cards[:size] = dice.open_stream(f"chilli_chase/recycle/{label}").shuffle_cards(cards[:size])

            monkeypatch.setattr(kernel, "shuffle_front", shuffle)
            moves = GAME.moves(GAME.view(state, state.board.mover))
            move = moves[luck.randrange(min(len(moves), 60))]
            table = Table(state)
            table.move(state, move)
            step: Any = play_move(GAME, state, state.board.mover, move)
            state = step.state
            if state.board.over and not table.table.now[kernel.OVER]:
                raise AssertionError("the rules ended the game and the kernel did not")
            expected = Table(state).values()
            assert table.values() == expected


@pytest.mark.parametrize("seats", [2, 4])
def test_ends_and_positions_are_worth_their_promise(seats: int) -> None:
    now = [0] * 8
    ahead = comparison.utility_of_turns(0, now, [2, 1, 1, 1][:seats])
    assert ahead == (4 / 6 if seats == 2 else 4 / 10)
    assert comparison.utility_of_turns(1, now, [2, 1, 1, 1][:seats]) == pytest.approx((1 - ahead) / (seats - 1))
    now[kernel.OVER] = 1
    assert comparison.utility_of_turns(0, now, [5, 1, 0, 0][:seats]) == 1.0
    assert comparison.utility_of_turns(1, now, [5, 1, 0, 0][:seats]) == 0.0
    assert comparison.utility_of_turns(0, now, [4, 4, 0, 0][:seats]) == 0.5
