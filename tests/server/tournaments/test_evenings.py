"""Short evenings of tournaments; `tests.server.tournaments.evening` plays longer ones."""

import pytest

from scoville_shared.protocol.messages import TournamentFormat
from tests.server.tournaments.evening import FORMATS, play_evening


@pytest.mark.parametrize("played", FORMATS)
async def test_an_evening_with_leavers_latecomers_and_crashes(played: TournamentFormat) -> None:
    assert await play_evening(played, players=8, seed=3, crashes=2) >= 3
