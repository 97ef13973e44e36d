"""Tournaments on the screen: called, entered, played at the table that waits, and looked at."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from scoville_client.settings.file import SettingsFile
from scoville_client.tui.screens.tournaments.tournaments import (
    CallTournamentDialog,
    TournamentDialog,
    TournamentsDialog,
)
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, WIDE, Player, at_the_screen
from tests.support.server import core_of

PASSWORD = "seven habaneros"
FRIDAY = {
    "name": "Friday",
    "format": "swiss",
    "game": "no_thanks",
    "seat_count": 3,
    "starts_in_ms": 3_600_000,
    "round_count": 2,
}
sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


@pytest.fixture
async def live_server() -> AsyncIterator[LiveServer]:
    """Let Marie claim her name; the server has run for a while."""
    async with open_live_server() as place:
        await place.marie.account.claim_name(PASSWORD)
        tournaments = core_of(place.server).tournaments
        tournaments.start_serving()
        tournaments._serves_since = -1_000.0
        yield place


async def open_list(player: Player) -> None:
    await player.until(lambda: player.where == "lobby")
    await player.press("E")
    await player.until(lambda: isinstance(player.app.screen, TournamentsDialog))


@sizes
async def test_a_user_enters_and_is_taken_to_the_table(live_server: LiveServer, size: tuple[int, int]) -> None:
    marie = live_server.marie
    async with at_the_screen(live_server.start_as("Paul"), size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        called = await marie.tournaments.call_tournament(FRIDAY)
        await paul.sees("Friday")
        await open_list(paul)
        await paul.press("enter")
        await paul.until(lambda: isinstance(paul.app.screen, TournamentDialog))
        await paul.press("e")
        await paul.sees("Paul (you)")
        await marie.tournaments.enter_tournament(called.id)
        await marie.tournaments.begin_tournament(called.id)
        await paul.until(lambda: paul.app.session.table is not None)
        await paul.sees("The game starts in")
        assert "Paul" in paul.text
        assert paul.text.count("free seat ") == 2
        assert paul.app.session.table is not None
        assert paul.app.session.table.info.tournament == called.id


@sizes
async def test_tournament_is_called_line_by_line(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start_as("Paul"), size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await paul.app.session.account.claim_name(PASSWORD)
        await open_list(paul)
        await paul.sees("There are none")
        assert "Enter" not in paul.text, "there is nothing to open"
        await paul.press("n")
        await paul.until(lambda: isinstance(paul.app.screen, CallTournamentDialog))
        await paul.sees("Everybody plays each round")
        await paul.press("down", *"Quick Cup")
        await paul.press("down", "down", "left")
        await paul.sees("3 rounds")
        await paul.press("down", *"27:00", "enter")
        await paul.sees("is not a time")
        await paul.press(*["backspace"] * 5)
        await paul.sees("in 15 minutes")
        await paul.press("right", "enter")
        await paul.until(lambda: isinstance(paul.app.screen, TournamentsDialog))
        await paul.sees("Quick Cup")
        (listed,) = await live_server.marie.tournaments.list_tournaments()
        assert (listed.name, listed.format, listed.round_count, listed.director) == ("Quick Cup", "swiss", 3, "Paul")
        assert listed.starts_in_ms is not None
        assert 1_700_000 < listed.starts_in_ms <= 1_800_000


@sizes
async def test_refused_call_says_why(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start_as("Paul"), size=size) as paul:
        await open_list(paul)
        await paul.press("n")
        await paul.until(lambda: isinstance(paul.app.screen, CallTournamentDialog))
        await paul.press("enter")
        await paul.sees("Only owners of a")
        assert isinstance(paul.app.screen, CallTournamentDialog)


@sizes
async def test_director_confirms_begin_and_cancel(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start_as("Paul"), size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await paul.app.session.account.claim_name(PASSWORD)
        called = await paul.app.session.tournaments.call_tournament(FRIDAY)

        async def stage() -> tuple[str, str | None]:
            info = (await live_server.marie.tournaments.show_tournament(called.id)).tournament_info
            return info.stage, info.reason

        await open_list(paul)
        await paul.press("enter")
        await paul.sees("begin now")
        await paul.press("b")
        await paul.sees("Begin Friday now?")
        await paul.press("enter")
        await paul.until(lambda: isinstance(paul.app.screen, TournamentDialog))
        await paul.press("x")
        await paul.sees("Enter next")
        await paul.press(*"rain", "enter")
        await paul.sees("y cancel it")
        assert await stage() == ("announced", None)
        await paul.press("enter")
        await paul.until(lambda: isinstance(paul.app.screen, TournamentDialog))
        assert await stage() == ("announced", None)
        await paul.press("x")
        await paul.sees("Enter next")
        await paul.press(*"rain" * 20, "enter")
        await paul.sees("y cancel it")
        await paul.press("y")
        await paul.sees("Cancelled by Paul")
        assert await stage() == ("cancelled", f"Paul: {'rain' * 16}"), "as long as the server takes"


@sizes
@pytest.mark.parametrize("language", ["en", "de", "fr"])
async def test_every_value_of_a_new_tournament_keeps_its_arrows(size: tuple[int, int], language: str) -> None:
    settings = SettingsFile(None)
    settings.preferences = replace(settings.preferences, language=language)
    async with (
        open_live_server() as place,
        at_the_screen(place.start, size=size, settings=settings) as paul,
    ):
        await open_list(paul)
        await paul.press("n")
        await paul.until(lambda: paul.sees_dialog("CallTournamentDialog"))
        for _ in range(5):  # every form of tournament, and what comes with it
            await paul.press("right")
            values = [row for row in paul.text.splitlines() if "◂" in row]
            assert len(values) >= 4
            assert all("▸" in row.partition("◂")[2] for row in values), paul.text
