"""Every text of the sources is translated, and the compiled catalogs are current."""

from string import Formatter

import pytest
from babel.messages.catalog import Message

from scoville_client.i18n.language import load_catalog
from tests.client.i18n.catalogs import TRANSLATED, compiled, mo_file, po_file, read, template, updated, written

every_language = pytest.mark.parametrize("code", TRANSLATED)


def sources(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def translations(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def messages(code: str) -> list[Message]:
    return [message for message in updated(code) if message.id]


@every_language
def test_every_text_has_a_translation(code: str) -> None:
    assert len(messages(code)) == len(template())
    missing = [message.id for message in messages(code) if message.fuzzy or not all(translations(message))]
    assert missing == [], "translate these in the .po file, then run scripts/words"


@every_language
def test_a_translation_has_the_fields_of_its_source(code: str) -> None:
    for message in messages(code):
        wanted = set.union(*map(fields, sources(message)))
        assert all(fields(text) == wanted for text in translations(message) if text), message.id


@every_language
def test_a_translation_is_not_much_longer_than_its_source(code: str) -> None:
    """A longer one says something twice."""
    for message in messages(code):
        assert max(map(len, translations(message))) <= 2.2 * max(map(len, sources(message))) + 20, message.id


@every_language
def test_a_plural_has_as_many_forms_as_the_language(code: str) -> None:
    forms = read(code).num_plurals
    assert forms == 2
    assert all(len(message.string) == forms for message in messages(code) if isinstance(message.id, tuple))


@every_language
def test_the_catalogs_are_what_scripts_words_writes(code: str) -> None:
    assert po_file(code).read_bytes() == written(updated(code)), "run scripts/words"
    assert mo_file(code).read_bytes() == compiled(read(code)), "run scripts/words"


def test_zero_is_singular_in_french_and_plural_in_german() -> None:
    pair = ("{who} draws {count} card.", "{who} draws {count} cards.")
    assert "Karten" in load_catalog("de").ngettext(*pair, 0)
    assert "cartes" not in load_catalog("fr").ngettext(*pair, 0)
    assert "cartes" in load_catalog("fr").ngettext(*pair, 2)
