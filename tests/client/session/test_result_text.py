"""Texts of a game's end."""

from scoville_client.i18n.event_text import finish_phrase, standing_phrases
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Finished

NAMES = ("Anna", "Paul", "Max")


def ended(*scores: int) -> Finished:
    places = [1 + sum(other > mine for other in scores) for mine in scores]
    return Finished(seq=9, scores=list(scores), places=places, reason="cycles_played", server_seed="")


def test_the_winner_is_named_with_the_score() -> None:
    assert finish_phrase(ended(3, 8, -2)).render(NAMES) == "The game is over. Paul wins with 8."


def test_a_tie_is_a_shared_win() -> None:
    assert finish_phrase(ended(8, 8, -2)).render(NAMES) == "The game is over. Anna, Paul share the win with 8."


def test_the_standings_begin_with_the_winners_and_share_places() -> None:
    lines = [phrase.render(NAMES) for phrase in standing_phrases(ended(-2, 8, 8))]
    assert lines == ["1. Paul: 8", "1. Max: 8", "3. Anna: −2"]


def test_standings_say_why_where_that_is_known() -> None:
    reasons = [None, Phrase("cards 9 − chips 1"), None]
    assert [phrase.render(NAMES) for phrase in standing_phrases(ended(-2, 8, 9), reasons)] == [
        "1. Max: 9",
        "2. Paul: 8 (cards 9 − chips 1)",
        "3. Anna: −2",
    ]
