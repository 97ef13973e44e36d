"""The app of `top`: lists, filter, order, acts with reasons, and a server that goes and comes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from scoville_client.tui.top.app import TopApp, TopView
from scoville_runtime.clock import Clock
from tests.client.tui.top.fake_server import FakeServer, table
from tests.support.idle import eventually


class Screen:
    """The app on a terminal, with what it shows."""

    def __init__(self, app: TopApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def text(self) -> str:
        widget = self.app.screen.query_one(TopView) if self.app.screen.query(TopView) else None
        if widget is not None:
            return widget.render().plain
        return "\n".join(str(each.render()) for each in self.app.screen.query("Static, Input"))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        await self.press(*["space" if char == " " else char for char in text], "enter")

    async def sees(self, *words: str) -> None:
        await eventually(lambda: all(word in self.text for word in words), lambda: self.text)


@asynccontextmanager
async def on_screen(server: FakeServer, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Screen]:
    async def never(_: float) -> None:
        """Look again only when a key asks for it."""
        await asyncio.Event().wait()

    clock = Clock(sleep=never)
    app = TopApp(server, 1.0, clock)
    async with app.run_test(size=size) as pilot:
        screen = Screen(app, pilot)
        yield screen
    assert server.closed


async def until(met: Callable[[], Any]) -> None:
    await eventually(met)


async def test_panes_open_by_their_numbers() -> None:
    server = FakeServer()
    async with on_screen(server) as host:
        await host.sees("000000000002", "40/74")
        for number, words in enumerate(("Anna", "203.0.113.9", "move", "hello", "He swears.", "Too loud."), 2):
            await host.press(str(number))
            await host.sees(words)


async def test_filter_and_order_are_asked_of_the_server() -> None:
    server = FakeServer()
    async with on_screen(server) as host:
        await host.sees("READY")
        await host.press("slash")
        await host.type("ben")
        await host.sees("/ben")
        await host.press("s")
        await until(lambda: server.asked[-1] == ("tables", {"match": "ben", "most": 500, "sort": "spectators"}))


async def test_cursor_stays_on_its_table() -> None:
    server = FakeServer()
    async with on_screen(server) as host:
        await host.sees("READY")
        await host.press("down", "down")
        await host.sees(">000000000002")
        server.lists["tables"]["tables"].insert(0, table(99))
        await host.app.ask_server()
        await host.sees(">000000000002")
        await host.press("end")
        await host.sees(">000000000027")
        await host.press("home")
        await host.sees(">000000000063")


async def test_kick_asks_for_a_reason() -> None:
    server = FakeServer()
    async with on_screen(server) as host:
        await host.press("2")
        await host.sees("Anna")
        await host.press("k", "enter")
        assert server.acts == []
        await host.type("Too loud")
        await until(lambda: server.acts == [("kick", {"name": "Anna"}, "Too loud")])
        await host.sees("Done: Disconnect a user.")


async def test_escape_does_nothing() -> None:
    server = FakeServer()
    async with on_screen(server) as host:
        await host.press("c", "escape")
        await host.sees("READY")
        assert server.acts == []


async def test_every_act_is_sent_with_its_values() -> None:
    server = FakeServer()
    async with on_screen(server) as host:
        await host.sees("READY")
        await host.press("c")
        await host.type("Stuck")
        await host.sees("Done: Close a table.")
        await host.press("3")
        await host.sees("203.0.113.9")
        await host.press("b")
        await host.type("Flood")
        await host.sees("Done: Ban.")
        await host.press("m")
        await host.type("Disk")
        await host.sees("Done: Maintenance")
        await host.press("d")
        await host.type("Upgrade")
        await host.sees("Done: Shut the server down.")
        await host.press("6")
        await host.sees("He swears.")
        await host.press("e")
        await host.type("Talked")
        await host.sees("Done: Resolve a report.")
        await host.press("a")
        await host.type("Hello all")
        await host.sees("Done: Announce to everybody.")
    assert server.acts == [
        ("close-table", {"table": "000000000000"}, "Stuck"),
        ("ban", {"target": "203.0.113.9", "for_ms": 86_400_000}, "Flood"),
        ("maintenance", {"mode": "on"}, "Disk"),
        ("drain", {"in_ms": 600_000}, "Upgrade"),
        ("resolve-report", {"id": 3}, "Talked"),
        ("announce", {"text": "Hello all"}, ""),
    ]


async def test_planned_end_is_called_off_by_the_same_key() -> None:
    server = FakeServer()
    server.status["shutdown"] = {"left_seconds": 300.0, "reason": "Upgrade"}
    async with on_screen(server) as host:
        await host.sees("Shuts down in 5:00: Upgrade")
        await host.press("d")
        await host.type("Not today")
        await until(lambda: server.acts == [("drain", {"cancel": True}, "Not today")])


async def test_refusals_and_wrong_times_are_said() -> None:
    server = FakeServer()
    server.refusal = "There is no table \x1b[31m'x'."
    async with on_screen(server) as host:
        await host.sees("READY")
        await host.press("c")
        await host.type("Stuck")
        await host.sees("Refused: There is no table [31m'x'.")
        await host.press("d")
        host.app.screen.query_one("#field-in", Input).value = "10x"
        await host.type("Upgrade")
        await host.sees("That is not a time: 10x")


async def test_server_that_comes_back_is_shown_again() -> None:
    server = FakeServer()
    server.gone = True
    async with on_screen(server) as host:
        await host.sees("The server does not answer; asking again.")
        server.gone = False
        await host.app.ask_server()
        await host.sees("READY", "000000000000")
        server.gone = True
        await host.app.ask_server()
        await host.sees("The server does not answer; asking again.", "READY")


async def test_other_version_of_the_server_is_said() -> None:
    server = FakeServer()
    del server.status["queues"]
    async with on_screen(server) as host:
        await host.sees("The server is of another version than this program.")


async def test_details_and_help_close_by_a_key() -> None:
    server = FakeServer()
    async with on_screen(server, (46, 19)) as host:
        await host.press("6")
        await host.sees("He swears.")
        await host.press("enter")
        await host.sees("Ben: Zounds!")
        await host.press("x")
        await host.press("question_mark")
        await host.sees("Every act asks for a reason")
        await host.press("q")
        await host.sees("READY")
        await host.press("q")


async def test_node_that_waits_is_shown_without_lists() -> None:
    server = FakeServer()
    node = {"address": "b.example:2", "serves": False, "heard_seconds": None}
    serving = {"address": "a.example:1", "serves": True, "heard_seconds": 0.2}
    also_serving = {"address": "c.example:3", "serves": True, "heard_seconds": 0.2, "tables": 12}
    server.status |= {
        "ready": False, "reasons": ["waiting"],
        "cluster": {
            "name": "club", "epoch": 0, "serving": "a.example:1", "connected": True, "doubts": [],
            "nodes": [node, serving, also_serving],
        },
    }  # fmt: skip
    async with on_screen(server) as screen:
        await screen.sees("waits for its turn", "cluster club", "a.example:1 (serves)", "b.example:2 (waits)")
        await screen.sees("c.example:3 (serves · tables 12)")
        assert server.asked == []
        server.status |= {"ready": True, "reasons": []}
        await screen.press("2")
        await screen.sees("READY", "Anna")
