"""The user's next dates in the lobby, each with a key that goes to it."""

from types import SimpleNamespace

import pytest

from scoville_client.i18n.dates_text import NextDate
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.account.clubs import ClubDialog
from scoville_client.tui.screens.daily.daily import DailyDialog
from scoville_client.tui.screens.lobby.actions import LobbyActions
from scoville_client.tui.screens.lobby.dates import choose_dates, draw_dates, lines_of_dates
from scoville_client.tui.screens.tournaments.tournaments import TournamentDialog, TournamentsDialog
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, WIDE, Player, at_the_screen

PASSWORD = "seven habaneros"
SIZES = [NARROW, (46, 44), WIDE, (120, 40)]
DAILY = NextDate(1, "daily", "", "daily deal: No Thanks!", is_limit=True)
CLUB = NextDate(2, "club", "5", "Chili night, club Hot Peppers")


def test_the_daily_deal_alone_is_no_list() -> None:
    assert choose_dates([DAILY], 40) == ()
    assert choose_dates([], 40) == ()
    assert list(choose_dates([DAILY, CLUB], 40)) == [DAILY, CLUB]


def test_a_small_window_lists_the_nearest_ones() -> None:
    assert list(choose_dates([DAILY, CLUB, CLUB, CLUB], 19)) == [DAILY, CLUB]
    assert len(choose_dates([CLUB] * 9, 80)) == 5


def test_each_date_takes_one_row() -> None:
    canvas = Canvas(30, 4)
    assert draw_dates(canvas, 0, 0, 30, lines_of_dates([DAILY, CLUB], 0), in_one_row=True) == 2
    assert "".join(text for _, text in canvas.runs(1)).startswith("2 ")


def test_a_table_that_waits_is_one_key_away() -> None:
    asked: list[str] = []
    navigation = SimpleNamespace(open_tournament_table=asked.append)
    shell = SimpleNamespace(navigation=navigation, session=None)
    waiting = NextDate(1, "tournament", "3", "Friday cup (No Thanks!)", is_waiting=True)
    LobbyActions(shell).open_date(waiting)  # type: ignore[arg-type]
    assert asked == ["3"]


async def prepare_dates(place: LiveServer) -> str:
    """Let Marie call a tournament and add a date to her club, of which the other user is a member."""
    marie = place.marie
    await marie.account.claim_name(PASSWORD)
    await marie.clubs.create_club("Hot Peppers")
    club = marie.clubs.own_clubs[0]
    await marie.clubs.add_date(club.club, "Chili night", 2 * 3_600_000)
    return club.club


async def take_part(player: Player, place: LiveServer, club: str) -> None:
    session, marie = player.app.session, place.marie
    await session.account.claim_name(PASSWORD)
    await marie.clubs.invite_user(club, session.name)
    await session.clubs.list_clubs()
    await session.clubs.accept_invitation(club)
    called = {"name": "Friday cup", "game": "no_thanks", "seat_count": 3, "starts_in_ms": 3_600_000}
    info = await marie.tournaments.call_tournament({**called, "format": "swiss", "round_count": 2})
    await session.tournaments.enter_tournament(info.id)


async def open_and_close(player: Player) -> None:
    """Come back to the lobby from a dialog."""
    await player.sees_of_others("Chili night")
    await player.until(lambda: player.app.up_to_date)  # a key that was typed before would be ignored
    await player.press("E")
    await player.until(lambda: isinstance(player.app.screen, TournamentsDialog))
    await player.press("escape")
    await player.until(lambda: player.app.screen is player.app.page_stack.page)


@pytest.mark.parametrize("size", SIZES)
async def test_each_date_has_one_key(size: tuple[int, int]) -> None:
    async with open_live_server() as place:
        club = await prepare_dates(place)
        async with at_the_screen(place.start, size=size) as player:
            await player.until(lambda: player.where == "lobby")
            await take_part(player, place, club)
            await open_and_close(player)
            await player.sees_of_others("Friday cup (No")
            await player.until(lambda: player.app.up_to_date)
            assert ("My next dates" in player.text) == (size != NARROW)
            await player.press("1")
            await player.until(lambda: isinstance(player.app.screen, TournamentDialog))
            await player.press("escape", "2")
            await player.until(lambda: isinstance(player.app.screen, ClubDialog))
            await player.press("escape", "3")
            assert player.app.screen is player.app.page_stack.page
            await player.click("Friday cup (No")
            await player.until(lambda: isinstance(player.app.screen, TournamentDialog))


async def test_the_daily_deal_is_among_the_dates(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with open_live_server(tmp_path_factory.mktemp("server")) as place:
        club = await prepare_dates(place)
        async with at_the_screen(place.start) as player:
            await player.until(lambda: player.where == "lobby")
            await player.sees_of_others("t daily deal ")
            await take_part(player, place, club)
            await open_and_close(player)
            await player.sees_of_others("daily deal: ")
            assert not any(row.startswith("   t daily deal") for row in player.text.splitlines())
            number = next(row.split()[0] for row in player.text.splitlines() if "daily deal: " in row)
            await player.press(number)
            await player.until(lambda: isinstance(player.app.screen, DailyDialog))
