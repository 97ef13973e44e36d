"""The tables of docs/events.md, written from the events' types by `scripts/pages`."""

import importlib
import re
from pathlib import Path

from scoville_runtime.events import Event, Suppressed, describe_fields, kind_of, list_kinds
from tests.support.tree import ROOT

PAGE = ROOT / "docs" / "events.md"
MODULES = {"server": "scoville_server.events", "doors": "scoville_client.doors.hosting.events"}
PRIORITIES = {3: "error", 4: "warning", 5: "notice", 6: "info", 7: "debug"}


def kinds_of(program: str) -> list[type[Event]]:
    """List the kinds of events of the server or of doors, in the order in which they are declared."""
    module = importlib.import_module(MODULES[program]).__name__
    kinds = [kind for kind in list_kinds() if kind.__module__ == module]
    return sorted(kinds, key=declared_at)


def declared_at(kind: type[Event]) -> int:
    source = Path(importlib.import_module(kind.__module__).__file__ or "").read_text(encoding="utf-8")
    return source.index(f"class {kind.__name__}(")


def write_table(kinds: list[type[Event]]) -> str:
    """Write the table of some kinds: each with its level, meaning and fields."""
    rows = ["| event | level | meaning | fields |", "|---|---|---|---|"]
    for kind in kinds:
        level = PRIORITIES[kind.priority] + (", security" if kind.security else "")
        fields = "; ".join(f"`{name}` ({type_name}): {text}" for name, type_name, text in describe_fields(kind))
        rows.append(f"| `{kind_of(kind)}` | {level} | {(kind.__doc__ or '').strip()} | {fields} |")
    return "\n".join(rows)


def write_pages() -> dict[Path, str]:
    """Write the page with the tables as the types make them."""
    page = PAGE.read_text(encoding="utf-8")
    tables = {"server": write_table([*kinds_of("server"), Suppressed]), "doors": write_table(kinds_of("doors"))}
    for name, table in tables.items():
        mark = f"<!-- events of {name} -->"
        page = re.sub(f"{mark}\n.*?{mark}", lambda _, m=mark, t=table: f"{m}\n{t}\n{m}", page, flags=re.DOTALL)  # type: ignore[misc]
    return {PAGE: page}
