"""The table of memory in docs/hosting.md: its bounds are the defaults, and its arithmetic is right."""

from pathlib import Path

from scoville_server.config import Settings
from scoville_server.limits.throttle import KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text(encoding="utf-8")
MOST_MIB = 512
MIB = 1024 * 1024


def rows() -> list[list[str]]:
    """The table, row by row: resource, setting, bound, bytes each, MiB."""
    section = PAGE.split("## Memory\n", 1)[1].split("\n## ", 1)[0]
    table = [line.strip("| ").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in cells] for cells in table[2:]]


def number(cell: str) -> int:
    return int(cell.replace(",", ""))


def test_the_bounds_are_the_defaults() -> None:
    s = Settings()
    known = s.guests + s.accounts.claims
    lines = s.chat.lobby + s.tables * s.chat.table + s.chat.whisper_users * s.chat.whispers
    assert [number(row[2]) for row in rows()[:-1]] == [
        *(1, known, s.accounts.tokens_total, known, lines, s.tables, 32 * KEYS),
        *(s.accounts.client_settings, s.games.files, s.connections.total, s.connections.buffers),
    ]


def test_the_arithmetic_is_right_and_all_of_it_fits() -> None:
    *parts, total = rows()
    for row in parts:
        assert abs(number(row[2]) * number(row[3]) / MIB - number(row[4])) <= 1
    assert sum(number(row[4]) for row in parts) == number(total[4]) <= MOST_MIB
