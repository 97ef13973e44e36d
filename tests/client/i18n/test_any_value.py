"""Every text of every catalog renders with every kind of value, and numbers are written as the language writes them."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from gettext import NullTranslations
from string import Formatter
from types import MappingProxyType
from typing import Any

import pytest

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import LANGUAGES, format_number, load_catalog, render, set_language
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.errors import Code, ScovilleError
from tests.client.i18n.catalogs import template

every_language = pytest.mark.parametrize("code", LANGUAGES)

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e]")
DEEP: Any = "bottom"
for _ in range(2_000):
    DEEP = [DEEP]
WIDE_AND_DEEP: Any = Phrase("{a}", {"a": 1})
for _ in range(2_000):
    WIDE_AND_DEEP = Phrase("{a}", {"a": WIDE_AND_DEEP})

VALUES: Mapping[str, Any] = MappingProxyType(
    {
        "int": 3,
        "negative": -1,
        "huge": 10**5000,
        "float": 0.534,
        "whole float": 2.0,
        "tiny": -1e-300,
        "enormous": 1e300,
        "infinite": float("-inf"),
        "not a number": float("nan"),
        "str": "Anna",
        "empty": "",
        "long": "x" * 20_000,
        "markup": "[bold]a[/] [/nothing] [@click=app.quit]",
        "braces": "{who} {0} {",
        "control": "a\x1b]0;b\x07\r\nc\x00\x9b",
        "direction": "\u202eabc\u2066",
        "surrogate": "\ud800 \udcff",
        "none": None,
        "true": True,
        "false": False,
        "list": [1, 2.5, None, "a"],
        "nothing": [],
        "dict": {"a": {"b": 1.5}, 2: None, "\udc80": []},
        "set": frozenset({1}),
        "bytes": b"\xff",
        "object": object,
        "phrase": Phrase("{n} game", {"n": 1.5}, many="{n} games", number=1.5),
        "broken phrase": Phrase("{missing} {", {}),
        "deep": DEEP,
        "deep phrase": WIDE_AND_DEEP,
        "who": Who(0),  # type: ignore[arg-type]
        "nobody": Who(99),  # type: ignore[arg-type]
        "before the first": Who(-1),  # type: ignore[arg-type]
        "no seat": Who(Who(None)),  # type: ignore[arg-type]
    }
)
every_value = pytest.mark.parametrize("kind", VALUES)


@cache
def pairs() -> list[tuple[str, str | None]]:
    """List every text of the sources, as (text, plural)."""
    ids = [message.id for message in template() if message.id]
    return [(each, None) if isinstance(each, str) else (each[0], each[1]) for each in ids]


@cache
def fields_of(*texts: str | None) -> set[str]:
    return {name for text in texts if text for _, name, _, _ in Formatter().parse(text) if name}


@cache
def varied_pairs() -> list[tuple[str, str | None]]:
    """List the texts that a value can change: two thirds have neither a field nor a plural."""
    return [(text, many) for text, many in pairs() if many is not None or fields_of(text, many)]


def safe(text: str) -> bool:
    """Whether a text contains no control characters of terminals."""
    text.encode("utf-8")
    return UNSAFE.search(text) is None


def rendered(code: str, value: Any, number: Any) -> Iterator[str]:
    for text, many in varied_pairs():
        fields = dict.fromkeys(fields_of(text, many), value)
        yield Phrase(text, fields, many=many, number=number).render(["Anna"], load_catalog(code))


@every_value
@every_language
def test_every_text_renders_with_any_value_as_number_too(code: str, kind: str) -> None:
    for text in rendered(code, VALUES[kind], VALUES[kind]):
        assert text
        assert safe(text)


@every_language
def test_every_text_renders_without_its_fields(code: str) -> None:
    for text, many in pairs():
        shown = Phrase(text, {}, many=many).render([], load_catalog(code))
        assert shown
        assert safe(shown)
        assert all(f"{{{name}}}" in shown for name in fields_of(text) & fields_of(many or text))


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (1, "1", "1"),
        (0.534, "0.534", "0,534"),
        (2.0, "2", "2"),
        (-0.25, "−0.25", "−0,25"),
        (-0.0001, "0", "0"),
        (12345.678, "12346", "12346"),
        (float("inf"), "?", "?"),
        (True, "yes", "ja"),
        ([1.5, [2, "a"]], "1.5, 2, a", "1,5, 2, a"),
        ({"a": 1.5}, "a: 1.5", "a: 1,5"),
    ],
)
def test_values_are_written_as_the_language_writes_them(value: Any, english: str, german: str) -> None:
    phrase = Phrase("{value}", {"value": value})
    assert phrase.render([], load_catalog("en")) == english
    assert phrase.render([], load_catalog("de")) == german


@pytest.mark.parametrize(
    ("count", "english", "french"),
    [
        (1, "second.", "seconde."),
        (-1, "second.", "seconde."),
        (1.0, "second.", "seconde."),
        (0, "seconds.", "seconde."),
        (0.5, "seconds.", "seconde."),
        (1.5, "seconds.", "seconde."),
        (2.5, "seconds.", "secondes."),
        (10**50, "seconds.", "secondes."),
        (float("nan"), "seconds.", "secondes."),
        (None, "seconds.", "secondes."),
    ],
)
def test_the_plural_follows_any_number(count: Any, english: str, french: str) -> None:
    one, many = (
        "Too many requests: try again in {retry_after} second.",
        "Too many requests: try again in {retry_after} seconds.",
    )
    phrase = Phrase(one, {"retry_after": count}, many=many, number=count)
    assert phrase.render([], load_catalog("en")).endswith(english)
    assert phrase.render([], load_catalog("fr")).endswith(french)


class Broken(NullTranslations):
    """A catalog in which every entry is `entry`."""

    def __init__(self, entry: str) -> None:
        super().__init__()
        self.entry = entry

    def gettext(self, message: str) -> str:
        return self.entry

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.entry


@pytest.mark.parametrize("entry", ["{wer} nimmt {card}.", "{", "{0} {1}", "nichts", "{who.x} {card}", "{who:d} {card}"])
def test_a_bad_entry_gives_way_to_english_with_its_fields(entry: str) -> None:
    phrase = Phrase("{who} takes {card}.", {"who": "Anna", "card": 67})
    assert phrase.render([], Broken(entry)) == "Anna takes 67."
    pair = Phrase("{n} card of {who}.", {"n": 2, "who": "Anna"}, many="{n} cards of {who}.", number=2)
    assert pair.render([], Broken(entry)) == "2 cards of Anna."


def test_a_field_without_a_value_stays_visible() -> None:
    assert Phrase("{who} takes {card}.", {"card": 67}).render([]) == "{who} takes 67."


def test_an_empty_phrase_is_empty_in_every_language() -> None:
    assert {Phrase("").render([], load_catalog(code)) for code in LANGUAGES} == {""}


@every_language
@every_value
def test_every_refusal_can_be_said_with_any_data(code: str, kind: str) -> None:
    set_language(code)
    try:
        for error in Code:
            names = ("retry_after_ms", "reason", "host", "name", "seat", "fewest", "most", "table", "message", "other")
            for data in ({}, dict.fromkeys(names, VALUES[kind])):
                assert safe(error_text(ScovilleError(error, "What the server says.", dict(data))))
    finally:
        set_language("en")


@pytest.mark.parametrize(
    ("wait", "german"),
    [
        (534, "Zu viele Anfragen: Versuch es in 1 Sekunde noch einmal."),
        (1_000, "Zu viele Anfragen: Versuch es in 1 Sekunde noch einmal."),
        (29_200.0, "Zu viele Anfragen: Versuch es in 30 Sekunden noch einmal."),
        ("soon", "Zu viele Anfragen: Versuch es gleich noch einmal."),
        (float("nan"), "Zu viele Anfragen: Versuch es gleich noch einmal."),
        (-3, "Zu viele Anfragen: Versuch es gleich noch einmal."),
        (None, "Zu viele Anfragen: Versuch es gleich noch einmal."),
    ],
)
def test_a_wait_is_whole_seconds(wait: Any, german: str) -> None:
    set_language("de")
    try:
        assert error_text(ScovilleError(Code.SLOW_DOWN, "Slow.", {"retry_after_ms": wait})) == german
    finally:
        set_language("en")


def test_numbers_have_the_decimals_that_are_asked_for() -> None:
    assert format_number(21.25) == "21.2"
    set_language("de")
    try:
        assert format_number(21.0) == "21,0"
        assert format_number(0.25, 2) == "0,25"
    finally:
        set_language("en")


def test_long_text_of_a_server_is_cut() -> None:
    assert len(error_text(ScovilleError("odd", "x" * 10**6))) <= 1_000


def test_a_part_of_a_phrase_is_said_in_its_language() -> None:
    assert render(Phrase("{parts}", {"parts": [Phrase("yes"), 1.5]})) == "yes, 1.5"
