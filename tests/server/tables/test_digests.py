"""Digests: one a day at most, also over kills, clocks that are set back, and receivers that fail."""

import json
from collections.abc import Mapping

import pytest

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Journal
from scoville_server.journal.memory import MemoryJournal
from scoville_server.limits.live import as_live
from scoville_server.tables.digests import MOST_FAILED_DAYS, TRIES, DigestRow, DigestService, sign_body
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import DAY_MS, Deadline
from tests.support.clock import FakeClock

ANNA = UserId("anna")
ROW = DigestRow(url="https://hooks.example/a", secret="k7f2")
DUE = Deadline(table="t1", game="heap", title="Heap", names=["Anna"], nth=3, due_ms=DAY_MS)


class Receiver:
    """Notes what it is sent; answers with a status, or not at all."""

    def __init__(self) -> None:
        self.status: int | None = 204
        self.heard: list[tuple[str, bytes, Mapping[str, str]]] = []

    async def post_body(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.heard.append((url, body, headers))
        if self.status is None:
            raise OSError("no answer")
        return self.status


class Digests:
    """The digests of a server on its journal, on a day."""

    def __init__(self, journal: Journal, receiver: Receiver) -> None:
        self.clock, self.day, self.here, self.due = FakeClock(), 5, False, [DUE]
        self.tasks = BackgroundTasks(self.clock.clock)
        self.service = DigestService(
            journal,
            self.tasks,
            as_live(True),
            lambda _: self.due,
            lambda _: self.here,
            lambda: self.day,
            receiver,
            self.clock.clock,
        )

    async def hour(self) -> None:
        """Let an hour pass, with all tries in it."""
        await self.service.send_due()
        for wait in (*TRIES, 1.0):
            await self.clock.elapse(wait)


@pytest.fixture
async def journal() -> Journal:
    journal = MemoryJournal()
    await journal.open()
    return journal


async def test_a_digest_comes_once_a_day_and_is_signed(journal: Journal) -> None:
    receiver = Receiver()
    digests = Digests(journal, receiver)
    await digests.service._book.put_row(ANNA, ROW)
    for _ in range(3):
        await digests.hour()
    [(url, body, headers)] = receiver.heard
    assert url == ROW.url
    assert json.loads(body)["waiting"] == [{"table": "t1", "game": "heap", "title": "Heap", "due_ms": DAY_MS}]
    time, _, signature = headers["Scoville-Signature"].partition(",v1=")
    assert signature == sign_body("k7f2", int(time.removeprefix("t=")), body)
    digests.day = 4
    await digests.hour()
    assert len(receiver.heard) == 1, "the clock was set back"
    digests.day = 6
    await digests.hour()
    assert len(receiver.heard) == 2


async def test_a_kill_costs_a_digest_and_never_sends_two(journal: Journal) -> None:
    first, second = Receiver(), Receiver()
    killed = Digests(journal, first)
    await killed.service._book.put_row(ANNA, ROW)
    await killed.service.send_due()  # the day is written; the request is not sent yet
    await Digests(journal, second).hour()
    assert second.heard == []


async def test_who_is_here_or_owes_nothing_is_sent_nothing(journal: Journal) -> None:
    receiver = Receiver()
    digests = Digests(journal, receiver)
    await digests.service._book.put_row(ANNA, ROW)
    digests.here = True
    await digests.hour()
    digests.here, digests.due = False, []
    await digests.hour()
    assert receiver.heard == []


async def test_a_receiver_that_fails_is_tried_three_times_a_day_for_a_week(journal: Journal) -> None:
    receiver = Receiver()
    receiver.status = None
    digests = Digests(journal, receiver)
    await digests.service._book.put_row(ANNA, ROW)
    for day in range(10, 10 + MOST_FAILED_DAYS + 3):
        digests.day = day
        await digests.hour()
    assert len(receiver.heard) == MOST_FAILED_DAYS * len(TRIES)
    assert digests.service._book.get(ANNA) is None


async def test_an_address_that_has_changed_is_not_written_to(journal: Journal) -> None:
    receiver = Receiver()
    receiver.status = 500
    digests = Digests(journal, receiver)
    await digests.service._book.put_row(ANNA, ROW)
    await digests.service.send_due()
    await digests.clock.elapse(0.0)
    await digests.clock.elapse(1.0)
    await digests.service._book.drop_row(ANNA)
    await digests.clock.elapse(700.0)
    assert len(receiver.heard) == 1
