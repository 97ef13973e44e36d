"""The mix of a round in the coach's lines, in three languages."""

import pytest

from scoville_client.i18n.language import set_language
from scoville_client.reviews.advice import Advice, write_balance
from scoville_client.reviews.advice_text import advice_lines
from scoville_shared.coach.base import Policy
from scoville_shared.coach.dicht_dran.coach import RoundCoach
from scoville_shared.coach.sample import Aim, certain_sample
from scoville_shared.coach.study import Study
from scoville_shared.games.dicht_dran import GAME

MOVES = [{"card": 47}, {"card": 60}, {"card": 82}]


def advised(shares: tuple[float, ...]) -> list[str]:
    sample = certain_sample(MOVES, Aim.WIN, [[3, 0.5, 1], [2, 0.4, 0], [1, 0.3, -1]])
    study = Study(sample, Policy.DRAWN, shares)
    rows = tuple((figures, str(figures.move["card"]), "fits") for figures in sample.figures_of_moves())
    return list(advice_lines(Advice(1, study, rows, write_balance(RoundCoach(GAME), study), "")))


@pytest.mark.parametrize(
    ("language", "sentence", "mark"),
    [
        (
            "en",
            "If only this round counted: the 82 in 60 % of cases, the 47 in 40 % of cases. Nobody can exploit that.",
            ", best, this round in 40 % of cases; ",
        ),
        (
            "de",
            (
                "Wenn nur diese Runde zählte: die 82 in 60 % der Fälle, die 47 in 40 % der Fälle. "
                "Das kann niemand ausnutzen."
            ),
            ", am besten, diese Runde in 40 % der Fälle; ",
        ),
        (
            "fr",
            (
                "Si seule cette manche comptait\u202f: le 82 dans 60\u202f% des cas, le 47 dans 40\u202f% des cas. "
                "Personne ne peut en tirer profit."
            ),
            ", le meilleur, cette manche dans 40\u202f% des cas\u202f; ",
        ),
    ],
)
def test_a_mix_is_a_sentence_marking_its_moves(language: str, sentence: str, mark: str) -> None:
    set_language(language)
    first, second, third, said, *_ = advised((0.4, 0.0, 0.6))
    never = mark.replace("40", "0").partition("; ")[0].rpartition(", ")[2]
    assert said == sentence
    assert mark in first
    assert mark.replace("40", "60").split(", ")[-1] in third
    assert never not in second


def test_one_card_for_this_round_is_a_sentence_alone() -> None:
    first, *_, said, _ = advised((1.0, 0.0, 0.0))
    assert said == "If only this round counted: always the 47. Nobody can exploit that."
    assert "100 %" not in first


def test_without_an_equilibrium_nothing_is_said_of_the_round() -> None:
    assert not any("round" in line for line in advised(()))
