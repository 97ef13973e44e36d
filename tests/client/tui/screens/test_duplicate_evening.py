"""A duplicate evening on the screen: partners are named, the table opens, and all see how they stand after a deal."""

from collections.abc import AsyncIterator

import pytest

from scoville_client.session.session import Session
from scoville_client.session.table.deal_record import DealStanding
from scoville_client.tui.screens.dialogs.form import FormDialog
from scoville_client.tui.screens.tournaments.tournaments import TournamentDialog
from scoville_shared.errors import ScovilleError
from scoville_shared.replay import read_game
from tests.client.tui.screens.test_big import play_out
from tests.client.tui.screens.test_tournaments import PASSWORD, open_list
from tests.support.clock import FakeClock
from tests.support.idle import eventually
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import at_the_screen
from tests.support.server import core_of

EVENING = {
    "name": "Pairs",
    "format": "duplicate",
    "game": "dicht_dran",
    "options": {"cycles": 1},
    "seat_count": 2,
    "starts_in_ms": 3_600_000,
    "round_count": 1,
    "team_size": 2,
    "level": "easy",
}


@pytest.fixture
async def live_server() -> AsyncIterator[LiveServer]:
    async with open_live_server() as place:
        await place.marie.account.claim_name(PASSWORD)
        tournaments = core_of(place.server).tournaments
        tournaments.start_serving()
        tournaments._serves_since = -1_000.0
        yield place


async def go_to_table(session: Session, number: str) -> None:
    """Take the seat as soon as the table is open."""
    await eventually(lambda: session.tournaments.waiting is not None, lambda: "no table waits")
    await session.tournaments.take_seat(number)


async def has_verified_its_game(session: Session, clock: FakeClock) -> None:
    """Wait for the verdict on the deal, also that of a game that was over while others still played it.

    Whose game ends last may ask for it a moment before it is unsealed, and asks again by the clock.
    """
    at = session.table
    assert at is not None

    def is_verified() -> bool:
        clock.advance(0.1)
        return at.deal.verdict is not None and at.deal.verdict.standing is DealStanding.VERIFIED

    await eventually(is_verified, lambda: f"the verdict is {at.deal.verdict}")


async def test_an_evening_from_the_partners_to_the_barometer(live_server: LiveServer) -> None:
    marie = live_server.marie
    called = await marie.tournaments.call_tournament(EVENING)
    async with at_the_screen(live_server.start_as("Paul")) as paul:
        await open_list(paul)
        await paul.sees("Pairs")
        await paul.press("enter")
        await paul.until(lambda: isinstance(paul.app.screen, TournamentDialog))
        await paul.press("e")
        await paul.until(lambda: isinstance(paul.app.screen, FormDialog))
        await paul.press(*"Marie", "enter")
        await paul.sees("Paul (you)")
        await marie.tournaments.enter_tournament(called.id, ["paul"])
        (team,) = (await marie.tournaments.show_tournament(called.id)).teams
        assert team.member_names == ["Paul", "Marie"]
        await marie.tournaments.begin_tournament(called.id)
        await paul.until(lambda: paul.app.session.table is not None)
        await go_to_table(marie, called.id)
        assert marie.table is not None
        table = marie.table.id
        eve = await live_server.connect_user("Eve")
        with pytest.raises(ScovilleError, match="does not allow spectators"):
            await eve.watch_table(table)
        await eve.close()
        await play_out(marie)
        await play_out(paul.app.session)
        await paul.sees("Pairs is over")
        for session in (paul.app.session, marie):
            await has_verified_its_game(session, paul.clock)
        await paul.until(lambda: paul.app.session.tournaments.listed[0].scored_count == 1)
        paul.app.navigation.open_tournaments(called.id)
        await paul.until(lambda: isinstance(paul.app.screen, TournamentDialog))
        await paul.sees("deal 1:")
        (other,) = [
            each.table for each in (await marie.tournaments.show_tournament(called.id)).pairings if each.table != table
        ]
        # The game of the other table, once all have played the deal.
        assert read_game(await marie.tournaments.replay_table(other)).header.seats[0].name == "Paul"
