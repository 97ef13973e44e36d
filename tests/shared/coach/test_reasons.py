"""Reasons of the coaches: what a good player would say of the position, from what was known then."""

from collections.abc import Sequence

from msgspec.structs import replace

from scoville_shared.coach.no_thanks.coach import CardCoach
from scoville_shared.coach.sample import Estimate, Figures, add_price, weigh_move
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import Options
from scoville_shared.ids import Seat
from scoville_shared.values import Plain

NAMES = ["Ada", "Ben", "Cem", "Dan"]
TAKE: Plain = {"action": "take"}
PASS: Plain = {"action": "pass"}
RICH = (9, 9, 9)


def figures(move: Plain, score: float, behind: float, *, lead: float = 0.0, first: float = 0.0) -> Figures:
    return Figures(move, Estimate(score, 0.1), Estimate(0.3, 0.01), lead, Estimate(behind, 0.001), first, 0.0, 0.0)


def why_taking_and_passing(
    card: int, pot: int, chips: Sequence[int], cards: dict[int, tuple[int, ...]], back: float
) -> tuple[str, str]:
    """Explain both moves of Ada at a table of four, where Dan has the chips that the first three have not.

    `back` is how often the card comes back after a pass.
    """
    dealt = GAME.setup(Options(open_chips=True), 4, Dice(bytes(32)))
    everybody_s = (*chips, sum(dealt.chips) - pot - sum(chips))
    owned = tuple(cards.get(seat, ()) for seat in range(4))
    board = replace(dealt.board, card=card, pot=pot, cards=owned, mover=Seat(0), chips=everybody_s)
    view = GAME.view(replace(dealt, board=board, chips=everybody_s), Seat(0))
    coach = CardCoach(GAME)
    question = coach.make_question(view)
    moves = [figures(TAKE, 30.0, 0.0), figures(PASS, 40.0, 0.1, first=back)]
    taking, passing = (coach.explain_move(view, question, weigh_move(moves, place)).render(NAMES) for place in range(2))
    return taking, passing


def test_taking_a_fitting_card_names_cost_and_rivals() -> None:
    taking, passing = why_taking_and_passing(20, 3, RICH, {0: (21,), 2: (19,)}, back=0.0)
    assert "it extends a run: score −4 (points −1, chips +3)" in taking
    assert "it would fit a run of Cem" in taking
    assert "it fits a run of Cem" in passing


def test_an_opponent_without_chips_must_take_the_card() -> None:
    taking, passing = why_taking_and_passing(30, 2, (5, 0, 9), {}, back=0.0)
    assert "after a pass Ben must take it for lack of chips" in taking
    assert "Ben has no chips and must take it" in passing


def test_a_card_that_comes_back_says_how_often() -> None:
    taking, passing = why_taking_and_passing(30, 2, RICH, {}, back=0.625)
    assert "it stands alone: score +28 (points +30, chips +2)" in taking
    assert "it would come back in 62 % of the games" in taking
    assert "comes back with more chips in 62 % of the games; nobody else has a run for it" in passing


def test_the_last_chips_are_worth_a_word() -> None:
    assert "that was the last one" in why_taking_and_passing(30, 2, (1, 9, 9), {}, back=0.5)[1]
    assert "1 chip left" in why_taking_and_passing(30, 2, (2, 9, 9), {}, back=0.5)[1]
    assert "left" not in why_taking_and_passing(30, 2, RICH, {}, back=0.5)[1]


def price(best: Figures, other: Figures, place: int = 0) -> str:
    unit = Phrase("points")
    return add_price(Phrase("it fits"), weigh_move([best, other], place), unit, 1.0, fewer=True).render(NAMES)


def test_a_better_lower_score_is_explained() -> None:
    other = figures(PASS, 30.0, 0.1, lead=5.0)
    assert price(figures(TAKE, 25.0, 0.0, lead=9.0), other) == "it fits"
    assert price(figures(TAKE, 32.0, 0.0, lead=6.0), other).endswith("worse, but 3 points worse for the best opponent")
    assert price(figures(TAKE, 32.0, 0.0, lead=2.0), other).endswith("worse, but more often enough to win")
    assert price(figures(TAKE, 30.5, 0.0, lead=6.0), other).endswith("on average, but 1.5 worse for the best opponent")
    assert price(figures(TAKE, 30.5, 0.0, lead=4.5), other).endswith("on average, but more often enough to win")


def test_an_inferior_move_gets_no_excuse() -> None:
    assert price(figures(TAKE, 20.0, 0.0, lead=9.0), figures(PASS, 30.0, 0.1), place=1) == "it fits"
