"""The shape of the protocol as plain data: names, types, and required fields.

`scripts/pages` writes down the shape of today. That is right when something was added; what else has changed needs
another number of the protocol, once this one has been published.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from scoville_shared.protocol.messages import METHODS, NOTICES, PROTOCOL

FILE = Path(__file__).with_name(f"protocol-{PROTOCOL}.json")
STORIES = {"why", "reason", "reaction"}
"""Fields whose values may become more."""
EVENTS = {"event", "events"}
"""There may be more kinds of them; the recorded ones are types of their own, and compared as such."""
TOLD = {"type", "enum", "const", "anyOf", "items", "prefixItems", "$ref", "additionalProperties"}
"""What of a type a program relies on; how long a text may be is a limit, and limits change."""


def describe_shape() -> dict[str, Any]:
    """Describe every method, notice and type."""
    types = [kind for method in METHODS.values() for kind in method]
    _, parts = msgspec.json.schema_components([*types, *NOTICES.values()], ref_template="{name}")
    return {
        "methods": {name: [method.params.__name__, method.reply.__name__] for name, method in METHODS.items()},
        "notices": {name: kind.__name__ for name, kind in NOTICES.items()},
        "types": {name: _describe_part(schema) for name, schema in sorted(parts.items())},
    }


def _describe_part(schema: dict[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties", {})
    return {
        "fields": {name: _describe_change(kind) for name, kind in fields.items()},
        "needed": sorted(schema.get("required", [])),
    }


def _describe_change(kind: Any) -> Any:
    if isinstance(kind, dict):
        return {key: _describe_change(value) for key, value in sorted(kind.items()) if key in TOLD}
    return [_describe_change(item) for item in kind] if isinstance(kind, list) else kind


def list_lost() -> list[str]:
    """List what a program of the recorded protocol would miss: methods, notices, fields, and what it must send."""
    recorded, today = json.loads(FILE.read_text(encoding="utf-8")), describe_shape()
    lost = [
        name
        for table in ("methods", "notices")
        for name, kind in recorded[table].items()
        if today[table].get(name) != kind
    ]
    requests = {method.params.__name__ for method in METHODS.values()}
    for kind, before in recorded["types"].items():
        now = today["types"].get(kind, {"fields": {}, "needed": []})
        lost += [
            f"{kind}.{name}" for name, field in before["fields"].items() if not _is_still(name, field, now["fields"])
        ]
        more = set(now["needed"]) - set(before["needed"]) if kind in requests else set()
        lost += [f"{kind}.{name}" for name in sorted(more)]
    return lost


def _is_still(name: str, before: dict[str, Any], fields: dict[str, dict[str, Any]]) -> bool:
    """Whether a program that knows a field as it was `before` understands it as it is now."""
    now = fields.get(name)
    if now is None or name in EVENTS:
        return now is not None
    if name in STORIES and "enum" in before:
        return set(before["enum"]) <= set(now.get("enum", before["enum"]))
    return before == now


def write_pages() -> dict[Path, str]:
    """Write the file, a line for each name."""
    parts = (
        f'"{part}": {{\n'
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(what)}" for name, what in named.items())
        + "\n}"
        for part, named in describe_shape().items()
    )
    return {FILE: "{\n" + ",\n".join(parts) + "\n}\n"}
