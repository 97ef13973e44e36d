"""A killed server has lost nothing: a few places here, all of them with `scripts/kill`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scoville_shared.games.registry import list_slugs
from tests.e2e.kill.boundaries import Course
from tests.e2e.kill.clients import Gathering
from tests.e2e.kill.evenings import Evening
from tests.e2e.kill.instants import Crowd
from tests.support.process import ServerProcess
from tests.support.warm_start import SERVER

EARLY = [1, 3, 5, 6, 7]
"""The table is open, two sit, the cards are dealt, one has moved, two have: every game comes that far."""

LATER = range(30, 1000, 30)
"""Well into the game, if chance lets it last so long."""

UNHURRIED = (
    "from scoville_server.tables.actions import restart, start\nstart.REVEAL_MS = restart.REVEAL_MS = 3_600_000\n"
) + SERVER
"""A server that waits for nonces as long as a busy machine needs."""


BRISK = (
    "from scoville_server.tournaments import service, tables\n"
    "from scoville_server.tournaments.model import tournament\n"
    "service._SETTLING_SECONDS, tournament.BREAK_MS, tables._BOT_PACE_MS = 0.5, 500, 20\n"
) + SERVER
"""A server whose tournaments rest for less between two rounds, and after a start."""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    server = ServerProcess(tmp_path)
    await server.start()
    yield server
    assert await server.stop() == ""


@pytest.mark.parametrize("game", list_slugs())
async def test_a_kill_between_events_changes_no_picture(server: ServerProcess, game: str) -> None:
    course = Course(server, game, seats=3, seed=4)
    await course.play(lambda event: event in EARLY or event in LATER)
    late = [event for event in LATER if event <= course.events]
    assert course.killed == [*EARLY, *late, course.events]


async def test_a_kill_loses_no_acknowledged_move(server: ServerProcess) -> None:
    crowd = Crowd(server, list_slugs(), tables=6, seed=4)
    await crowd.play(kills=3, moves_between=60)
    assert crowd.moves > 100


@pytest.mark.parametrize("game", list_slugs())
async def test_real_clients_return_and_learn_what_they_missed(server: ServerProcess, game: str) -> None:
    gathering = Gathering(server, game, seats=3, seed=4)
    await gathering.play(lambda event: event in (5, 8, 12))
    assert gathering.killed[-1] == gathering.events
    assert gathering.missed >= len(gathering.killed) - 1 > 0


async def test_real_clients_reveal_nonces_to_a_killed_server(
    tmp_path: Path,
) -> None:
    server = ServerProcess(tmp_path, code=UNHURRIED)
    await server.start()
    gathering = Gathering(server, "no_thanks", seats=3, seed=4)
    await gathering.start_through_a_kill()
    assert len(gathering.killed) == 1
    assert await server.stop() == ""


async def test_real_clients_play_each_move_once_through_kills(server: ServerProcess) -> None:
    gathering = Gathering(server, "no_thanks", seats=3, seed=4)
    await gathering.play_freely(gaps=[7, 2, 5])
    assert len(gathering.killed) == 3


async def test_duplicate_evening_survives_kills(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, code=BRISK)
    await server.start()
    evening = Evening(server, "duplicate", players=7, seed=4)
    assert await evening.play(kills=2, moves_between=40) == 6
    assert (evening.killed, len(evening.made) > 100) == (2, True)
    assert await server.stop() == ""
