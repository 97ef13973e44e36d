"""Looking back shows a watcher what was sent with each event, and nothing else: law 3 for the past."""

from typing import Any

from hypothesis import strategies as st

from scoville_server.tables.model.table import Table, table_for_spectators
from scoville_server.tables.watching.project import MOST_REPLAYED, VIEWS_PAGE, look_back, view_of
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played, Started, TableSettings
from tests.laws.test_watchers import SEEDS, played_on, table_of
from tests.support.games import draw_deals, law
from tests.support.tables import new_table


def last_of_game(table: Table) -> int:
    """The number of the latest event that came with a View of its own."""
    return max(each.event.seq for each in table.events_after(0) if isinstance(each.event, Started | Played))


def looked_back(table: Table, since: int, seat: Seat | None) -> dict[int, Any]:
    """Request page after page."""
    found: dict[int, Any] = {}
    for _ in range(MOST_REPLAYED // VIEWS_PAGE + 1):
        reply = look_back(table, since, seat)
        assert len(reply.views) <= VIEWS_PAGE
        found |= {past.seq: past.view for past in reply.views}
        if reply.latest is None:
            return found
        since = reply.views[-1].seq
    raise AssertionError("the pages do not end")


@law
def test_the_past_of_a_watcher_is_what_was_sent(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    begun = table_of(deal, TableSettings(), data.draw(SEEDS))
    tables = [begun, *played_on(deal, begun, data.draw(st.integers(0, 99)), data.draw(st.integers(0, 50)))]
    for seat in (None, *map(Seat, range(seats))):
        sent = {last_of_game(table): view_of(table, seat) for table in tables}
        assert looked_back(tables[-1], 0, seat) == sent
        since = data.draw(st.sampled_from(sorted(sent)))
        assert looked_back(tables[-1], since, seat) == {seq: view for seq, view in sent.items() if seq > since}


@law
def test_a_rounds_key_looks_back_at_visible_rounds(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    begun = table_of(deal, TableSettings(spectating="rounds", rounds_behind=1), data.draw(SEEDS))
    tables = [begun, *played_on(deal, begun, data.draw(st.integers(0, 99)), data.draw(st.integers(0, 50)))]
    sent = {last_of_game(table): view_of(table, None) for table in tables}
    seen = table_for_spectators(tables[-1])
    past = looked_back(seen, 0, None)
    assert all(seq <= seen.seq for seq in past)
    assert past.items() <= sent.items() if seen.state is not None else not past


def test_a_table_that_waits_has_no_past() -> None:
    assert look_back(new_table(), 0, None).views == []
