"""Levels that win equally often: the interface says so exactly where the measured table of docs/bots.md shows it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from scoville_shared.bots.registry import LEVELS, list_equal_levels
from scoville_shared.games.registry import load_game

PAGE = Path(__file__).parents[3] / "docs" / "bots.md"
HEADING = "| one against all others |"
ROW = re.compile(r"\| (?P<title>[^,|]+), `(?P<level>\w+)` against `(?P<below>\w+)` \|(?P<cells>.*)\|")
SHARE = re.compile(r"(\d+) ± (\d+)")
SLUGS = {load_game(slug).info.title: slug for slug in ("no_thanks", "dicht_dran", "chilli_chase")}


class Measured(NamedTuple):
    """The share of wins of a level, in percent, against bots of the level below in all other seats."""

    slug: str
    level: str
    below: str
    seats: int
    wins: int
    error: int

    @property
    def pair(self) -> tuple[str, int, str, str]:
        return self.slug, self.seats, self.below, self.level

    @property
    def is_separated(self) -> bool:
        return self.wins - self.error > 100 / self.seats


def read_table() -> Iterator[Measured]:
    """Yield the measured cells of the table by number of players."""
    table = PAGE.read_text().split(HEADING)[1].split("\n\n")[0]
    counts = [int(seats) for seats in re.findall(r"(\d) \(", table.splitlines()[0])]
    for row in ROW.finditer(table):
        for seats, cell in zip(counts, row["cells"].split("|"), strict=True):
            if share := SHARE.search(cell):
                yield Measured(SLUGS[row["title"]], row["level"], row["below"], seats, *map(int, share.groups()))


MEASURED = list(read_table())


def list_equal_pairs() -> set[tuple[str, int, str, str]]:
    """Return the neighbouring levels that the interface calls equally strong."""
    return {
        (slug, seats, below, level)
        for slug in SLUGS.values()
        for seats in range(2, 8)
        for below, level in pairwise(list_equal_levels(slug, seats))
    }


def test_levels_are_called_equal_where_no_difference_was_measured() -> None:
    assert len(MEASURED) > 40
    assert list_equal_pairs() == {each.pair for each in MEASURED if not each.is_separated}


@pytest.mark.parametrize("slug", SLUGS.values())
def test_every_pair_of_levels_was_measured_at_every_table(slug: str) -> None:
    fewest, most = load_game(slug).info.seats
    ladder = list(pairwise(LEVELS[1:]))
    wanted = {(slug, seats, below, level) for seats in range(fewest, most + 1) for below, level in ladder}
    assert wanted == {each.pair for each in MEASURED if each.slug == slug}


def test_other_tables_have_no_equal_levels() -> None:
    assert list_equal_levels("dicht_dran", 2) == ("easy", "casual", "sensible")
    assert list_equal_levels("dicht_dran", 4) == list_equal_levels("high_card", 2) == ()
