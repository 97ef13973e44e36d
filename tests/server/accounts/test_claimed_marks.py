"""Claimed names are marked at seats and in chat messages, so that nobody passes for their owner."""

from scoville_server.server import Server
from scoville_shared.protocol import messages as m
from tests.support.accounts import connect_guest, connect_owner


async def test_a_seat_says_whether_the_name_is_claimed(server: Server) -> None:
    anna, ben = await connect_owner(server, "Anna"), await connect_guest(server, "Ben")
    table = await anna.create()
    for caller in (anna, ben):
        await caller.call(m.JoinRequest(table=table))
    seen = await ben.call(m.WatchRequest(table=table))
    assert [(seat.name, seat.claimed) for seat in seen.info.seats if seat.name] == [("Anna", True), ("Ben", False)]
    assert [event.claimed for event in seen.events if isinstance(event, m.Joined)] == [True, False]


async def test_a_message_says_whether_its_author_owns_the_name(server: Server) -> None:
    anna, ben = await connect_owner(server, "Anna"), await connect_guest(server, "Ben")
    for caller in (anna, ben):
        await caller.call(m.SayRequest(text="hello"))
    await anna.call(m.SayRequest(text="psst", to="Ben"))
    for channel, owned in (("lobby", [True, False]), ("whisper", [True])):
        messages = (await ben.call(m.ReadChatRequest(channel=channel))).messages
        assert [message.claimed for message in messages] == owned
