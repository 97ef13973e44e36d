"""The codes of tables, unique over all nodes. That this node may have to share them is known here."""

from scoville_server.nodes.held_keys import HeldKeys
from scoville_server.nodes.members import CODE, Members
from scoville_shared.ids import TableId


class SharedCodes:
    """The codes of all nodes: each one belongs to one node, and no other draws it.

    So nodes draw codes without asking each other. A code stays with its table when another node takes that over.
    """

    def __init__(self, members: Members, held: HeldKeys) -> None:
        self._members = members
        self._held = held

    async def begin_sharing(self) -> None:
        """Tell the other nodes the codes of this node's tables, and hear theirs, from now on."""
        await self._held.begin_sharing()

    def may_draw(self, code: str) -> bool:
        """Whether this node may give a code to a new table, as far as other nodes are concerned."""
        is_mine = self._members.heir_of(f"{CODE}{code}") == self._members.me
        return is_mine and not self._held.is_held_elsewhere(code)

    def hold_code(self, code: str, table: TableId) -> None:
        """Note that a code leads to a table of this node."""
        self._held.hold_key(code, table.encode())

    def release_code(self, code: str) -> None:
        """Note that a code leads to no table of this node any more; one that never did is fine."""
        self._held.release_key(code)

    def find_table(self, code: str) -> TableId | None:
        """Return the table of another node to which a code leads, also of one that is lost; None for none."""
        if self._held.is_held_here(code):
            return None
        table = self._held.find_value_elsewhere(code)
        return None if table is None else TableId(table.decode())
