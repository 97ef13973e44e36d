"""The table of docs/protocol/actions.md, a row for each file of actions, written from the code by `scripts/pages`."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from scoville_server.tables.state_machine import ACTIONS
from scoville_shared.protocol.messages import METHODS, AnyTableEvent
from tests.support.tree import ROOT

PAGE = ROOT / "docs/protocol/actions.md"
_HEAD = "| file | methods | commands | records | events |\n|---|---|---|---|---|\n"
_TABLE = re.compile(re.escape(_HEAD) + r"(\|.*\n)+")
_METHODS = {method.params.__name__: name for name, method in METHODS.items()}
_EVENTS = {event.__struct_config__.tag for event in get_args(AnyTableEvent)}


def write_pages() -> dict[Path, str]:
    """Write the page with a row for each file."""
    rows = "".join(f"| {' | '.join(_row(name))} |\n" for name in sorted(ACTIONS))
    return {PAGE: _TABLE.sub(lambda _: _HEAD + rows, PAGE.read_text(encoding="utf-8"))}


def _row(name: str) -> tuple[str, ...]:
    action = ACTIONS[name]
    commands = [command.__name__ for command in action.deciders]
    methods = [_METHODS[f"{command}Request"] for command in commands if f"{command}Request" in _METHODS]
    records = [record.__name__ for record in action.evolvers]
    tags = [record.__struct_config__.tag for record in action.evolvers]
    events = [str(tag) for tag in tags if tag in _EVENTS]
    return (f"`{name}.py`", *map(_list_names, (methods, commands, records, events)))


def _list_names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
