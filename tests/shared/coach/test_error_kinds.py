"""The kinds of errors: the same name for all of a kind, so that a player's errors of many games add up."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_shared.bots.dicht_dran.kernel import closeness_of
from scoville_shared.coach.chilli_chase.coach import TurnCoach
from scoville_shared.coach.dicht_dran.coach import RoundCoach
from scoville_shared.coach.no_thanks.coach import CardCoach
from scoville_shared.coach.sample import Estimate, Figures, weigh_move
from scoville_shared.engine.dice import Dice
from scoville_shared.games.chilli_chase import GAME as CHILLI_CHASE
from scoville_shared.games.dicht_dran import GAME as DICHT_DRAN
from scoville_shared.games.no_thanks import GAME as NO_THANKS
from scoville_shared.games.no_thanks.state import Options
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

TAKE: Plain = {"action": "take"}
PASS: Plain = {"action": "pass"}


def figures(move: Plain, behind: float, *, first: float = 0.0, second: float = 0.0) -> Figures:
    return Figures(move, Estimate(0.0, 0.1), Estimate(0.3, 0.01), 0.0, Estimate(behind, 0.001), first, second, 0.0)


def kind_of(coach: Any, view: Any, played: Figures, best: Figures) -> str:
    """Name the error of playing one move instead of the other."""
    return coach.name_error(view, coach.make_question(view), weigh_move([best, played], 1, 0)).text


def answer(played: Plain, chips: int, card: int, owned: Sequence[tuple[int, ...]], pot: int = 2) -> str:
    """Name the error of Seat 0, who has so many chips, in answering a card; `owned` are the cards of all four."""
    dealt = NO_THANKS.setup(Options(open_chips=True), 4, Dice(bytes(32)))
    rest = sum(dealt.chips) - pot - chips
    everybodys = (chips, rest // 3, rest // 3, rest - 2 * (rest // 3))
    board = replace(dealt.board, card=card, pot=pot, cards=tuple(owned), mover=Seat(0), chips=everybodys)
    view = NO_THANKS.view(replace(dealt, board=board, chips=everybodys), Seat(0))
    other = PASS if played is TAKE else TAKE
    return kind_of(CardCoach(NO_THANKS), view, figures(played, 0.1), figures(other, 0.0))


@pytest.mark.parametrize(
    ("played", "chips", "owned", "kind"),
    [
        (TAKE, 9, ((), (), (), ()), "takes a card too early"),
        (TAKE, 2, ((), (), (), ()), "takes a card too early for fear of the last chips"),
        (TAKE, 2, ((21,), (), (), ()), "takes a card of their own run before others have paid for it"),
        (PASS, 9, ((21,), (), (), (19,)), "gives away a card of their own run"),
        (PASS, 2, ((), (), (), (19,)), "pays the last chips instead of taking"),
        (PASS, 9, ((), (), (), (19,)), "leaves others a card for their run"),
        (PASS, 9, ((), (), (), (30,)), "waits too long for more chips on a card"),
    ],
)
def test_wrong_answers_to_a_card(played: Plain, chips: int, owned: Sequence[tuple[int, ...]], kind: str) -> None:
    assert answer(played, chips, 20, owned) == kind


def test_few_chips_are_not_called_worth_it() -> None:
    owned = ((), (), (), ())
    assert answer(PASS, 9, 20, owned, pot=10) == "leaves a card whose chips were worth its points"
    assert answer(PASS, 9, 20, owned, pot=9) == "waits too long for more chips on a card"


def test_wrong_cards_in_the_circle() -> None:
    state = DICHT_DRAN.setup(DICHT_DRAN.codec.decode_options({}), 4, Dice(bytes(32)))
    view, coach = DICHT_DRAN.view(state, Seat(0)), RoundCoach(DICHT_DRAN)
    low, high = view.board.gap
    cards = sorted(range(2, 100), key=lambda card: closeness_of(card, view.board.target_card))
    near, far = cards[0], cards[40]
    fitting = next(card for card in cards[20:] if low < card < high)
    outside = next(card for card in cards if not low < card < high)

    def kind(played: int, best: int, wins: tuple[float, float]) -> str:
        moves = [figures({"card": card}, 0.0, first=won) for card, won in zip((played, best), wins, strict=True)]
        return kind_of(coach, view, *moves)

    assert kind(outside, fitting, (0.1, 0.1)) == "draws cards where another card fits the gap"
    assert kind(near, far, (0.9, 0.3)) == "spends a card that is too good for this target"
    assert kind(far, near, (0.3, 0.9)) == "lets a target go that could be won"
    assert kind(far, near, (0.0, 0.1)) == "gives up a card that is needed later"


def test_wrong_plays_and_scores() -> None:
    state = CHILLI_CHASE.setup(CHILLI_CHASE.codec.decode_options({}), 3, Dice(bytes(32)))
    board = replace(state.board, mover=Seat(0), total=10, scores=(15, 12, 50))
    view = CHILLI_CHASE.view(replace(state, board=board), Seat(0))
    coach = TurnCoach(CHILLI_CHASE)

    def play(card: int, **figure: float) -> Figures:
        return figures({"card": card, "op": "+", "left": "total"}, 0.0, **figure)

    assert kind_of(coach, view, play(3), play(5)) == "misses a point"
    assert kind_of(coach, view, play(2), play(3)) == "gives others a point"
    assert kind_of(coach, view, play(3, first=0.4), play(4, first=0.1)) == "makes totals that others can hit"
    far = kind_of(coach, view, play(3, second=0.1), play(4, second=0.4))
    assert far == "makes totals that are far from their own Chilli Score"
    assert kind_of(coach, view, play(3), play(4)) == "spends a card that is needed later"
    scores = [figures({"score": score}, 0.0) for score in (40, 14)]
    assert kind_of(coach, view, *scores) == "chooses a Chilli Score that is hard to hit"
