"""What a process keeps of servers that have ended: nothing, whichever tables they had restored."""

import gc
import weakref

from scoville_server.journal.memory import MemoryJournal
from tests.support.server import Caller, toy_server


async def test_ended_server_leaves_nothing_behind() -> None:
    journal = MemoryJournal()
    ended: list[weakref.ref[object]] = []
    for _ in range(2):
        server = toy_server(journal=journal)
        await server.start()
        await (await Caller(server).hello()).create()
        await server.close()
        ended.append(weakref.ref(server))
        del server
    gc.collect()
    assert [each() for each in ended] == [None, None]
