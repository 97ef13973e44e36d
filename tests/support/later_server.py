"""A later server of the same protocol version: an honest one, whose messages have all that the protocol allows to grow.

docs/protocol.md lists it under versions and compatibility: unknown fields, notices, events, facts, features and codes.
"""

from collections.abc import Iterable
from typing import Any

import msgpack

from tests.support.hostile import HostileProxy

FROZEN = frozenset({"options", "moves", "move", "settings"})
"""What holds maps that the version of the rules, or the user, determines."""
LATER_EVENTS = frozenset({"paused", "resumed", "ready_changed", "warned", "countdown_started"})
"""Events that this client is made not to know."""
LATER_FACT = {"fact": "later_fact", "seat": 1, "cards": [1, 2], "later": None}


class LaterServer(HostileProxy):
    """The server at `port` as it may be in a year."""

    def __init__(self, port: int) -> None:
        super().__init__(port, _grow)
        self.corrupt = _grow


def _grow(message: Any) -> Iterable[bytes]:
    kind, name, *parts = message
    if kind == 2:
        yield msgpack.packb([2, "table.later", [{"table": "t", "later": [1]}]])
    if kind == 1 and isinstance(parts[0], dict):
        parts[0] = {**parts[0], "code": f"later_{parts[0]['code']}"}
    parts = [_grown(part) for part in parts]
    if kind == 1 and isinstance(parts[1], dict) and "features" in parts[1]:
        parts[1]["features"] = [*parts[1]["features"], "later_feature"]
    yield msgpack.packb([kind, name, *parts])


def _grown(plain: Any, key: str = "") -> Any:
    """Add a field to every map, facts to every move, and rename the later events."""
    if isinstance(plain, list):
        items = [_grown(item, key) for item in plain]
        return [LATER_FACT, *items, LATER_FACT] if key == "facts" else items
    if not isinstance(plain, dict) or key in FROZEN:
        return plain
    grown = {name: _grown(item, name) for name, item in plain.items()}
    if grown.get("kind") in LATER_EVENTS and "seq" in grown:
        grown["kind"] = f"later_{grown['kind']}"
    return {**grown, "later": {"x": [1, None, "later"]}}
