"""A server accepts no more connections than the system has file descriptors."""

import pytest

from scoville_server.net.accepting import RESERVED, make_room

resource = pytest.importorskip("resource")


def test_there_are_as_many_as_the_system_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (50 + RESERVED, 1024))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: set_to.append(limits))
    assert make_room(50) == 50
    assert make_room(500) == 500
    assert make_room(4096) == 1024 - RESERVED
    assert set_to == [(500 + RESERVED, 1024), (1024, 1024)]
