"""Fixtures of every test of the client: English before each, and servers that wait for nothing."""

from collections.abc import Iterator

import pytest

from scoville_client.i18n.language import ENGLISH, set_language, set_spelling
from tests.support.quick_servers import hash_cheaply, send_batches_at_once


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    set_language(ENGLISH)
    set_spelling(plainly=False)


@pytest.fixture(autouse=True)
def quick_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    send_batches_at_once(monkeypatch)
    hash_cheaply(monkeypatch)
