"""Tables with different table settings, for tests of a table's whole life."""

from typing import Any

from msgspec.structs import replace

from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import create_table
from scoville_shared.protocol.messages import AnyTableEvent, TableSettings
from tests.support.tables import new_table


def table_of(seats: int = 3, game: str = "high_card", settings: TableSettings | None = None, **opened: Any) -> Table:
    """Open an empty table that lives as `settings` say; `opened` are more fields of its first record."""
    table = new_table(game, seats)
    return create_table(table.game, replace(table.opened, settings=settings or TableSettings(), **opened))


def last(table: Table) -> AnyTableEvent:
    """The latest event."""
    return table.recorded_events[-1].event
