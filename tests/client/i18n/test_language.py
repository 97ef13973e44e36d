"""Choice of the language, and rendering in it."""

import io
import sys

import pytest

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import (
    LANGUAGES,
    current_language,
    environment_language,
    next_language,
    render,
    set_language,
    set_spelling,
    tr,
    without_accents,
)
from scoville_client.output import write_line
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "nl:fr:de"}, "fr"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANGUAGE": "ja:nl:en"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANGUAGE": "", "LANG": "fr"}, "fr"),
    ],
)
def test_the_environment_says_what_is_spoken(environment: dict[str, str], language: str) -> None:
    assert environment_language(environment) == language


def test_one_key_leads_through_all_languages_and_back() -> None:
    heard = []
    for _ in LANGUAGES:
        heard.append(tr("Your hand is empty."))
        set_language(next_language())
    assert heard == ["Your hand is empty.", "Deine Hand ist leer.", "Ta main est vide."]
    assert current_language() == "en"


def test_a_sentence_with_a_sentence_in_it_is_translated_throughout() -> None:
    set_language("de")
    cards = [Phrase("{card} (target)", {"card": 67}), Phrase("{card}", {"card": 38})]
    assert (
        render(Phrase("The circle, clockwise: {cards}.", {"cards": cards}))
        == "Der Kreis, im Uhrzeigersinn: 67 (Ziel), 38."
    )
    assert render(Phrase("{who} has chosen.", {"who": Who(Seat(0))}), ["Ömer"]) == "Ömer hat gewählt."


@pytest.mark.parametrize(
    ("name", "of", "than"),
    [
        ("Anna", "d\u2019Anna", "qu\u2019Anna"),
        ("Élise", "d\u2019Élise", "qu\u2019Élise"),
        ("Ben", "de Ben", "que Ben"),
        ("Yann", "de Yann", "que Yann"),
    ],
)
def test_french_elides_before_a_name(name: str, of: str, than: str) -> None:
    set_language("fr")
    assert tr("Type the password of {name}.", name=name) == f"Tape le mot de passe {of}."
    assert tr("{loss} behind {best}", loss="1", best=name) == f"1 de moins {than}"


def test_a_terminal_without_accents_gets_none() -> None:
    set_language("de")
    set_spelling(plainly=True)
    assert tr("gap") == "Luecke"
    set_language("fr")
    assert render(Phrase("{who} decides.", {"who": Who(Seat(0))}), ["Zoé"]) == "Zoe decide."
    assert without_accents("l\u2019hôte") == "l'hote"


def test_a_stream_without_accents_gets_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:

    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding="ascii"))
    write_line("Die Lücke für Zoé − 3")
    assert buffer.getvalue() == b"Die Luecke fuer Zoe - 3\n"


DATA = {"fewest": 3, "most": 5, "seat": 2, "name": "Anna", "table": "c0ffee", "host": "Paul"}


@pytest.mark.parametrize("language", ["de", "fr"])
@pytest.mark.parametrize("code", Code)
def test_every_code_of_the_wire_can_be_said(code: Code, language: str) -> None:
    error = ScovilleError(code, "What the server says.", DATA)
    assert error_text(error) == "What the server says."
    set_language(language)
    assert error_text(error) != "What the server says."
    assert error_text(ScovilleError(code, "What the server says."))


def test_an_unknown_code_is_reported_in_the_servers_words() -> None:
    set_language("de")
    assert error_text(ScovilleError("from_the_future", "Come back tomorrow.")) == "Come back tomorrow."


def test_a_taken_seat_is_named_with_its_player() -> None:
    set_language("de")
    assert (
        error_text(ScovilleError(Code.SEAT_TAKEN, "taken", {"seat": 2, "name": "Anna"}))
        == "Platz 2 ist schon besetzt, von Anna."
    )
