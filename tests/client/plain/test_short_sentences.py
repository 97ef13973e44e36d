"""What is said of a table: sentences of at most 20 words in each language, and no "you" for a commentator."""

import re
from collections.abc import Iterator
from random import Random

import pytest

from scoville_client.i18n.language import LANGUAGES, render, set_language
from scoville_laws.tables import Deal, walk_table
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.phrases import Phrase
from scoville_shared.games.registry import list_slugs, load_game
from scoville_shared.ids import Seat

MOST_WORDS = 20
NAMES = ("Anna", "Bot Ada", "Bot Emmy", "Bot Alan")
ROUND = 30
"""Every so many moves the table is described."""


def play_game(game: AnyGame, seed: int) -> Iterator[tuple[AnyGame, object, list[Phrase]]]:
    """Play a random game; yields each state with the sentences about the move before it, as they are said."""
    deal = Deal(game, game.codec.decode_options({}), len(NAMES), Dice(bytes([seed] * 32)))
    yield game, deal.setup(), []
    for moment in walk_table(deal, deal.setup(), Random(seed)):
        facts = [each.fact for each in moment.step.facts] if moment.step is not None else []
        told = [phrase for fact in facts if (phrase := game.text.describe_fact(fact)) is not None]
        yield game, moment.state, list(game.text.condense_log(told))


def describe(game: AnyGame, state: object) -> Iterator[Phrase]:
    """Describe a state in every way to everybody."""
    text = game.text
    for seat in (None, *map(Seat, range(len(NAMES)))):
        view = game.view(state, seat)
        yield from (*text.describe_table(view), *text.describe_hand(view), *text.describe_scores(view))
        yield from text.describe_turn(view)
        if seat is not None:
            yield from (*text.describe_table_of(seat, view), *text.describe_hand_of(seat, view))


def sentences_of(line: str) -> list[str]:
    return re.split(r"(?<=[.!?]) ", line)


@pytest.mark.parametrize("slug", list_slugs())
def test_a_sentence_has_at_most_20_words(slug: str) -> None:
    found: dict[str, str] = {}
    for number, (game, state, told) in enumerate(play_game(load_game(slug), 5)):
        said = [*told, *(describe(game, state) if number % ROUND == 0 else ())]
        for language in LANGUAGES:
            set_language(language)
            for phrase in said:
                for sentence in sentences_of(render(phrase, NAMES)):
                    if len(sentence.split(" ")) > MOST_WORDS:
                        found[f"{phrase.text} ({language})"] = sentence
    assert not found, "\n".join(f"{name}: {text}" for name, text in found.items())


@pytest.mark.parametrize("slug", list_slugs())
def test_who_watches_from_a_seat_is_not_called_you(slug: str) -> None:
    own = set()
    for game, state, _ in play_game(load_game(slug), 7):
        for seat in map(Seat, range(len(NAMES))):
            view, text = game.view(state, seat), game.text
            own |= {line for phrase in text.describe_hand(view) if "you" in (line := phrase.render(NAMES).lower())}
            phrases = (*text.describe_table_of(seat, view), *text.describe_hand_of(seat, view))
            said = [phrase.render(NAMES).lower() for phrase in phrases]
            assert [line for line in said if re.search(r"\byour?\b", line)] == []
    assert own, "the hand is described to the seat itself"
