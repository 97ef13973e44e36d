"""Invitations that users have missed: to tables of other nodes than the one to which they come back."""

from typing import Final

from msgspec import Struct, msgpack

from scoville_server.nodes.bus import Bus, at_node
from scoville_server.nodes.directory import Directory
from scoville_server.nodes.members import Members
from scoville_server.tables.invitations import Invitations
from scoville_shared.ids import TableId, UserId

_MISSED: Final = "invitations.missed"


class _Missed(Struct, frozen=True, array_like=True):
    """An invitation that a user has missed, as the node to which they have come back tells that of the table."""

    user: UserId
    table: TableId
    by: str


class MissedElsewhere:
    """Gives missed invitations to the nodes that serve their tables: those know whether they still hold."""

    def __init__(self, invitations: Invitations, directory: Directory) -> None:
        self._invitations = invitations
        self._find_owner = directory.find_owner

    async def begin_sharing(self, members: Members, bus: Bus) -> None:
        """Share from now on."""

        def pass_on(user: UserId, table: TableId, by: str) -> None:
            owner = self._find_owner(table)
            if owner is not None:
                bus.publish(at_node(owner, _MISSED), msgpack.encode(_Missed(user, table, by)))

        def invite(message: bytes) -> None:
            missed = msgpack.decode(message, type=_Missed)
            self._invitations.invite_again(missed.user, missed.table, missed.by)

        self._invitations.pass_on = pass_on
        await bus.subscribe(at_node(members.me, _MISSED), invite)
