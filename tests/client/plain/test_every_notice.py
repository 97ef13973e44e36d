"""Every notice and every event of the protocol has a form in the line mode: a sentence, or a command that says it."""

import re
from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from scoville_client.i18n.event_text import event_phrases
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command_table import COMMANDS
from scoville_client.plain.input.stdin import TypedLines
from scoville_client.plain.output import TextOutput
from scoville_client.session.commands.registry import find_command
from scoville_client.session.start_options import Start
from scoville_shared.protocol.messages import (
    NOTICES,
    AnyTableEvent,
    ByeNotice,
    LobbySnapshot,
    Notice,
    SeatInfo,
    UnknownEvent,
    WatchLobbyRequest,
)
from tests.support.client import GAME, TABLE, HurriedClock, ScriptedLink, first_view
from tests.support.idle import eventually
from tests.support.wire_page import example_of

HEARD: dict[str, tuple[Callable[[Any], Any], str]] = {
    "table.event": (lambda one: replace(one, table=TABLE, event=replace(one.event, seq=2), view=first_view()), "Paul"),
    "chat.said": (lambda one: replace(one, message=replace(one.message, channel="table", table=TABLE)), ": "),
    "chat.reacted": (lambda one: replace(one, table=TABLE), "^Ben reacts: "),
    "lobby.changed": (
        lambda one: replace(one, tables=[replace(one.tables[0], **_open_seat())], removed=[]),
        "^New table: ",
    ),
    "lobby.invited": (lambda one: one, "^Ben invites you; type join "),
    "tournament.changed": (lambda one: _of_tournament(one, stage="finished"), "is over"),
    "tournament.seated": (lambda one: _of_tournament(one, stage="running"), "your table is ready"),
    "tournament.due": (lambda one: _of_tournament(one, stage="announced"), "^Friday night starts "),
    "club.changed": (lambda one: replace(one, by="Max"), "Max .*Ben.*Peppers"),
    "club.due": (lambda one: one, "of the club Peppers starts within"),
    "club.season": (lambda one: one, "Peppers"),
    "account.warned": (lambda one: one, "change your password"),
    "announced": (lambda one: one, "Down for a minute at nine"),
    "shutdown": (lambda one: one, "New version"),
    "bye": (lambda one: one, "^The server is shutting down"),
}
"""What makes the example of the protocol's page concern this user, and what is heard of it without a question."""
ASKED: dict[str, tuple[str, str]] = {
    "table.presence": ("who", "Paul.*disconnected|Paul.*away"),
    "table.spectators": ("watchers", "Zoe"),
}
"""What would be noise at each change, with the command that says it."""
IN_LOBBY = ("lobby.changed",)
"""Notices that are announced only to those who are at no table."""
SILENT_EVENTS = {
    "nonces_requested": "the client answers by itself; the start is announced",
    "played": "its facts have the sentences, which the tests of each game hear",
}
"""Events without a sentence of their own."""


def _open_seat() -> dict[str, Any]:
    seats = [SeatInfo(name="Ben", kind="human", connected=True), SeatInfo(name=None, kind="open", connected=False)]
    return {"seats": seats, "status": "waiting", "creator": "Ben", "your_seat": None}


def _of_tournament(notice: Any, **more: Any) -> Any:
    return replace(notice, tournament_info=replace(notice.tournament_info, entered=True, **more))


class NothingTyped(TypedLines):
    """A user who types nothing."""

    is_terminal = hides = False  # type: ignore[assignment]

    async def read_secret(self) -> str | None:
        return None


async def listening(said: list[str], *, at_table: bool) -> tuple[LineModeApp, ScriptedLink]:
    """Start a line mode that has connected, and has sat down or watches the lobby."""
    app = LineModeApp(Start(), TextOutput(said.append), NothingTyped(), HurriedClock().clock)
    link = ScriptedLink()
    link.answers[WatchLobbyRequest] = LobbySnapshot(tables=[], users=[], online=1)
    app.session.subscribe(app._on_change)
    await app.session.connect(link)
    if at_table:
        await app.session.join_table(TABLE)
    else:
        await app.session.lobby.watch_lobby()
    del said[:]
    return app, link


async def hear_notice(name: str, notice: Notice) -> list[str]:
    """Return what is said when a notice comes, and for some when the user asks then."""
    said: list[str] = []
    app, link = await listening(said, at_table=name not in IN_LOBBY)
    link.say(notice)
    if isinstance(notice, ByeNotice):
        link.fail()
        await eventually(lambda: said)
    app.announcer.release_held()
    if name in ASKED:
        assert not said, "it is not said by itself"
        found = find_command(ASKED[name][0], app.context, COMMANDS)
        assert found is not None
        said += await found[0].run_typed(app, "")
    return said


@pytest.mark.parametrize("name", NOTICES)
async def test_every_notice_is_heard(name: str) -> None:
    assert (name in HEARD) != (name in ASKED), "a new notice needs a sentence in the line mode, or a command"
    change, pattern = HEARD.get(name, (lambda one: replace(one, table=TABLE), ASKED.get(name, ("", ""))[1]))
    notice = change(msgspec.convert(example_of(name), NOTICES[name]))
    said = await hear_notice(name, notice)
    assert re.search(pattern, "\n".join(said)), said


@pytest.mark.parametrize("kind", [kind for kind in get_args(AnyTableEvent) if kind is not UnknownEvent])
def test_every_event_has_a_sentence(kind: type[Any]) -> None:
    tag = kind.__struct_config__.tag
    event = msgspec.convert(example_of(tag), AnyTableEvent)
    seats = [SeatInfo(name=name, kind="human", connected=True) for name in ("Anna", "Paul", "Max", "Zoe")]
    said = [phrase.render([seat.name or "" for seat in seats]) for phrase in event_phrases(GAME, event, seats)]
    assert bool(said) != (tag in SILENT_EVENTS), "a new event needs a sentence"
    assert all((line[0].isupper() and line[-1] in ".!") or ":" in line for line in said), said
