"""What the line mode names after a game: only commands that are possible there."""

import pytest
from msgspec.structs import replace

from scoville_client.plain.announcer import TableAnnouncer
from scoville_client.plain.output import TextOutput
from scoville_client.session.table.table import AtTable
from scoville_shared.games.registry import load_game
from scoville_shared.protocol.messages import Finished
from tests.support.client import make_snapshot, make_start


@pytest.mark.parametrize(
    ("shared", "command"),
    [
        ({}, "rematch"),
        ({"deal": "daily-2026-11-30-1"}, "daily results"),
        ({"tournament": "a1"}, "tournament show"),
        ({"deal": "evening-1", "tournament": "a1"}, "tournament show"),
    ],
)
def test_the_result_names_what_is_possible_there(shared: dict[str, str], command: str) -> None:
    said: list[str] = []
    announcer = TableAnnouncer(TextOutput(said.append))
    seen = make_snapshot(make_start())
    at = AtTable(load_game("dicht_dran"), replace(seen, info=replace(seen.info, **shared)), lambda: 0.0)
    at.result = Finished(seq=9, scores=[12, 5, 5], places=[3, 1, 1], reason="rounds_played", server_seed="")
    announcer.announce_changes(at)
    assert said[-1].startswith(f"Type {command} ")
