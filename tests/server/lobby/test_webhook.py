"""The webhook announces public tables that wait for players, once each, without delaying anything."""

import logging
import re
from typing import Any

import pytest

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.lobby.webhook import MOST_AT_ONCE, Webhook
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actor import Done
from scoville_server.tables.model.table import Table
from scoville_shared.ids import TableId
from scoville_shared.protocol.messages import TableSettings
from tests.support.tables import carry_out, join_as, new_table, start_table, user_of

URL = "https://example.org/hook"


class Listening:
    """An HTTP server, and a webhook with its address."""

    def __init__(self, url: str = URL, error: Exception | None = None) -> None:
        self.heard: list[dict[str, Any]] = []
        self._error = error
        self._background = BackgroundTasks()
        self._hook = Webhook(url, self._background, self.post)

    async def post(self, url: str, what: dict[str, Any]) -> None:
        assert url == URL
        if self._error is not None:
            raise self._error
        self.heard.append(what)

    def happens(self, table: Table) -> None:
        self._hook.table_changed(None, Done(table, table))  # type: ignore[arg-type]

    async def posted(self) -> list[dict[str, Any]]:
        await self._background.finish_tasks()
        return self.heard


async def test_a_table_is_posted_once_when_a_player_waits_there() -> None:
    other = Listening()
    table = new_table(code="brave-otter")
    other.happens(table)
    assert await other.posted() == []
    table = carry_out(table, join_as("Anna"))
    other.happens(table)
    other.happens(carry_out(table, join_as("Ben")))
    [what] = await other.posted()
    assert (what["event"], what["code"], what["players"], what["free"]) == ("table_waiting", "brave-otter", ["Anna"], 2)
    assert what["text"] == f"Anna would like to play {table.game.info.title}; join with the code brave-otter."


@pytest.mark.parametrize(
    "name",
    [
        "@everyone",
        "@here",
        "@room",
        "<!channel>",
        "<@U024BE7LH>",
        "<#C024BE7LR>",
        "<https://ev.il|Anna>",
        "https://ev.il/a?b=c",
        "ev.il",
        "[Anna](//ev.il)",
        "**A** __n__ ~~n~~ `a`",
        "||Anna||",
        "&lt;!channel&gt;",
        "<b>Anna</b>",
        "# Anna",
        "\\@everyone",
        ":chili:",
        "Anna\n@everyone",
    ],
)
async def test_names_reach_the_other_program_without_markup(name: str) -> None:
    other = Listening()
    other.happens(carry_out(new_table(), join_as(name)))

    [what] = await other.posted()

    said = what["text"].partition(" would like to play ")[0]
    assert [said] == what["players"]
    assert not set("@<>&#*_~`|[]()\\:/\n") & set(said)
    assert re.search(r"\w\.\w", said) is None, "no domain"
    assert what["allowed_mentions"] == {"parse": []}


async def test_names_of_letters_reach_the_other_program_as_they_are() -> None:
    other = Listening()
    other.happens(carry_out(new_table(), join_as("Zoë-Ann O'Neill, Jr. 2")))

    assert (await other.posted())[0]["players"] == ["Zoë-Ann O'Neill, Jr. 2"]


@pytest.mark.parametrize(
    "table",
    [
        carry_out(
            new_table(settings=TableSettings(private=True)),
        ),
        new_table(password=b"lock"),
        start_table("Anna", "Ben"),
        carry_out(new_table(), join_as("Anna"), Leave(user=user_of("Anna"))),
    ],
    ids=["private", "locked", "playing", "empty"],
)
async def test_nobody_is_notified_of_what_others_cannot_join(table: Table) -> None:
    other = Listening()
    other.happens(table)
    assert await other.posted() == []


async def test_without_an_address_nobody_is_notified() -> None:
    other = Listening(url="")
    other.happens(carry_out(new_table(), join_as("Anna")))
    assert await other.posted() == []


async def test_a_silent_program_is_reported_and_harmless(caplog: pytest.LogCaptureFixture) -> None:
    other = Listening(error=ConnectionRefusedError("nobody there"))
    with caplog.at_level(logging.WARNING):
        other.happens(carry_out(new_table(), join_as("Anna")))
        await other.posted()
    assert "could not be called for table t1: nobody there" in caplog.text


async def test_many_tables_at_once_do_not_pile_up() -> None:
    import msgspec

    other = Listening()
    waiting = carry_out(new_table(), join_as("Anna"))
    for number in range(3 * MOST_AT_ONCE):
        opened = msgspec.structs.replace(waiting.opened, table=TableId(f"t{number}"))
        other.happens(msgspec.structs.replace(waiting, opened=opened))
    assert len(await other.posted()) == MOST_AT_ONCE
