"""Calendars: deadlines for anyone who has the secret address, until its user ends it."""

from typing import Any

import pytest

from scoville_server.accounts.connection import ConnectedClient
from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    CALENDAR_PATH,
    DAY_MS,
    BeginVacationRequest,
    CalendarContent,
    CalendarReply,
    ClaimNameRequest,
    ClockParams,
    CloseCalendarRequest,
    CreateRequest,
    DeleteAccountRequest,
    ExportAccountRequest,
    JoinRequest,
    MovesRequest,
    OpenCalendarRequest,
    PlayRequest,
    ReadCalendarRequest,
    ShowCalendarRequest,
    StartRequest,
)
from tests.server.conftest import Start
from tests.support.core import connect_user
from tests.support.server import Caller, core_of, until

CREDENTIAL = "credential of the doors"


async def owner(server: Server, name: str = "Anna") -> Caller:
    user = await connect_user(server, name)
    await user.call(ClaimNameRequest(password="correct horse battery"))
    return user


async def read(server: Server, path: str | None) -> CalendarContent:
    """Read a calendar as a door does that was asked for a path."""
    core = core_of(server)
    assert path is not None
    secret = path.removeprefix(CALENDAR_PATH).removesuffix(".ics")
    reply: Any = await core.calendars._read_calendar(
        _of_door(server), ReadCalendarRequest(credential=CREDENTIAL, secret=secret)
    )
    assert isinstance(reply, CalendarContent)
    return reply


def _of_door(server: Server) -> ConnectedClient:
    """A secure connection, whose user nobody asks for."""

    class Secure:
        peer = type("Peer", (), {"secure": True})()

    core_of(server).figures.doors.use_secret(CREDENTIAL)
    return Secure()  # type: ignore[return-value]


async def test_a_calendar_has_the_deadlines_of_its_user_alone(start: Start) -> None:
    server = await start()
    anna, ben = await owner(server), await owner(server, "Ben")
    path = (await anna.call(OpenCalendarRequest(language="de"))).path
    assert await read(server, path) == CalendarContent(language="de", deadlines=[])
    request = CreateRequest(game="high_card", seat_count=2, clock=ClockParams(move_ms=2 * DAY_MS))
    tables = [(await anna.call(request)).info.table for _ in range(2)]
    for table in tables:
        for user in (anna, ben):
            await user.call(JoinRequest(table=table))
        await anna.call(StartRequest(table=table))
    actor = core_of(server).tables.find_table(tables[0])
    first, second = (await read(server, path)).deadlines
    assert (first.table, first.nth, first.names) == (tables[0], 0, ["Anna", "Ben"])
    assert abs(first.due_ms - actor.now() - 2 * DAY_MS) < 60_000
    assert first.due_ms <= second.due_ms
    move = (await anna.call(MovesRequest(table=tables[0]))).moves[0]
    await anna.call(PlayRequest(table=tables[0], move=move))
    assert [each.table for each in (await read(server, path)).deadlines] == [tables[1]]
    await anna.call(BeginVacationRequest(days=3))
    assert (await read(server, path)).rests_until_ms is not None


async def test_an_address_holds_until_it_is_ended_or_given_anew(start: Start) -> None:
    server = await start()
    guest = await connect_user(server, "Zoe")
    with pytest.raises(ScovilleError) as refused:
        await guest.call(OpenCalendarRequest())
    assert refused.value.code == Code.NOT_CLAIMED
    anna = await owner(server)
    assert await anna.call(ShowCalendarRequest()) == CalendarReply()
    first = (await anna.call(OpenCalendarRequest())).path
    second = (await anna.call(OpenCalendarRequest())).path
    shown = await anna.call(ShowCalendarRequest())
    assert (shown.path, shown.since_ms is None) == (None, False), "the server has a hash alone"
    assert str(second) not in str([*core_of(server).calendars._book.items()])
    with pytest.raises(ScovilleError, match="no calendar"):
        await read(server, first)
    assert (await read(server, second)).deadlines == []
    assert (await anna.call(ExportAccountRequest())).calendar_since_ms == shown.since_ms
    again = await start(server)
    assert (await read(again, second)).deadlines == [], "it outlives a kill"
    with pytest.raises(ScovilleError, match="credential"):
        await core_of(again).calendars._read_calendar(_of_door(again), ReadCalendarRequest(credential="x", secret="y"))


async def test_no_address_outlives_its_end_or_its_account(start: Start) -> None:
    server = await start()
    anna = await owner(server)
    path = (await anna.call(OpenCalendarRequest())).path
    assert await anna.call(CloseCalendarRequest()) == CalendarReply()
    with pytest.raises(ScovilleError, match="no calendar"):
        await read(server, path)
    other = (await anna.call(OpenCalendarRequest())).path
    book = core_of(server).calendars._book
    [(key, kept)] = book.items()
    await anna.call(DeleteAccountRequest())
    await until(lambda: not [*core_of(server).calendars._book.items()])
    with pytest.raises(ScovilleError, match="no calendar"):
        await read(server, other)
    await book.put_row(key, kept)  # as if the disk had refused to drop it
    with pytest.raises(ScovilleError, match="no calendar"):
        await read(server, other)
