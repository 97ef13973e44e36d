"""Garbage collection is off during the start only."""

import gc
from contextlib import suppress

import pytest

from scoville_client.garbage import pause_collection, resume_collection, resuming_collection


@pytest.fixture(autouse=True)
def _collecting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)  # it would keep every object of this process
    monkeypatch.setattr(gc, "set_threshold", lambda *_: None)


def test_collections_resume_after_the_start_even_if_it_fails() -> None:
    for fails in (False, True):
        pause_collection()
        with suppress(OSError), resuming_collection():
            assert not gc.isenabled()
            if fails:
                raise OSError
        assert gc.isenabled()


def test_collections_that_are_on_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: pytest.fail("everything would be kept"))
    resume_collection()
    assert gc.isenabled()
