"""The club dialogs: a club from its creation to its end, in a small and a large window."""

from collections.abc import AsyncIterator

import pytest

from scoville_client.tui.screens.account.clubs import ClubBoardDialog, ClubDialog, ClubInvitationDialog, ClubsDialog
from scoville_client.tui.screens.chat.panel import ChatPanel
from scoville_client.tui.screens.tournaments.tournaments import TournamentDialog, TournamentsDialog
from scoville_client.tui.widgets.menu import Menu
from tests.client.tui.screens.test_account import PASSWORD, choose, fill, sizes
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import Player, at_the_screen


@pytest.fixture
async def live_server() -> AsyncIterator[LiveServer]:
    async with open_live_server() as place:
        await place.marie.account.claim_name(PASSWORD)
        yield place


async def open_clubs(paul: Player) -> None:
    await paul.until(lambda: paul.where == "lobby")
    await paul.app.session.account.claim_name(PASSWORD)
    await paul.press("C")
    await paul.until(lambda: isinstance(paul.app.screen, ClubsDialog))


@sizes
async def test_a_club_is_created_led_and_closed(live_server: LiveServer, size: tuple[int, int]) -> None:
    marie = live_server.marie
    async with at_the_screen(live_server.start, size=size) as paul:
        await open_clubs(paul)
        await choose(paul, "Create a club")
        await fill(paul, "Peppers")
        await paul.sees("1 member")
        await choose(paul, "Peppers")
        await paul.until(lambda: isinstance(paul.app.screen, ClubDialog))
        await choose(paul, "Invite a user")
        await fill(paul, "Marie")
        await paul.sees("invited")
        [club] = await marie.clubs.list_clubs()
        await marie.clubs.accept_invitation(club.club)
        await paul.sees("2 member")
        await choose(paul, "Marie")
        await choose(paul, "Ban from the club")
        await paul.press("y")
        await paul.sees("banned by")
        await choose(paul, "Close the club")
        await paul.press("y")
        await paul.sees("closed by")


async def test_an_invitation_is_accepted_and_its_chat_opened(live_server: LiveServer) -> None:
    marie = live_server.marie
    club = (await marie.clubs.create_club("Peppers")).info_of_club.club
    async with at_the_screen(live_server.start, size=(46, 19)) as paul:
        await open_clubs(paul)
        await marie.clubs.invite_user(club, "Paul")
        await paul.sees("Marie invite")
        await choose(paul, "Peppers")
        await paul.until(lambda: isinstance(paul.app.screen, ClubInvitationDialog))
        await choose(paul, "Accept")
        await paul.sees("2 member")
        await choose(paul, "Peppers")
        await paul.until(lambda: isinstance(paul.app.screen, ClubDialog))
        await choose(paul, "Chat")
        await paul.until(lambda: isinstance(paul.app.screen, ChatPanel))
        await paul.sees("[Peppers]")


@sizes
async def test_the_board_shows_the_season_and_dates_are_added(live_server: LiveServer, size: tuple[int, int]) -> None:
    marie = live_server.marie
    async with at_the_screen(live_server.start, size=size) as paul:
        await open_clubs(paul)
        await choose(paul, "Create a club")
        await fill(paul, "Peppers")
        await choose(paul, "Peppers")
        await paul.until(lambda: isinstance(paul.app.screen, ClubDialog))
        await choose(paul, "Add a date")
        await fill(paul, "Friday night", "20:30", "yes")
        await paul.sees("20:30")
        await choose(paul, "Friday night")
        await paul.press("y")
        await choose(paul, "Board")
        await paul.until(lambda: isinstance(paul.app.screen, ClubBoardDialog))
        await paul.sees("division 3")
        await paul.press("escape")
        await choose(paul, "Report the club")
        await fill(paul, "The name is an insult.")
        await paul.sees("is reported")
    assert await marie.clubs.list_clubs() == []


async def test_closed_table_cannot_be_opened_from_the_board(live_server: LiveServer) -> None:
    async with at_the_screen(live_server.start) as paul:
        await open_clubs(paul)
        await choose(paul, "Create a club")
        await fill(paul, "Peppers")
        await choose(paul, "Peppers")
        await paul.until(lambda: isinstance(paul.app.screen, ClubDialog))
        await choose(paul, "Board")
        await paul.until(lambda: isinstance(paul.app.screen, ClubBoardDialog))
        await paul.sees("division 3")
        # What a key has chosen arrives after the board that lacks the row.
        paul.app.screen.post_message(Menu.Taken("table:000000000000"))
        await paul.sees("There is no table '000000000000'")


@sizes
async def test_a_tournament_is_called_for_a_club(live_server: LiveServer, size: tuple[int, int]) -> None:
    marie = live_server.marie
    async with at_the_screen(live_server.start, size=size) as paul:
        await open_clubs(paul)
        await choose(paul, "Create a club")
        await fill(paul, "Peppers")
        await choose(paul, "Peppers")
        await paul.until(lambda: isinstance(paul.app.screen, ClubDialog))
        await choose(paul, "New tournament")
        await paul.sees("Call a tournament of Peppers")
        await paul.press("down", *"Cup", "enter")
        await paul.sees("starts in 15")
        await choose(paul, "Cup")
        await paul.until(lambda: isinstance(paul.app.screen, TournamentDialog))
        await paul.press("x", "enter", "y")
        await paul.sees("Cancelled by Paul")
        await paul.press("escape", "escape", "escape", "E")
        await paul.until(lambda: isinstance(paul.app.screen, TournamentsDialog))
        await paul.press("n")
        await paul.sees("Who is the tournament for?")
        await choose(paul, "Peppers")
        await paul.sees("Call a tournament of Peppers")
        await paul.press("left", "down", *"League", "enter")
        await paul.sees("League")
        assert await marie.tournaments.list_tournaments() == []
        assert [info.club_name for info in paul.app.session.tournaments.listed] == ["Peppers", "Peppers"]
