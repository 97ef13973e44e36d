"""A client of a server that sends well-typed nonsense asks again or reconnects; nothing raises while it is drawn."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.session.changes import ConnectionDown
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    EventNotice,
    HostTransferred,
    Joined,
    Paused,
    Played,
    PresenceNotice,
    WatchRequest,
)
from tests.support.client import TABLE, Recorder, ScriptedLink, connect_and_sit, first_view, make_snapshot

BEYOND: list[AnyTableEvent] = [
    Joined(seq=2, seat=8, name="Anna", host=0),
    HostTransferred(seq=2, host=-7),
    Paused(seq=2, seat=3, granted=True),
    Played(seq=2, seat=9, mover="player", facts=[], pending=[], move_counts=[0, 0, 0]),
]


async def turns_of_the_loop() -> None:
    """Let requests and replies arrive: a few turns of the event loop are enough."""
    for _ in range(50):
        await asyncio.sleep(0)


@pytest.mark.parametrize("event", BEYOND, ids=lambda event: type(event).__name__)
async def test_an_event_of_a_missing_seat_is_requested_again(event: AnyTableEvent) -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    link.answers[WatchRequest] = make_snapshot(HostTransferred(seq=2, host=1), since=1)
    link.emit(event)
    await turns_of_the_loop()
    assert link.asked[-1] == WatchRequest(table=TABLE, since=1)
    assert session.table is not None
    assert session.table.seq == 2
    assert session.table.log[-1].phrase.render(session.table.names) == "Paul is now the host."


@pytest.mark.parametrize("seat", [3, -4, 10**9])
async def test_the_presence_at_no_seat_is_passed_over(seat: int) -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    assert session.table is not None
    before = session.table.info
    link.say(PresenceNotice(table=TABLE, seat=seat, connected=False))
    assert session.table.info == before


@pytest.mark.parametrize("broken", [{}, {"hand": 5}, {**(first_view() or {}), "hand": "?"}])
async def test_an_impossible_view_makes_the_client_reconnect(broken: Any) -> None:
    link = ScriptedLink()
    session = await connect_and_sit(link)
    recorder = Recorder(session)
    link.answers[WatchRequest] = make_snapshot(HostTransferred(seq=2, host=1), since=1)
    link.say(EventNotice(table=TABLE, event=HostTransferred(seq=2, host=1), view=broken))
    await turns_of_the_loop()
    assert recorder.of(ConnectionDown)
    assert link.asked[-1] == WatchRequest(table=TABLE, since=1)
    assert session.connection.online
    assert session.table is not None
    assert session.table.log[-1].phrase.render(session.table.names) == "Paul is now the host."


async def test_a_table_with_an_impossible_view_is_refused() -> None:
    link = ScriptedLink()
    shown = replace(make_snapshot(), view={"hand": "?"})
    link.answers[WatchRequest] = shown
    with pytest.raises(ScovilleError) as refused:
        await connect_and_sit(link)
    assert refused.value.code == Code.BAD_FRAME


@pytest.mark.parametrize("event", BEYOND, ids=lambda event: type(event).__name__)
async def test_snapshot_events_of_missing_seats_are_skipped(event: AnyTableEvent) -> None:
    link = ScriptedLink()
    link.answers[WatchRequest] = make_snapshot(event)
    session = await connect_and_sit(link)
    assert session.table is not None
    assert session.table.seq == 2
    assert {line.seq for line in session.table.log} == {1}
