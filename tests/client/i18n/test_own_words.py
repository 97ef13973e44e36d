"""Names in sentences: none can be taken for a sentence of the client."""

from collections.abc import Iterator

import pytest

from scoville_client.i18n.language import current_language, load_own_catalog, render, set_language, tr
from scoville_client.i18n.own_words import NAME_FIELDS, quote_name, quote_names
from scoville_client.plain.output import TextOutput
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat

USUAL = ("Anna", "Bot Ada", "Jürgen", "Marie-Claire", "O'Neill", "Иван", "André", "Zoé", "宮本")


@pytest.fixture(params=["en", "de", "fr"], autouse=True)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


def sentences_of_the_client() -> list[str]:
    return [tr("Your turn."), tr("The game starts: {players}.", players="Ben"), tr("Reconnected."), tr("You win!")]


@pytest.mark.parametrize("name", USUAL)
def test_usual_names_are_written_as_they_are(name: str) -> None:
    assert quote_name(name) == name


def test_names_that_begin_as_sentences_do_are_quoted() -> None:
    for sentence in sentences_of_the_client():
        for name in (sentence, sentence.split()[0], sentence.upper(), f"{sentence.split()[0]} Ada"):
            assert quote_name(name) == tr("“{name}”", name=name)


@pytest.mark.parametrize(
    "name", ["Y\N{CYRILLIC SMALL LETTER O}ur turn", "1. Anna: 12", "- Ben", "Ben. Anna", "4", "Anna: take"]
)
def test_names_that_look_like_other_lines_are_quoted(name: str) -> None:
    assert quote_name(name) == tr("“{name}”", name=name)


def test_english_sentences_are_known_in_every_language() -> None:
    assert quote_name("Your turn") == tr("“{name}”", name="Your turn")


def templates_that_begin_with_a_name() -> list[Phrase]:
    """List the texts that begin with a field for names, in the current language or in English."""
    catalog = vars(load_own_catalog("de" if current_language() == "en" else current_language()))["_catalog"]
    found = []
    for key, text in catalog.items():
        source = key if isinstance(key, str) else key[0]
        if any(each.startswith(f"{{{field}}}") for each in (source, text) for field in NAME_FIELDS):
            found.append(Phrase(source))
    return found


def test_no_name_imitates_the_clients_own_lines() -> None:
    fake = tr("Your turn.")
    templates, said = templates_that_begin_with_a_name(), list[str]()
    assert len(templates) > 100
    output = TextOutput(said.append)
    for value in (fake, [fake, "Ben"], Who(Seat(0)), Phrase("{name} (claimed name)", {"name": fake})):
        output.write([phrase.with_fields(dict.fromkeys(NAME_FIELDS, value)) for phrase in templates], [fake])
    assert len(said) == 4 * len(templates)
    assert [line for line in said if line.startswith(fake)] == []


def test_only_names_are_quoted() -> None:
    phrase = Phrase("{name} says: {text}", {"name": "Anna", "text": "Your turn."})
    assert quote_names(phrase) == phrase
    assert render(quote_names(phrase)) == render(phrase)
