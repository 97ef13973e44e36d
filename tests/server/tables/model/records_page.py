"""Records as this version writes them, records_0_1.json: `scripts/pages` adds kinds that it lacks, and changes none."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from scoville_server.tables.model.records import Record
from scoville_server.tables.state_machine import RECORD_TYPES, pack_record

FILE: Final = Path(__file__).with_name("records_0_1.json")
_VALUES: Final = {"integer": 1, "string": "a", "boolean": True, "array": [], "object": {}, "null": None}


def write_pages() -> dict[Path, str]:
    """Write the file with an example of each kind; its other records stay what they are."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    for kind in RECORD_TYPES:
        tag = str(kind.__struct_config__.tag)
        if tag not in kept["kinds"]:
            kept["kinds"][tag] = pack_record(_make_example(kind, tag)).hex()
    kept["kinds"] = dict(sorted(kept["kinds"].items()))
    return {FILE: json.dumps(kept, indent=1) + "\n"}


def _make_example(kind: type[Record], tag: str) -> Record:
    """Make a record with the fields that it needs; what is more than plain values has to be added by hand."""
    shape = msgspec.json.schema(kind)["$defs"][kind.__name__]
    fields = {name: _value_of(shape["properties"][name]) for name in shape["required"]}
    return msgspec.convert({**fields, "record": tag}, kind)


def _value_of(shape: dict[str, Any]) -> Any:
    return shape["enum"][0] if "enum" in shape else _VALUES[shape["type"]]
