"""Series of matches: every deal from every seat, and the same again from the same seed."""

import json
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scoville_client.arena.contestants import contestants
from scoville_client.arena.match import Terms, Unplayed, play_match
from scoville_client.arena.players import _bot
from scoville_client.arena.report import json_report, list_standings, svg_report, write_report
from scoville_client.arena.series import play_series, seatings
from scoville_shared.bots.base import RandomBot
from scoville_shared.bots.no_thanks.reference import Evolved
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import list_slugs
from scoville_shared.replay import read_game, verify_game

EXAMPLE = Path(__file__).parents[3] / "examples" / "bot.py"
SEED = bytes(32)


def quietly(over: int, of: int) -> None:
    """Show no progress."""


def test_everybody_sits_once_in_every_seat() -> None:
    turns = seatings(4)
    for seat in range(4):
        assert {turn[seat] for turn in turns} == {0, 1, 2, 3}
    assert all(sorted(turn) == [0, 1, 2, 3] for turn in turns)


@pytest.mark.parametrize("game", list_slugs())
async def test_the_same_seed_plays_the_same_series(game: str) -> None:
    players = contestants(game, ["sensible", "random", "random"])
    once = await play_series(Terms(game=game), players, 1, SEED, 2, quietly)
    again = await play_series(Terms(game=game), players, 1, SEED, 1, quietly)
    assert [match.scores for match in once[0]] == [match.scores for match in again[0]]
    assert len({json.loads(match.lines[0])["server_seed"] for match in once[0]}) == 1
    assert all(match.missed == (0, 0, 0) for match in once[0])
    for match in once[0]:
        assert all(finding.held for finding in verify_game(read_game(match.lines)).findings)


async def test_progress_is_reported() -> None:
    reported: list[tuple[int, int]] = []
    players = contestants("no_thanks", ["sensible", "random", "random"])
    await play_series(Terms(game="no_thanks"), players, 1, SEED, 1, lambda *done: reported.append(done))
    assert reported == [(1, 3), (2, 3), (3, 3)]


async def test_a_program_plays_through_the_wire_alone() -> None:
    players = contestants("no_thanks", ["sensible", "random", f"{sys.executable} {EXAMPLE}"])
    match = await play_match(Terms(game="no_thanks"), players, (2, 0, 1), SEED)
    assert match.missed == (0, 0, 0)
    moved = Counter((line["seat"], line["mover"]) for line in map(json.loads, match.lines) if "mover" in line)
    assert moved[(0, "player")] > 0


async def test_a_program_that_cannot_be_run_is_named() -> None:
    players = contestants("no_thanks", ["sensible", "random", "./there/is/none"])
    with pytest.RaisesGroup(pytest.RaisesExc(Unplayed, match=r"none could not be started: No such file")):
        await play_match(Terms(game="no_thanks"), players, (0, 1, 2), SEED)


async def test_a_program_that_ends_at_once_is_named_at_once() -> None:
    players = contestants("no_thanks", ["sensible", "random", f"{sys.executable} -c pass"])
    with pytest.RaisesGroup(pytest.RaisesExc(Unplayed, match="exited before joining the table")):
        await play_match(Terms(game="no_thanks"), players, (0, 1, 2), SEED)


async def test_the_report_shows_every_entrant_best_first() -> None:
    players = contestants("dicht_dran", ["random", "sensible"])
    deals = await play_series(Terms(game="dicht_dran"), players, 3, SEED, 1, quietly)
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
    [mixed] = contestants("no_thanks", ["random+raggedr"])
    drawn = [_bot("no_thanks", mixed, 0, Dice(bytes([n]) * 32)) for n in range(20)]
    assert {*drawn} == {RandomBot, Evolved}
    assert drawn == [_bot("no_thanks", mixed, 0, Dice(bytes([n]) * 32)) for n in range(20)]
