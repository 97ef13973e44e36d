"""Fixtures of every test of the client: servers that wait for nothing."""

import pytest

from tests.support.quick_servers import hash_cheaply, send_batches_at_once


@pytest.fixture(autouse=True)
def quick_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    send_batches_at_once(monkeypatch)
    hash_cheaply(monkeypatch)
