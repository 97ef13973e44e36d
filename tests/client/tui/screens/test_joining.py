"""Joining tables from the lobby by keys."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from scoville_client.session.changes import ConnectionDown
from scoville_client.tui.widgets.menu import Menu
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import AnnouncedNotice, ShutdownNotice
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, WIDE, Player, at_the_screen

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


@pytest.fixture
async def marie() -> AsyncIterator[LiveServer]:
    async with open_live_server() as place:
        yield place


def table_of(player: Player) -> str | None:
    at = player.app.session.table
    return None if at is None else at.id


def at_table(player: Player, table: str) -> bool:
    return player.where in ("waiting", "play") and table_of(player) == table


async def in_the_lobby(player: Player) -> None:
    await player.until(lambda: player.where == "lobby")


async def test_an_empty_lobby_says_what_to_do(marie: LiveServer) -> None:
    async with at_the_screen(marie.start) as paul:
        await paul.sees("There are no tables yet.")
        await paul.sees("c new table")
        await paul.sees("s quick match")
        await paul.sees_of_others("you are Paul, 2 users here")


@sizes
async def test_an_invitation_is_accepted_by_a_key(marie: LiveServer, size: tuple[int, int]) -> None:
    table = await marie.open_with_marie(settings={"private": True})
    async with at_the_screen(marie.start, size=size) as paul:
        await in_the_lobby(paul)
        assert "There are no tables yet" in paul.text
        await marie.marie.table_actions.invite_user(table, "Paul")
        await paul.sees("Marie invites you to Dicht dran")
        await paul.press("a")
        await paul.until(lambda: at_table(paul, table))
        assert paul.app.session.lobby.invitations == []


async def test_an_invitation_is_declined_by_a_key(marie: LiveServer) -> None:
    table = await marie.open_with_marie()
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        await marie.marie.table_actions.invite_user(table, "Paul")
        await paul.sees("Marie invites you to")
        await paul.press("d")
        await paul.until(lambda: "invites you" not in paul.text)
        assert paul.where == "lobby"


@sizes
async def test_a_password_is_requested_until_it_fits(marie: LiveServer, size: tuple[int, int]) -> None:
    table = await marie.open_with_marie(password="chili")
    async with at_the_screen(marie.start, size=size) as paul:
        await paul.sees("with a password")
        await paul.press("enter")
        await paul.sees("This table has a password")
        await paul.press(*"salt", "enter")
        await paul.sees("Wrong password for this table")
        assert "salt" not in paul.text
        await paul.press("escape")
        await in_the_lobby(paul)
        await paul.press("enter")
        await paul.sees("This table has a password")
        await paul.press(*"chili", "enter")
        await paul.until(lambda: at_table(paul, table))


async def test_a_code_leads_to_a_table_however_it_is_written(marie: LiveServer) -> None:
    table = await marie.open_with_marie(settings={"private": True})
    assert marie.marie.table is not None
    code = marie.marie.table.info.code
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        await paul.press("j", *"nowhere", "enter")
        await paul.sees("No table has the")
        await paul.press("ctrl+a", "ctrl+k", *code.upper().replace("-", " "), "enter")
        await paul.until(lambda: at_table(paul, table))


async def test_a_quick_match_joins_a_waiting_player(marie: LiveServer) -> None:
    await marie.marie.quick_match("no_thanks")
    async with at_the_screen(marie.start) as paul:
        await paul.sees("No Thanks!")
        await paul.press("s")
        await paul.sees("Any game")
        await paul.press("enter")
        await paul.until(lambda: at_table(paul, marie.marie.table.id if marie.marie.table else ""))
        await paul.sees("The game starts in")


async def test_one_key_visits_my_turns_in_order(marie: LiveServer) -> None:
    tables = [await marie.open("dicht_dran", 3) for _ in range(2)]
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        await paul.press("w")
        await paul.sees("No table is waiting for you.")
        for table in tables:
            await paul.app.session.join_table(table)
            await paul.app.session.table_actions.start_game()
        await paul.app.session.return_to_lobby()
        await paul.sees_of_others("your turn")
        await paul.press("w")
        await paul.until(lambda: at_table(paul, tables[0]))
        await paul.sees("w your turn")
        await paul.press("w")
        await paul.until(lambda: at_table(paul, tables[1]))
        await paul.press("w")
        await paul.until(lambda: at_table(paul, tables[0]))


@pytest.mark.parametrize(("watched", "mine"), [("chilli_chase", "no_thanks"), ("no_thanks", "dicht_dran")])
async def test_one_key_leads_from_watching_to_my_turn(marie: LiveServer, watched: str, mine: str) -> None:
    at, elsewhere = await marie.open_with_marie(watched), await marie.open(mine, 3)
    await marie.marie.table_actions.start_game()
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        await paul.app.session.join_table(elsewhere)
        await paul.app.session.table_actions.start_game()
        await paul.app.session.return_to_lobby()
        await paul.app.session.watch_table(at)
        await paul.app.navigation.open_table()
        await paul.sees("w your turn")
        await paul.press("w")
        await paul.until(lambda: at_table(paul, elsewhere) and paul.where in ("play", "no_thanks"))


async def test_table_left_while_dialogs_close_stays_closed(marie: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await marie.open()
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        navigation, session = paul.app.navigation, paul.app.session
        pop_to = navigation.pages.pop_to

        async def leave_during_wait(*to: Any) -> None:
            await pop_to(*to)
            await session.return_to_lobby()

        await session.watch_table(table)
        monkeypatch.setattr(navigation.pages, "pop_to", leave_during_wait)
        await navigation.open_table()
        assert session.table is None
        assert paul.where == "lobby"


@pytest.mark.parametrize("way_out", ["escape", "q"])
async def test_visiting_the_lobby_keeps_the_seat(marie: LiveServer, way_out: str) -> None:
    table = await marie.open()
    async with at_the_screen(marie.start) as paul:
        await paul.sees("Enter take a seat")
        await paul.press("enter")
        await paul.until(lambda: at_table(paul, table))
        await paul.press("enter")
        await paul.until(lambda: paul.where == "play")
        await paul.press(way_out, "l")
        await in_the_lobby(paul)
        await paul.sees_of_others("     your seat")
        listed = paul.app.session.lobby.find_table(table)
        assert listed is not None
        assert listed.seats[0].kind == "human"
        await paul.press("enter")
        await paul.until(lambda: at_table(paul, table))


async def test_an_announcement_stays_until_a_key_whatever_happens(marie: LiveServer) -> None:
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        paul.app.session.lobby.on_notice(AnnouncedNotice(text="The server goes down at ten."))
        await paul.sees("Announcement: The server goes down at ten.")
        await marie.open()
        await paul.sees_of_others("Dicht dran")
        paul.app.page_stack.page.show_notice("Something else.")
        await paul.sees("Something else.")
        assert "The server goes down at ten." in paul.text
        await paul.press("down")
        assert "The server goes down at ten." not in paul.text


async def test_the_countdown_ends_with_the_connection(marie: LiveServer) -> None:
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        session = paul.app.session
        session.on_notice(ShutdownNotice(ends_in_ms=60_000))
        await paul.sees("The server shuts down in 1:00.")
        await paul.press("down")
        session.on_connection_change(ConnectionDown(Phrase("Gone."), 1))
        await paul.sees("Gone. Press Esc to go back.")
        assert "The server shuts down" not in paul.text


@sizes
async def test_the_end_counts_down_until_called_off(marie: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(marie.start, size=size) as paul:
        await in_the_lobby(paul)
        session = paul.app.session
        session.on_notice(ShutdownNotice(ends_in_ms=600_000, reason="Upgrade"))
        await paul.sees("The server shuts down in 10 min: Upgrade")
        await paul.press("down")
        assert "Everything is saved" not in paul.text
        assert "The server shuts down in 10 min: Upgrade" in paul.text
        session.on_notice(ShutdownNotice(ends_in_ms=None))
        await paul.sees("The server does not shut down after all.")
        assert "10 min" not in paul.text


@sizes
async def test_a_user_who_is_here_is_invited_from_a_list(marie: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(marie.start, size=size) as paul:
        await in_the_lobby(paul)
        await paul.press("p")
        await paul.sees("2 users are here.")
        await paul.press("escape", "c")
        await paul.sees("New table")
        await paul.press("enter")
        await paul.sees("Table code:")
        await paul.press("i")
        await paul.sees("Invite to your table")
        assert [item.id for item in paul.app.screen.query_one(Menu).items] == ["Marie"], "Paul is there already"
        await paul.press("enter")
        await paul.sees("Marie has been invited to your table.")
        assert [each.by for each in marie.marie.lobby.invitations] == ["Paul"]


async def test_those_who_sit_at_the_table_are_not_invited(marie: LiveServer) -> None:
    table = await marie.open_with_marie("no_thanks")
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        await paul.press("enter")
        await paul.until(lambda: at_table(paul, table))
        await paul.press("i")
        await paul.sees("Nobody else is here to invite.")


async def test_players_are_notified_of_invitations(marie: LiveServer) -> None:
    table = await marie.open_with_marie("no_thanks")
    async with at_the_screen(marie.start) as paul:
        await in_the_lobby(paul)
        await paul.press("c", "enter")
        await paul.sees("Table code:")
        await marie.marie.table_actions.invite_user(table, "Paul")
        await paul.sees("Marie invites you to No Thanks!; answer in the lobby.")
        await paul.press("escape")
        await in_the_lobby(paul)
        await paul.press("a")
        await paul.until(lambda: at_table(paul, table))
        await paul.press("question_mark")
        await paul.sees("Before a game with another host")
        await paul.sees("Switch between ready and not ready")
