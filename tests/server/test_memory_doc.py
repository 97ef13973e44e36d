"""The table of memory in docs/host/capacity.md: its bounds are the defaults, and its arithmetic is right."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_server.clubs.service import MOST_CLUBS
from scoville_server.limits.throttle import KEYS
from scoville_server.settings.derived import derive_bounds
from scoville_server.settings.model import ScaleSettings, Settings

PAGE = (Path(__file__).parents[2] / "docs" / "host" / "capacity.md").read_text(encoding="utf-8")
MOST_MIB = 512
MIB = 1024 * 1024


def rows() -> list[list[str]]:
    """The table, row by row: resource, setting, bound, bytes each, MiB."""
    section = PAGE.split("## Memory\n", 1)[1].split("\n## ", 1)[0]
    table = [line.strip("| ").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in cells] for cells in table[2:]]


def number(cell: str) -> int:
    return int(cell.replace(",", ""))


def bounds_of(s: Settings) -> list[int]:
    """The bounds of the rows, but for the last one."""
    known = s.guests + s.accounts.claims
    lines = s.chat.lobby + s.tables * s.chat.table + s.chat.whisper_users * s.chat.whispers + MOST_CLUBS * s.chat.club
    return [
        *(1, known, s.accounts.tokens_total, known, lines, MOST_CLUBS, s.guests * 9 // 10, s.tables, 32 * KEYS),
        *(s.accounts.client_settings, s.games.files, s.connections.total, s.connections.buffers),
    ]


def test_bounds_of_memory_are_the_defaults() -> None:
    assert [number(row[2]) for row in rows()[:-1]] == bounds_of(Settings())


@pytest.mark.parametrize("mib", [192, 256, 512, 1_024, 16_384])
def test_derived_bounds_fit_into_their_memory(mib: int) -> None:
    settings = derive_bounds(replace(Settings(), limits=ScaleSettings(memory_mib=mib)))
    sizes = [number(row[3]) for row in rows()[:-1]]
    taken = sum(bound * size for bound, size in zip(bounds_of(settings), sizes, strict=True)) / MIB
    assert 0.75 * mib <= taken <= mib


def test_the_arithmetic_is_right_and_all_of_it_fits() -> None:
    *parts, total = rows()
    for row in parts:
        assert abs(number(row[2]) * number(row[3]) / MIB - number(row[4])) <= 1
    assert sum(number(row[4]) for row in parts) == number(total[4]) <= MOST_MIB
