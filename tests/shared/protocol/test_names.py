"""Names of the protocol: one meaning each, times in milliseconds, and nil as the only absence."""

import re
from collections import defaultdict
from typing import Any

from scoville_shared.protocol.messages import METHODS
from tests.shared.protocol.page import type_text
from tests.shared.protocol.schema import make_schema

TYPES = make_schema()["types"]
FIELDS = [(kind, name, shape) for kind, part in TYPES.items() for name, shape in part.get("properties", {}).items()]
SEVERAL = {
    "id": "names one of its kind",
    "kind": "of what there are several kinds: of events, seats, bans, warnings",
    "reason": "one of a list in events that have no author, a sentence where a person gives it",
    "users": "whom the reader of the list may see more or less of",
    "proofs": "how a user can prove who they are, or what the deals of a day follow from",
    "message": "a chat message, or the sentence of an error",
}
"""Names whose type depends on where they are, with the meaning that they share."""
ESTIMATES = {"rating", "mu", "sigma"}


def plain_type(shape: dict[str, Any]) -> str:
    """The type without nil and bounds."""
    return re.sub(r" or nil|, ([\d,]+|up) to [\d,]+( characters)?", "", type_text(shape, linked=False))


def test_a_name_has_one_type_wherever_it_is() -> None:
    types: defaultdict[str, set[str]] = defaultdict(set)
    for _, name, shape in FIELDS:
        types[name].add(plain_type(shape))
    assert {name for name, found in types.items() if len(found) > 1} == SEVERAL.keys()


def test_times_are_whole_milliseconds_and_say_so() -> None:
    assert {name for _, name, shape in FIELDS if "number" in plain_type(shape)} == ESTIMATES
    assert [name for _, name, _ in FIELDS if re.search(r"second|minute|hour|duration$|_at$|_in$|timeout", name)] == []
    assert {plain_type(shape) for _, name, shape in FIELDS if name.endswith("_ms")} == {"int", "[int]"}


def test_missing_values_are_nil() -> None:
    empty = {(kind, name) for kind, name, shape in FIELDS if shape.get("default") == ""}
    negative = {
        (kind, name) for kind, name, shape in FIELDS if isinstance(shape.get("default"), int) and shape["default"] < 0
    }

    assert empty == {("PingRequest", "payload")}
    assert negative == set()


def test_every_param_has_a_default_or_is_required() -> None:
    for method in METHODS.values():
        part = TYPES[method.params.__name__]
        for name, shape in part.get("properties", {}).items():
            assert name in part.get("required", []) or "default" in shape, (method.params, name)
