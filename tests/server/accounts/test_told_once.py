"""What waits for users is sent by one node, once, and by another one if that is lost before it has sent it."""

from collections.abc import Callable, Sequence

import pytest

from scoville_server.accounts.told_once import WaitingRow, WaitingRows
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Change, CommitFailed
from scoville_server.journal.memory import MemoryJournal
from scoville_server.nodes.members import NodeId
from scoville_shared.ids import UserId
from tests.cluster.pair import Both
from tests.support import virtual_time
from tests.support.virtual_time import in_virtual_time

ANNA = UserId("anna")


class Words(WaitingRow, frozen=True):
    """Words that wait for a user."""

    words: tuple[str, ...] = ()


class MoodyJournal(MemoryJournal):
    """A journal that refuses the writes of some numbers, counted from 1."""

    def __init__(self) -> None:
        super().__init__()
        self.writes, self.refused = 0, frozenset[int]()

    async def write(self, changes: Sequence[Change]) -> None:
        self.writes += 1
        if self.writes in self.refused:
            raise CommitFailed("The disk is full.")
        await super().write(changes)


class Sent:
    """One node that sends words, unless `fault` raises, and what it has sent."""

    def __init__(self, journal: MoodyJournal, members: Both | None = None) -> None:
        self.sent: list[str] = []
        self.is_here = True
        self.fault: Callable[[], object] = lambda: None
        self.background = BackgroundTasks(virtual_time.make_clock())
        self.rows = WaitingRows("words", Words, journal, self.background, self)
        if members is not None:
            self.rows.share_with(members)

    def is_reached(self, _user: UserId) -> bool:
        return self.is_here

    def has_waiting(self, row: Words) -> bool:
        return bool(row.words)

    async def send_row(self, _user: UserId, row: Words) -> Words | None:
        self.fault()
        self.sent += row.words
        return row

    def leave_out(self, row: Words, sent: Words) -> Words | None:
        left = tuple(word for word in row.words if word not in sent.words)
        return Words(words=left, sender=row.sender) if left else None

    async def say(self, *words: str) -> None:
        await self.rows.book.put_row(ANNA, Words(words))
        await self.background.finish_tasks()


@in_virtual_time
async def test_words_are_sent_and_taken_out() -> None:
    node = Sent(MoodyJournal())
    await node.say("a", "b")
    assert (node.sent, ANNA in node.rows.book) == (["a", "b"], False)


@pytest.mark.parametrize("number", [2, 3])
@in_virtual_time
async def test_refused_write_is_repeated_and_nothing_sent_twice(number: int) -> None:
    journal = MoodyJournal()
    journal.refused = frozenset({number, number + 1})
    node = Sent(journal)
    await node.say("a")
    assert (node.sent, ANNA in node.rows.book) == (["a"], False)


@in_virtual_time
async def test_row_whose_sending_has_failed_is_left_to_others() -> None:
    node = Sent(MoodyJournal())

    def fail() -> None:
        node.is_here = False
        raise ValueError("a fault")

    node.fault = fail
    await node.say("a")
    assert (node.sent, node.rows.book.get(ANNA)) == ([], Words(("a",)))


@in_virtual_time
async def test_row_of_another_sender_is_sent_once_that_is_lost() -> None:
    members = Both(NodeId("b"))
    node = Sent(MoodyJournal(), members)
    await node.rows.book.put_row(ANNA, Words(("a",), sender=NodeId("a")))
    await node.background.finish_tasks()
    assert node.sent == []
    members.lose(NodeId("a"))
    await node.background.finish_tasks()
    assert (node.sent, ANNA in node.rows.book) == (["a"], False)
