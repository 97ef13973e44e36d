"""The shape of the protocol as plain data: names, types, and required fields.

`python -m tests.shared.protocol.shape` writes down the shape of today. That is right when something was added; what
else has changed needs another number of the protocol, once this one has been published.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from scoville_shared.protocol.messages import METHODS, NOTICES, PROTOCOL

FILE = Path(__file__).with_name(f"protocol-{PROTOCOL}.json")
TOLD = {"type", "enum", "const", "anyOf", "items", "prefixItems", "$ref", "additionalProperties"}
"""What of a type a program relies on; how long a text may be is a limit, and limits change."""


def shape() -> dict[str, Any]:
    """Describe every method, notice and type."""
    types = [kind for method in METHODS.values() for kind in method]
    _, parts = msgspec.json.schema_components([*types, *NOTICES.values()], ref_template="{name}")
    return {
        "methods": {name: [method.params.__name__, method.reply.__name__] for name, method in METHODS.items()},
        "notices": {name: kind.__name__ for name, kind in NOTICES.items()},
        "types": {name: _part(schema) for name, schema in sorted(parts.items())},
    }


def _part(schema: dict[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties", {})
    return {
        "fields": {name: _told(kind) for name, kind in fields.items()},
        "needed": sorted(schema.get("required", [])),
    }


def _told(kind: Any) -> Any:
    if isinstance(kind, dict):
        return {key: _told(value) for key, value in sorted(kind.items()) if key in TOLD}
    return [_told(item) for item in kind] if isinstance(kind, list) else kind


if __name__ == "__main__":
    parts = (
        f'"{part}": {{\n'
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(what)}" for name, what in named.items())
        + "\n}"
        for part, named in shape().items()
    )
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
