"""Adding events to a table."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from scoville_server.tables.model.records import Record
from scoville_server.tables.model.table import RecordedEvent, Table
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import AnyTableEvent
from scoville_shared.values import Plain

Evolvers = Mapping[type[Record], Callable[[Table, Any], Table]]
"""An evolver per kind of record: table and record in, next table out."""

changed = msgspec.structs.replace


def with_event(table: Table, event: AnyTableEvent, facts: tuple[tuple[Seat | None, Plain], ...] = ()) -> Table:
    """Append an event whose `facts` are each for one seat (None: for all)."""
    return changed(table, recorded_events=table.recorded_events.with_item(RecordedEvent(event, facts)))
