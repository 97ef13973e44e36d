"""Keys that are pressed while a table is being opened."""

import asyncio
from typing import Any

import pytest

from scoville_client.session.session import Session
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.table.table import TableScreen
from tests.support.screens import at_the_screen, practice


@pytest.mark.parametrize("key", ["?", "r", "N"])
async def test_a_dialog_that_was_opened_meanwhile_does_not_lie_under_the_table(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, opened = Session.connect, asyncio.Event()

    async def connect_later(*arguments: Any) -> Any:
        await opened.wait()
        return await connect(*arguments)

    monkeypatch.setattr(Session, "connect", connect_later)
    async with at_the_screen(practice()) as player:
        await player.sees("Shuffling the cards")
        await player.press(key)
        await player.until(lambda: isinstance(player.app.screen, Dialog))
        opened.set()
        await player.until(lambda: player.where == "play")
        assert isinstance(player.app.screen, TableScreen)
        assert not any(isinstance(screen, Dialog) for screen in player.app.screen_stack)
