"""Bots for No Thanks! that decide by rules of thumb: single decisions."""

from itertools import pairwise
from typing import Any

from scoville_shared.bots.no_thanks.heuristics import SENSIBLE, Easy, Sensible
from scoville_shared.bots.no_thanks.policies import CAUTIOUS, EVERYBODY, POPULATION, PRIOR
from scoville_shared.bots.no_thanks.reference import Evolved, features_of
from scoville_shared.bots.no_thanks.search import ALIKE, CHANCES, FLOOR, Opponents
from scoville_shared.bots.registry import find_bot, find_contestant
from scoville_shared.engine.dice import Dice
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.state import PASS, TAKE, Options
from tests.shared.bots.bot_games import play_decisions
from tests.shared.games.no_thanks.tables import PETER, lay_out

CHANCE = Dice(b"c" * 32)


def choice(deck, **table):
    return Sensible(GAME).choose_move(GAME.view(lay_out(deck, **table), PETER), CHANCE.open_stream("choice"))


def test_it_declines_a_dear_card_while_it_has_chips():
    assert choice([35, 3]) == PASS


def test_it_takes_a_dear_card_without_chips():
    assert choice([35, 3], chips=(0, 16, 17)) == TAKE


def test_it_takes_a_card_that_pays():
    assert choice([12, 3], pot=12, chips=(9, 6, 6)) == TAKE


def test_it_delays_cards_only_it_can_use():
    assert choice([30, 3], cards=((31,), (), ())) == PASS
    assert choice([30, 3], cards=((31,), (), ()), chips=(0, 16, 17)) == TAKE


def test_an_easy_bot_takes_free_and_forced_cards():
    easy = Easy(GAME)
    for pot, chips, move in ((4, 2, PASS), (12, 2, TAKE), (4, 0, TAKE)):
        view = GAME.view(lay_out([12, 3], pot=pot, chips=(chips, 30 - pot - chips, 3)), PETER)
        assert easy.choose_move(view, CHANCE.open_stream("choice")) == move


def test_opponents_are_predicted_from_their_decisions() -> None:
    policies = len(EVERYBODY)
    unknown = Opponents().expect_policies(Options(), 3, [1, 2]).chances
    chances = watched(["easy", "sensible", "sensible"]).expect_policies(Options(rounds=2), 3, [1, 2]).chances
    assert chances[policies - 1 :: policies] == [CHANCES] * 4
    parts = [[b - a for a, b in pairwise([0, *chances[at : at + policies]])] for at in range(0, len(chances), policies)]
    likely = [part.index(max(part)) for part in parts]
    assert likely == [POPULATION.index(CAUTIOUS), *[POPULATION.index(SENSIBLE)] * 3]
    assert unknown == [round(CHANCES * sum(PRIOR[: number + 1]) / sum(PRIOR)) for number in range(policies)] * 4
    assert all(part >= CHANCES * FLOOR * PRIOR[n] / sum(PRIOR) - 1 for each in parts for n, part in enumerate(each))


def test_alike_opponents_are_pooled_and_mixes_noticed() -> None:
    chance = {
        levels: watched([*levels]).expect_policies(Options(rounds=2), 4, [0, 1, 2]).alike / CHANCES
        for levels in (("sensible",) * 4, ("easy", "sensible", "random", "sensible"))
    }
    assert Opponents().expect_policies(Options(), 4, [0, 1, 2]).alike == round(CHANCES * ALIKE)
    assert chance["sensible", "sensible", "sensible", "sensible"] > 0.97
    assert chance["easy", "sensible", "random", "sensible"] < 0.5


def watched(levels: list[str]) -> Opponents:
    """Let somebody watch two rounds."""
    opponents = Opponents()
    for fact in list(play_decisions("no_thanks", levels, 11, rounds=2))[-2].facts:
        opponents.observe_fact(fact)
    return opponents


def test_a_strong_bot_expects_everybody_to_decide_as_it_does() -> None:
    decision = next(play_decisions("no_thanks", ["easy", "sensible", "sensible"], 11))
    bot = find_bot("no_thanks", "strong")(decision.game)
    question: Any = bot.make_question(decision.game.view(decision.state, decision.seat))  # type: ignore[attr-defined]
    assert (question.mine, question.counting) == ([0], False)
    assert (question.chances, question.alike) == ([CHANCES] * 4, 0)


def test_the_published_features_match_their_description() -> None:
    view = GAME.view(lay_out([21, 3], pot=4, chips=(7, 6, 6), cards=((20, 22, 30), (), ())), PETER)
    assert [round(feature, 3) for feature in features_of(view)] == [
        0.562, 0.121, 0.486, 0.636, 1.0, 1.0, 0.031, round(view.board.left / 24, 3), 1.0, -0.743, 0.202, 1.344,
    ]  # fmt: skip
    assert Evolved(GAME).choose_move(view, CHANCE.open_stream("choice")) == TAKE
    assert find_contestant("no_thanks", "raggedr") is Evolved
    assert find_contestant("no_thanks", "clever") is None
