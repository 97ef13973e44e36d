"""French typography, and rules pages that a player can read without the repository."""

import re

import pytest

from scoville_client.i18n.language import LANGUAGES
from scoville_client.rules import games_with_rules, rules_pages
from tests.client.i18n.catalogs import read

NARROW_SPACE = "\u202f"
BEFORE = re.compile(r"[^\u202f][:;!?](?=\s|$)|[ \u00a0][:;!?]")
"""A colon, semicolon, exclamation or question mark after anything but a narrow no-break space."""


def french_texts() -> list[str]:
    strings = [message.string for message in read("fr") if message.id]
    catalog = [text for each in strings for text in ((each,) if isinstance(each, str) else each)]
    every_page = [page for game in games_with_rules() for page in rules_pages(game, "fr")]
    return catalog + [text for page in every_page for text in (page.title, *(block.text for block in page.blocks))]


def test_french_texts_have_narrow_no_break_spaces_before_double_punctuation() -> None:
    texts = french_texts()
    assert [text for text in texts if BEFORE.search(text.replace("No Thanks!", ""))] == []
    assert sum(NARROW_SPACE in text for text in texts) > 100


def test_french_texts_have_typographic_apostrophes() -> None:
    texts = french_texts()
    assert [text for text in texts if re.search(r"\w'\w", text)] == []
    assert sum("\u2019" in text for text in texts) > 100


def test_french_says_tu_to_its_user() -> None:
    # "Vos chemins" are those of two players; nouns such as rendez-vous end like a verb.
    polite = re.compile(r"\b(?:vous|votre|(?!(?:rendez|chez|assez|nez)\b)[^\W\d_]+ez)\b", re.IGNORECASE)
    texts = [text.replace("rendez-vous", "") for text in french_texts()]
    assert [text for text in texts if polite.search(text)] == []
    assert polite.search("Si vous écrivez") is not None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", games_with_rules())
def test_rules_pages_do_not_name_files_of_the_repository(game: str, language: str) -> None:
    texts = [block.text for page in rules_pages(game, language) for block in page.blocks]
    assert texts
    assert [text for text in texts if "docs/" in text or ".md" in text] == []


def test_german_calls_the_peppers_as_the_rulebook_does() -> None:
    strings = [message.string for message in read("de") if message.id]
    texts = [text for each in strings for text in ((each,) if isinstance(each, str) else each)]
    assert [text for text in texts if re.search(r"\bSchote", text)] == []
    assert sum("Knallschote" in text for text in texts) > 20
