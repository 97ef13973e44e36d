"""The reasons of puzzles: at most eight words in every language, and true of the position that they are said of."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace

import scoville_shared.coach.chilli_chase.coach as chilli_chase
import scoville_shared.coach.dicht_dran.coach as dicht_dran
import scoville_shared.coach.no_thanks.coach as no_thanks
from scoville_client.i18n.language import LANGUAGES, render, set_language
from scoville_shared.bots.dicht_dran.kernel import closeness_of
from scoville_shared.coach.base import Coach
from scoville_shared.coach.chilli_chase.coach import TurnCoach
from scoville_shared.coach.dicht_dran.coach import RoundCoach
from scoville_shared.coach.no_thanks.coach import CardCoach
from scoville_shared.coach.sample import Estimate, Figures, weigh_move
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.chilli_chase import GAME as CHILLI_CHASE
from scoville_shared.games.dicht_dran import GAME as DICHT_DRAN
from scoville_shared.games.no_thanks import GAME as NO_THANKS
from scoville_shared.games.no_thanks.state import Options
from scoville_shared.ids import Seat
from scoville_shared.puzzles.pool import list_pools
from scoville_shared.values import Plain

MOST_WORDS = 8
TAKE: Plain = {"action": "take"}
PASS: Plain = {"action": "pass"}


def reasons_of(module: ModuleType) -> Iterator[Phrase]:
    return (value for name, value in vars(module).items() if name.startswith("_PUZZLE_"))


def all_reasons() -> list[Phrase]:
    return [each for module in (chilli_chase, dicht_dran, no_thanks) for each in reasons_of(module)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reason_has_at_most_eight_words(language: str) -> None:
    set_language(language)
    said = [render(reason) for reason in all_reasons()]
    assert [text for text in said if len(text.split()) > MOST_WORDS] == []
    assert len({*said}) == len(said)


def test_every_reason_of_a_shipped_puzzle_is_known() -> None:
    known = {reason.text for reason in all_reasons()}
    assert {puzzle.reason for pool in list_pools() for puzzle in pool.puzzles} <= known - {"It wins more often."}


def figures(
    move: Plain, behind: float, *, first: float = 0.0, second: float = 0.0, third: float = 0.0, score: float = 0.0,
    lead: float = 0.0,
) -> Figures:  # fmt: skip
    return Figures(move, Estimate(score, 0.1), Estimate(0.3, 0.01), lead, Estimate(behind, 0.001), first, second, third)


def reason_of(coach: Coach, view: Any, best: Figures, rival: Figures) -> str:
    return coach.name_reason(view, coach.make_question(view), weigh_move([best, rival], 0)).text


def answer(
    best: Plain, back: float, chips: tuple[int, ...], owned: tuple[tuple[int, ...], ...], pot: int = 2, **passed: float
) -> str:
    """Say why an answer to the 20 is right that comes back so often after a pass; `chips` and `owned` are by seat.

    `passed` are further figures of passing; those of taking are 0.
    """
    dealt = NO_THANKS.setup(Options(open_chips=True), 4, Dice(bytes(32)))
    board = replace(dealt.board, card=20, pot=pot, cards=owned, mover=Seat(0), chips=chips)
    view = NO_THANKS.view(replace(dealt, board=board, chips=chips), Seat(0))
    other = PASS if best is TAKE else TAKE
    rows = {"take": figures(TAKE, 0.0 if best is TAKE else 0.1), "pass": figures(PASS, 0.1, first=back, **passed)}
    return reason_of(CardCoach(NO_THANKS), view, rows[str(best["action"])]._replace(behind=Estimate(0.0, 0.0)),
                     rows[str(other["action"])])  # fmt: skip


NOBODY: tuple[tuple[int, ...], ...] = ((), (), (), ())


@pytest.mark.parametrize(
    ("best", "back", "chips", "owned", "reason"),
    [
        (PASS, 0.0, (9, 0, 20, 13), NOBODY, "The next player has no chips."),
        (PASS, 0.9, (9, 9, 11, 13), NOBODY, "It comes back with more chips."),
        (PASS, 0.1, (9, 9, 11, 13), NOBODY, "Its points cost more than a chip."),
        (TAKE, 0.1, (9, 9, 11, 13), ((21,), (), (), ()), "It fits your run; others would take it."),
        (TAKE, 0.9, (9, 9, 11, 13), ((21,), (), (), ()), "It fits your run and brings chips."),
        (TAKE, -1.0, (9, 9, 11, 13), ((21,), (), (), ()), "It fits your run and brings chips."),  # solved: unknown
        (TAKE, 0.1, (1, 9, 19, 13), NOBODY, "Your last chips are worth more."),
        (TAKE, 0.1, (9, 9, 11, 13), ((), (19,), (), ()), "It would help somebody else's run."),
        (TAKE, 0.1, (9, 9, 11, 13), NOBODY, "It wins more often."),
    ],
)
def test_right_answers_to_a_card(
    best: Plain, back: float, chips: tuple[int, ...], owned: tuple[tuple[int, ...], ...], reason: str
) -> None:
    assert answer(best, back, chips, owned) == reason


def test_chips_that_pay_half_are_worth_a_card() -> None:
    said = [answer(TAKE, 0.1, (9, 9, 11, 15 - pot), NOBODY, pot) for pot in (9, 10)]
    assert said == ["It wins more often.", "The chips on it are worth its points."]


def test_later_effects_are_a_reason_without_others() -> None:
    def taken(**passed: float) -> str:
        return answer(TAKE, 0.1, (9, 9, 11, 13), NOBODY, **passed)

    # Of equal scores the best opponent has as many points as the seat, less the lead.
    assert taken(third=0.3, score=9.0) == "Without its chips you run out more often."
    assert taken(third=0.01, lead=-5.0) == "A rival would gain much by it."
    assert taken(score=3.0, lead=-3.0) == "It costs fewer points in the end."


def test_right_cards_in_the_circle() -> None:
    state = DICHT_DRAN.setup(DICHT_DRAN.codec.decode_options({}), 4, Dice(bytes(32)))
    view, coach = DICHT_DRAN.view(state, Seat(0)), RoundCoach(DICHT_DRAN)
    low, high = view.board.gap
    cards = sorted(range(2, 100), key=lambda card: closeness_of(card, view.board.target_card))
    fitting = next(card for card in cards[20:] if low < card < high)
    outside = next(card for card in cards if not low < card < high)

    def reason(best: int, rival: int, wins: tuple[float, float]) -> str:
        moves = [figures({"card": card}, 0.0, first=won) for card, won in zip((best, rival), wins, strict=True)]
        moves[1] = moves[1]._replace(behind=Estimate(0.1, 0.001))
        return reason_of(coach, view, *moves)

    unseen = [card for card in cards if card not in (*view.board.circle, *view.hand)]
    assert reason(unseen[30], unseen[40], (0.9, 0.1)) == "It most likely wins the target."
    assert reason(cards[0], unseen[40], (0.9, 0.1)) == "No card is closer to the target."
    assert reason(fitting, outside, (0.1, 0.1)) == "It fits the gap: losing costs nothing."
    far, farther = [card for card in cards[20:] if not low < card < high][:2]
    assert reason(far, outside, (0.1, 0.4)) == "It saves the closer card for later."
    assert reason(far, farther, (0.0, 0.0)) == "It keeps the cards that fit later."


def test_right_plays_and_scores() -> None:
    state = CHILLI_CHASE.setup(CHILLI_CHASE.codec.decode_options({}), 3, Dice(bytes(32)))
    board = replace(state.board, mover=Seat(0), total=10, scores=(15, 12, 50))
    coach = TurnCoach(CHILLI_CHASE)

    def reason(best: Figures, rival: Figures, points: tuple[int, ...] = (0, 0, 0)) -> str:
        view = CHILLI_CHASE.view(replace(state, board=replace(board, points=points)), Seat(0))
        return reason_of(coach, view, best, rival._replace(behind=Estimate(0.1, 0.001)))

    def play(card: int, **figure: float) -> Figures:
        return figures({"card": card, "op": "+", "left": "total"}, 0.0, **figure)

    assert reason(play(5), play(3)) == "It scores a point for you."
    assert reason(play(5), play(3), (4, 0, 0)) == "It scores the point that wins."
    assert reason(play(2), play(3)) == "It earns you a new Chilli Score."
    assert reason(play(3), play(2)) == "It gives nobody else a point."
    assert reason(play(3, first=0.1), play(4, first=0.4)) == "Others can hardly score from this total."
    assert reason(play(3, second=0.4), play(4, second=0.1)) == "You can soon score from this total."
    assert reason(play(3), play(4)) == "It keeps the cards that you need."
    scores = [figures({"score": score}, behind) for score, behind in ((40, 0.0), (14, 0.1))]
    assert reason(*scores) == "You will hit this Chilli Score soon."
