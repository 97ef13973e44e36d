"""docs/events.md has every kind of event with its fields, as their types say."""

import re

from tests.server.events_page import PAGE, kinds_of


def test_every_kind_is_in_a_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == len(set(rows)) == len(kinds_of("server")) + len(kinds_of("doors")) + 1
