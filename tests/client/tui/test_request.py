"""Requests in the background end before the widgets of their screen do."""

import asyncio

import pytest
from textual.app import App, ComposeResult
from textual.widget import Widget

from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import BaseScreen
from tests.support.idle import wait_until_idle


class Text(Widget):
    """Shows an answer."""


class Lingering(Widget):
    """Is removed after `Text`, and sets the `answer` in between."""

    def __init__(self, answer: asyncio.Future[str]) -> None:
        super().__init__()
        self._answer = answer

    async def on_unmount(self) -> None:
        for _ in range(100):
            if not self.screen.query(Text):
                break
            await asyncio.sleep(0)
        if not self._answer.done():
            self._answer.set_result("too late")
        for _ in range(5):
            await asyncio.sleep(0)


class Asking(BaseScreen[None]):
    """Shows the answer to a request in a widget."""

    def __init__(self, answer: asyncio.Future[str], shown: list[str]) -> None:
        super().__init__()
        self._answer = answer
        self._shown = shown

    def compose(self) -> ComposeResult:
        yield Text()
        yield Lingering(self._answer)

    def on_mount(self) -> None:
        Request(self._answer, self._show, self._show).start_worker(self)

    def _show(self, answer: str) -> None:
        self.query_one(Text)
        self._shown.append(answer)


class Client(App[None]):
    """The part of a client that screens need."""

    def check_keys(self) -> None:
        """No keys are pressed."""


@pytest.mark.parametrize("ending", ["closed", "client ends"])
async def test_an_answer_for_a_removed_screen_is_dropped(ending: str) -> None:
    shown: list[str] = []
    app = Client()
    async with app.run_test():
        app.push_screen(Asking(asyncio.get_running_loop().create_future(), shown))
        await wait_until_idle()
        if ending == "closed":
            await app.pop_screen()
            await wait_until_idle()
    assert app._exception is None
    assert shown == []
