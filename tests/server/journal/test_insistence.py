"""Writes that are repeated while the servers of NATS elect, over a connection whose other end loses what it gets."""

import asyncio
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from scoville_server.identity import ServerKey
from scoville_server.journal.base import Change, Conflict, JournalError
from scoville_server.journal.jetstream.engine import ANSWER_SECONDS, Engine, Outgoing, Place
from scoville_server.journal.jetstream.insistence import Insistence
from scoville_server.journal.jetstream.journal import JetStreamJournal
from scoville_server.journal.jetstream.member import ClusterTerms, Member
from scoville_server.journal.jetstream.messages import TableMark
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_shared.errors import Code
from scoville_shared.ids import TableId
from tests.support.clock import FakeClock


class Answer(NamedTuple):
    subject: str
    data: bytes
    headers: Mapping[str, str] = {}


class Election:
    """A client of NATS whose stream has no leader until a second: what is sent before is lost, and nobody says so."""

    def __init__(self, fake: FakeClock, until: float, engine: Engine) -> None:
        self.fake, self.until, self.engine = fake, until, engine
        self.sent: list[float] = []
        self.max_payload = 1_000_000

    async def close(self) -> None:
        pass

    async def publish(self, subject: str, _payload: bytes, reply: str, _headers: Any) -> None:
        self.sent.append(self.fake.time)
        if self.fake.time >= self.until:
            await self.engine._inbox._note_answer(Answer(reply, b'{"seq": 7}'))  # type: ignore[arg-type]


async def publish_during(until: float, message: Outgoing) -> tuple[list[float], float]:
    """Return when a message was sent, and when its writer knew that it was kept."""
    fake = FakeClock()
    engine = Engine(Place(servers=()), fake.clock)
    client = Election(fake, until, engine)
    engine._client = client  # type: ignore[assignment]
    publishing = asyncio.ensure_future(
        Insistence(engine, fake.clock).publish_message(message, Conflict("cluster", "epoch"))
    )
    await asyncio.sleep(0)
    while not publishing.done():
        await fake.elapse(0.05)
    assert publishing.result() == 7
    return client.sent, fake.time


async def test_write_is_kept_soon_after_an_election() -> None:
    sent, kept = await publish_during(6.2, Outgoing("epoch", b"", expected=0))
    assert kept - 6.2 <= 0.6
    assert not [at for at in sent if 0 < at < ANSWER_SECONDS], "one that is only slow gets everything once"


async def test_node_that_was_followed_waits_for_no_answer() -> None:
    fake = FakeClock()
    engine = Engine(Place(servers=()), fake.clock)
    engine._client = Election(fake, 60.0, engine)  # type: ignore[assignment]
    terms = ClusterTerms(Member("a", "a.example:1", ServerKey.new_key(), {}), most_writes=100)
    journal = JetStreamJournal(engine, terms, Mirror(engine, lambda _: None, fake.clock))
    journal._epoch = 1
    journal._writer.begin_epoch(4)
    table = TableId("t1")
    journal._own_tables.add(table)
    writes = [
        asyncio.ensure_future(journal.write([Change("chat", "1", b"hi")])),
        asyncio.ensure_future(journal.append(table, [b"record"], TableMark(3, 1, b"").write())),
    ]
    await fake.elapse(0.1)
    journal.note_successor(1)
    assert not journal._writer.is_deposed
    journal.note_successor(2)
    closing = asyncio.ensure_future(journal.close())
    await fake.elapse(0.1)
    assert closing.done()
    for write in writes:
        error = write.exception()
        assert isinstance(error, JournalError)
        assert error.code == Code.OUTCOME_UNKNOWN, "the engine may have kept it in time"


async def test_write_without_a_condition_is_not_sent_again_before_it_is_given_up() -> None:
    sent, _ = await publish_during(6.2, Outgoing("row", b""))
    assert all(later - earlier >= ANSWER_SECONDS for earlier, later in pairwise(sent))
