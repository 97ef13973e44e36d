"""Clients at one table whose nonces and links a test controls."""

from contextlib import AsyncExitStack

from scoville_client.session.table.pledge import Pledges
from scoville_client.transport.in_process import LocalLink
from scoville_server.server import Server
from tests.support.recording_session import RecordingSession


async def guest(
    stack: AsyncExitStack, server: Server, name: str, pledges: Pledges | None = None, link: LocalLink | None = None
) -> RecordingSession:
    """Connect another client, which keeps its nonces in `pledges`."""
    client = RecordingSession()
    if pledges is not None:
        client.fair_deal.pledges = pledges
    await client.connect(link or LocalLink(server), name)
    stack.push_async_callback(client.close)
    return client


async def at_one_table(stack: AsyncExitStack, server: Server) -> tuple[RecordingSession, RecordingSession]:
    """Seat two clients at a new table of No Thanks!, which waits for a third."""
    anna, ben = await guest(stack, server, "Anna"), await guest(stack, server, "Ben")
    table = (await anna.lobby.create_table("no_thanks", 3, {"rounds": 1})).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    return anna, ben
