"""Messages that wait for users until they come: one of the nodes sends each, another one if that is lost."""

from functools import partial
from typing import Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import RetryableError
from scoville_server.journal.base import Books
from scoville_server.journal.books import ConditionalBook
from scoville_server.nodes.members import Alone, Members, NodeId
from scoville_shared.ids import UserId

_NOBODY = NodeId("")


class WaitingRow(Struct, frozen=True, kw_only=True):
    """The row of a user for whom something waits.

    Attributes:
        sender: The node that is about to send it; empty for none.
    """

    sender: NodeId = _NOBODY


R = TypeVar("R", bound=WaitingRow)


class Sending(Protocol[R]):
    """Sends the waiting messages of one kind."""

    def is_reached(self, user: UserId) -> bool:
        """Whether a user can be sent something by this node."""

    def has_waiting(self, row: R) -> bool:
        """Whether something waits in a row."""

    async def send_row(self, user: UserId, row: R) -> R | None:
        """Send a user the items of a row; returns a row of the items that were sent, None for none."""

    def leave_out(self, row: R, sent: R) -> R | None:
        """Return a row without the sent part; None if there is nothing more to keep."""


class WaitingRows(Generic[R]):
    """A book of messages that wait for users, sent each time that a user comes or something is added.

    A node first notes in the row that it is the one that sends it, so that no other one does, then sends it, and only
    then takes it out: if it is killed in between, the next node finds a row whose sender runs no more.

    Attributes:
        book: The rows, by user.
    """

    def __init__(
        self, name: str, kind: type[R], journal: Books, background: BackgroundTasks, sending: Sending[R]
    ) -> None:
        self._background = background
        self._sending = sending
        self._members: Members = Alone()
        self._under_way: set[UserId] = set()
        self.book = ConditionalBook(name, kind, journal, self._follow_row)

    def _follow_row(self, key: str, _before: R | None, after: R | None) -> None:
        if self._may_send(UserId(key), after):
            self.send_soon(UserId(key))

    def share_with(self, members: Members) -> None:
        """Leave rows to the other nodes that send them, as long as these run."""
        self._members = members
        members.follow_losses(self._note_loss)

    def _note_loss(self, node: NodeId) -> None:
        for key, row in self.book.items():
            if row.sender == node:
                self.send_soon(UserId(key))

    def send_soon(self, user: UserId) -> None:
        """Send a user their waiting messages, if they are connected to this node."""
        if self._may_send(user, self.book.get(user)):
            self._background.insist_on_write(partial(self._send, user))

    def _may_send(self, user: UserId, row: R | None) -> bool:
        if row is None or not self._sending.has_waiting(row) or not self._sending.is_reached(user):
            return False
        return row.sender in (_NOBODY, self._members.me) or row.sender not in self._members.running_nodes()

    async def _send(self, user: UserId) -> None:
        if user in self._under_way:
            return
        self._under_way.add(user)
        try:
            claimed = await self._claim_row(user)
            if claimed is not None:
                await self._send_claimed(user, claimed)
        finally:
            self._under_way.discard(user)
        after = self.book.get(user)
        left = after if after is None or claimed is None else self._sending.leave_out(after, claimed)
        # More has come meanwhile.
        if left is not None and self._sending.has_waiting(left):
            self.send_soon(user)

    async def _send_claimed(self, user: UserId, claimed: R) -> None:
        sent: R | None = None
        try:
            sent = await self._sending.send_row(user, claimed)
        finally:
            # Also after a fault: while this node runs, the others leave to it what it has claimed.
            await self._settle_row(user, sent)

    async def _claim_row(self, user: UserId) -> R | None:
        """Return a row that this node alone sends from now on; None if there is none to send. Raises JournalError."""
        claimed: R | None = None

        def claim(before: R | None) -> R | None:
            nonlocal claimed
            claimed = replace(before, sender=self._members.me) if before and self._may_send(user, before) else None
            return claimed or before

        await self.book.change_row(user, claim)
        return claimed

    async def _settle_row(self, user: UserId, sent: R | None) -> None:
        """Take the sent part out of a row, if there is any; repeated alone, since the user has it already."""
        delay = self._background.new_back_off()
        while True:
            try:
                await self.book.change_row(user, partial(self._settle, sent))
            except RetryableError:
                if await self._background.closes_within(delay.next_wait()):
                    return
            else:
                return

    def _settle(self, sent: R | None, before: R | None) -> R | None:
        after = before if before is None or sent is None else self._sending.leave_out(before, sent)
        return replace(after, sender=_NOBODY) if after is not None and after.sender == self._members.me else after
