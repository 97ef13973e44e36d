"""Logging in with a code: one client shows it, another one types it."""

from collections.abc import AsyncIterator

import pytest

from scoville_client.tui.screens.account.login_dialogs import WebCodeDialog
from tests.client.tui.screens.test_account import PASSWORD, choose, fill, my_account
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, WIDE, at_the_screen


@pytest.fixture
async def live_server() -> AsyncIterator[LiveServer]:
    """Marie's name is her own."""
    async with open_live_server() as place:
        await place.marie.account.claim_name(PASSWORD)
        yield place


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])
async def test_a_code_of_one_client_logs_another_one_in(live_server: LiveServer, size: tuple[int, int]) -> None:
    code = (await live_server.marie.account.create_web_code()).code
    async with at_the_screen(live_server.start_as("Paul"), size=size) as paul:
        await my_account(paul)
        await paul.press(*["down"] * 5, "enter")
        await paul.sees("Log in with a code")
        await fill(paul, "wrong")
        await paul.sees("Wrong")
        await paul.press(*["backspace"] * 5)
        await fill(paul, code.lower())
        await paul.sees("You have claimed this name")
        assert paul.app.session.name == "Marie"


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])
async def test_a_code_is_shown_for_a_minute_and_renewed(live_server: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(live_server.start_as("Marie"), size=size) as marie:
        await fill(marie, PASSWORD)
        await my_account(marie)
        await choose(marie, "Log in elsewhere")
        await marie.until(lambda: isinstance(marie.app.screen, WebCodeDialog))
        await marie.sees("Valid for 60 s")
        await marie.clock.elapse(1)
        await marie.sees("Valid for 59 s")
        shown = marie.text
        await marie.clock.elapse(60)
        await marie.sees("The code has expired.")
        await marie.press("enter")
        await marie.sees("Valid for 60 s")
        assert marie.text != shown
        await marie.press("escape")
        await marie.sees("My results")
