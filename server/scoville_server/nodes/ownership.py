"""The ownership of tables: which node serves a table. Two nodes may disagree; then the journal fences one of them."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from scoville_shared.ids import TableId

A_contra = TypeVar("A_contra", contravariant=True)


class Ownership(Protocol[A_contra]):
    """Decides which tables this node serves, and tells the directory of all nodes."""

    def inherited_tables(self, tables: Iterable[TableId]) -> set[TableId]:
        """Return which of some stored tables, that no node serves, this node takes over."""

    def claim_table(self, table: TableId, actor: A_contra) -> None:
        """Serve a table at this node from now on, by its actor."""

    def release_table(self, table: TableId) -> None:
        """Stop serving a table; an unknown one is fine."""
