"""Records evolve a table. The same records always make the same table."""

from collections.abc import Callable, Iterable
from functools import reduce

from scoville_server.tables.model.evolving import ending, playing, revealing, seats, starting, voting
from scoville_server.tables.model.evolving.clocks import clocks_after
from scoville_server.tables.model.evolving.counts import counted
from scoville_server.tables.model.evolving.events import Evolvers, changed
from scoville_server.tables.model.records import AnyRecord, Created, Played
from scoville_server.tables.model.rounds import remembered
from scoville_server.tables.model.seats import SeatState
from scoville_server.tables.model.table import Table
from scoville_shared.engine.contract import AnyGame


def fold(records: Iterable[AnyRecord], find_game: Callable[[str], AnyGame]) -> Table:
    """Restore a table from its records, the first of which is `Opened`."""
    rest = iter(records)
    opened = next(rest)
    if not isinstance(opened, Created):
        raise ValueError(f"the first record of a table opens it; this one is {type(opened).__name__}")
    return reduce(evolve, rest, opened_table(find_game(opened.game), opened))


def opened_table(game: AnyGame, opened: Created) -> Table:
    """Create an empty table."""
    return Table(
        game=game,
        opened=opened,
        seats=(SeatState(),) * opened.seat_count,
        played=(0,) * opened.seat_count,
        admitted=frozenset(opened.admitted),
        kicked=opened.watch_refusal,
        acted_ms=opened.at_ms,
        host_acted_ms=opened.at_ms,
    )


# Decision 002: nothing is refused here; a record that cannot be applied is damage, not a rule.
def evolve(table: Table, record: AnyRecord) -> Table:
    """Apply one record to a table and its clocks.

    Raises ValueError for a second `Opened`.
    """
    if isinstance(record, Created):
        raise ValueError("a table is opened once")
    after = _EVOLVERS[type(record)](table, record)
    if type(record) is not Played:
        after = counted(table, after, record)
    if after.opened.timed:
        after = changed(after, clocks=clocks_after(table, after, record))
    return remembered(table, after)


_EVOLVERS: Evolvers = {
    **seats.EVOLVERS,
    **starting.EVOLVERS,
    **revealing.EVOLVERS,
    **playing.EVOLVERS,
    **voting.EVOLVERS,
    **ending.EVOLVERS,
}
