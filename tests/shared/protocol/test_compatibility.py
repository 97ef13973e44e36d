"""Compatibility: within one protocol number, messages only gain optional fields."""

import json
from typing import Any

import pytest

from scoville_shared.protocol.messages import METHODS
from tests.shared.protocol.shape import FILE, shape

RECORDED = json.loads(FILE.read_text(encoding="utf-8"))
TODAY = shape()
STORIES = {"why", "reason", "reaction"}
"""Fields whose values may become more."""
EVENTS = {"event", "events"}
"""There may be more kinds of them; the recorded ones are types of their own, and compared as such."""
ASKED = {method.params.__name__ for method in METHODS.values()}


def broken(kind: str) -> list[str]:
    """List the fields that a program of the recorded protocol would miss."""
    before, now = RECORDED["types"][kind], TODAY["types"][kind]
    lost = [name for name in before["fields"] if name not in now["fields"]]
    kept = [name for name in before["fields"] if name not in lost]
    other = [name for name in kept if not _still(name, before["fields"][name], now["fields"][name])]
    needed = set(now["needed"]) - set(before["needed"]) if kind in ASKED else set()
    return [*lost, *other, *sorted(needed)]


def _still(name: str, before: dict[str, Any], now: dict[str, Any]) -> bool:
    if name in EVENTS:
        return True
    if name in STORIES and "enum" in before:
        return set(before["enum"]) <= set(now.get("enum", before["enum"]))
    return before == now


def test_recorded_methods_and_notices_stay() -> None:
    for table in ("methods", "notices"):
        assert {name: TODAY[table].get(name) for name in RECORDED[table]} == RECORDED[table]


@pytest.mark.parametrize("kind", RECORDED["types"])
def test_no_recorded_type_has_lost_anything_or_asks_for_more(kind: str) -> None:
    assert kind in TODAY["types"]
    assert broken(kind) == []


def test_what_is_new_is_written_down() -> None:
    assert TODAY == RECORDED, "write it down: python -m tests.shared.protocol.shape"
