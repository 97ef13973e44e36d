"""Web codes: an owner of a name creates one where they are logged in, and logs in with it in a browser.

A code is kept in the memory of the node that has created it, which alone uses it up, for whichever node it is typed at.
"""

import secrets
from collections.abc import Callable
from typing import Final, NamedTuple

from msgspec import msgpack

from scoville_server.accounts.users import UserObserver
from scoville_server.nodes.bus import Address, Bus, LocalBus, NoSubscriber, at_node
from scoville_server.nodes.members import Alone, Members, NodeId
from scoville_shared.ids import UserId

SECONDS: Final = 60.0
"""How long a code is valid: as long as it takes to type it at another screen."""
_LETTERS: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for each other."""
_LENGTH: Final = 8
_GROUP: Final = 4
_CODES: Final = "web_codes"
_REPLACED: Final = Address("web_codes.replaced")
"""Where nodes are asked for their codes, and hear of users who have created a newer one elsewhere."""


class WebCode(NamedTuple):
    """A code's user, the key of the session that created it, and when it expires, in monotonic seconds of its node."""

    user: UserId
    session: str
    until: float


class WebCodes(UserObserver):
    """At most one code for each user, in memory alone. `now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._codes: dict[str, WebCode] = {}
        self._of: dict[UserId, str] = {}
        self._members: Members = Alone()
        self._bus: Bus = LocalBus()

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """Ask the other nodes for codes from now on, and answer them."""
        self._members, self._bus = members, bus
        await bus.answer(at_node(members.me, _CODES), self._use_for_other)
        await bus.subscribe(_REPLACED, self._note_replaced)

    def __len__(self) -> int:
        return len(self._codes)

    def create_code(self, user: UserId, session: str) -> str:
        """Create a code in place of an earlier one."""
        self._drop_expired()
        self._codes.pop(self._of.pop(user, ""), None)
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        self._codes[code] = WebCode(user, session, self._now() + SECONDS)
        self._of[user] = code
        if self._list_others():
            self._bus.publish(_REPLACED, msgpack.encode((self._members.me, user)))
        return f"{code[:_GROUP]}-{code[_GROUP:]}"

    async def use_code(self, written: str) -> WebCode | None:
        """Use a code up, whichever node has created it; None for a wrong one."""
        code = "".join(char for char in written.upper() if char.isalnum())
        found = self._use_own(code)
        others = iter(self._list_others())
        while found is None and (node := next(others, None)) is not None:
            found = await self._ask_node(node, code)
        return found

    def _list_others(self) -> list[NodeId]:
        return [node for node in self._members.running_nodes() if node != self._members.me]

    async def _ask_node(self, node: NodeId, code: str) -> WebCode | None:
        try:
            answer = await self._bus.request(at_node(node, _CODES), code.encode())
        # That node has ended, and its codes with it.
        except NoSubscriber:
            return None
        return msgpack.decode(answer, type=WebCode | None)

    async def _use_for_other(self, code: bytes) -> bytes:
        return msgpack.encode(self._use_own(code.decode()))

    def _note_replaced(self, heard: bytes) -> None:
        node, user = msgpack.decode(heard, type=tuple[NodeId, UserId])
        if node != self._members.me:
            self.user_forgotten(user)

    def _use_own(self, code: str) -> WebCode | None:
        self._drop_expired()
        found = self._codes.pop(code, None)
        if found is not None:
            del self._of[found.user]
        return found

    def user_forgotten(self, user: UserId) -> None:
        """Forget a user's code."""
        self._codes.pop(self._of.pop(user, ""), None)

    def _drop_expired(self) -> None:
        """Forget expired codes: the oldest stand first."""
        now = self._now()
        while self._codes and (oldest := next(iter(self._codes.values()))).until <= now:
            self.user_forgotten(oldest.user)
