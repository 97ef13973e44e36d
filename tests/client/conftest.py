"""Fixture that resets the language to English before every test."""

from collections.abc import Iterator

import pytest

from scoville_client.i18n.language import ENGLISH, set_language, spell


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    set_language(ENGLISH)
    spell(plainly=False)
