"""Series of matches: every deal from every seat, and the same again from the same seed."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from scoville_client.arena.match import Match, Terms, Unplayed, _find_bot, parse_contestants, play_match
from scoville_client.arena.series import (
    ATTEMPTS,
    Series,
    circular_orders,
    json_report,
    list_standings,
    svg_report,
    turned_orders,
    write_report,
)
from scoville_client.transport.base import LinkError
from scoville_shared.bots.base import RandomBot
from scoville_shared.bots.no_thanks.reference import Evolved
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import list_slugs, load_game
from scoville_shared.replay import read_game, verify_game

EXAMPLE = Path(__file__).parents[3] / "examples" / "bot.py"
SEED = bytes(32)


def quietly(over: int, of: int) -> None:
    """Show no progress."""


async def played(game: str, names: Sequence[str], deals: int = 1, jobs: int = 1) -> tuple[Series, list[list[Match]]]:
    series = Series(Terms(game=game), parse_contestants(game, names), deals, SEED)
    await series.play_matches(jobs, quietly)
    return series, series.list_played()


def test_everybody_sits_once_in_every_seat() -> None:
    turns = turned_orders((2, 0, 3, 1))
    for seat in range(4):
        assert {turn[seat] for turn in turns} == {0, 1, 2, 3}
    assert all(sorted(turn) == [0, 1, 2, 3] for turn in turns)


@pytest.mark.parametrize("entrants", range(2, 12))
def test_everybody_follows_everybody_else_equally_often(entrants: int) -> None:
    orders = circular_orders(entrants)
    assert all(sorted(order) == [*range(entrants)] for order in orders)
    follows = Counter(pair for order in orders for pair in pairwise((*order, order[0])))
    assert len(follows) == entrants * (entrants - 1)
    assert len({*follows.values()}) == 1


@pytest.mark.parametrize("entrants", [3, 5, 7])
def test_prime_tables_are_balanced_at_every_distance(entrants: int) -> None:
    orders = circular_orders(entrants)
    for apart in range(1, entrants):
        met = {(order[place], order[(place + apart) % entrants]) for order in orders for place in range(entrants)}
        assert len(met) == entrants * (entrants - 1)


async def test_the_order_of_the_names_changes_no_match() -> None:
    names = ["sensible", "easy", "random"]
    seen = []
    for named in (names, names[::-1], [*names[1:], names[0]]):  # turned round, and turned on
        players = parse_contestants("chilli_chase", named)
        _, deals = await played("chilli_chase", named, jobs=3)
        scores = [dict(zip((players[n].label for n in m.seated), m.scores, strict=True)) for d in deals for m in d]
        seen.append((sorted(map(str, map(sorted, map(dict.items, scores)))), list_standings(players, deals)))
    assert all(each == seen[0] for each in seen)


@pytest.mark.parametrize("game", list_slugs())
async def test_the_same_seed_plays_the_same_series(game: str) -> None:
    names = ["sensible", *["random"] * (load_game(game).info.seats[0] - 1)]
    series, once = await played(game, names, jobs=2)
    _, again = await played(game, names)
    assert series.deals == len(once) == len(circular_orders(len(names)))
    assert [match.scores for match in once[0]] == [match.scores for match in again[0]]
    assert len({json.loads(match.lines[0])["server_seed"] for match in once[0]}) == 1
    assert all(match.missed == (0,) * len(names) for match in once[0])
    for match in once[0]:
        assert all(finding.held for finding in verify_game(read_game(match.lines)).findings)


async def test_progress_is_reported() -> None:
    reported: list[tuple[int, int]] = []
    series = Series(Terms(game="no_thanks"), parse_contestants("no_thanks", ["sensible", "random", "random"]), 1, SEED)
    await series.play_matches(1, lambda *done: reported.append(done))
    assert reported == [(done, 6) for done in range(1, 7)]


async def test_a_failed_match_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = iter([True, False, True])

    async def play_or_fail(*arguments: Any) -> Match:
        if next(failing, False):
            raise ExceptionGroup("unhandled errors in a TaskGroup", [LinkError("The server has not answered.")])
        return await play_match(*arguments)

    monkeypatch.setattr("scoville_client.arena.series.play_match", play_or_fail)
    series, deals = await played("no_thanks", ["sensible", "random", "random"])
    assert sum(map(len, deals)) == series.matches == 6


async def test_what_was_played_outlives_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0

    async def fail_later(*arguments: Any) -> Match:
        nonlocal tried
        tried += 1
        if tried > 2:
            raise LinkError("The server has not answered.")
        return await play_match(*arguments)

    monkeypatch.setattr("scoville_client.arena.series.play_match", fail_later)
    players = parse_contestants("no_thanks", ["sensible", "random", "random"])
    series = Series(Terms(game="no_thanks"), players, 1, SEED)
    with pytest.raises(ExceptionGroup):
        await series.play_matches(1, quietly)
    assert tried >= 2 + ATTEMPTS
    rows = [*write_report(list_standings(players, series.list_played()), 1, whole=False)]
    assert rows[0] == "Only 2 matches were played: seats and neighbours are not balanced."


async def test_a_program_plays_through_the_wire_alone() -> None:
    players = parse_contestants("no_thanks", ["sensible", "random", f"{sys.executable} {EXAMPLE}"])
    match = await play_match(Terms(game="no_thanks"), players, (2, 0, 1), SEED)
    assert match.missed == (0, 0, 0)
    moved = Counter((line["seat"], line["mover"]) for line in map(json.loads, match.lines) if "mover" in line)
    assert moved[(0, "player")] > 0


async def test_a_program_that_cannot_be_run_is_named() -> None:
    players = parse_contestants("no_thanks", ["sensible", "random", "./there/is/none"])
    with pytest.RaisesGroup(pytest.RaisesExc(Unplayed, match=r"none could not be started: No such file")):
        await play_match(Terms(game="no_thanks"), players, (0, 1, 2), SEED)


async def test_a_program_that_ends_at_once_is_named_at_once() -> None:
    players = parse_contestants("no_thanks", ["sensible", "random", f"{sys.executable} -c pass"])
    with pytest.RaisesGroup(pytest.RaisesExc(Unplayed, match="exited before joining the table")):
        await play_match(Terms(game="no_thanks"), players, (0, 1, 2), SEED)


async def test_the_report_shows_every_entrant_best_first() -> None:
    players = parse_contestants("dicht_dran", ["random", "sensible"])
    _, deals = await played("dicht_dran", ["random", "sensible"], deals=3)
    found = list_standings(players, deals)
    rows = [*write_report(found, 3)]
    assert rows[0] == "6 matches: 3 deals, each played from every seat."
    assert [row.split()[0] for row in rows[2:]] == ["sensible", "random"]
    written = json.loads(json_report(found, "dicht_dran", SEED.hex(), 3))
    assert [(each["label"], each["matches"]) for each in written["contestants"]] == [("sensible", 6), ("random", 6)]
    assert written["contestants"][0]["rating"].keys() == {"rating", "low", "high"}
    picture = ElementTree.fromstring(svg_report(found))
    assert [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")][::2] == ["sensible", "random"]


async def test_a_mix_plays_each_match_at_one_level() -> None:
    [mixed] = parse_contestants("no_thanks", ["random+raggedr"])
    drawn = [_find_bot("no_thanks", mixed, 0, Dice(bytes([n]) * 32)) for n in range(20)]
    assert {*drawn} == {RandomBot, Evolved}
    assert drawn == [_find_bot("no_thanks", mixed, 0, Dice(bytes([n]) * 32)) for n in range(20)]
