"""Hidden information goes only to users who are listed as commentators, in any order of requests."""

from random import Random

from hypothesis import strategies as st
from msgspec.structs import replace

from scoville_server.tables.actions.enter import ListCommentator
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause, Resume
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.table import Table, table_for_spectators
from scoville_server.tables.watching.audience import Watcher, commentators_key, make_watcher, watch_refusal
from scoville_server.tables.watching.project import view_of
from scoville_server.tables.watching.watched_table import Watchers
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played, TableSettings, TableSnapshot
from tests.laws.test_watchers import LATER, PEOPLE, SEEDS, played_on, table_of
from tests.support.games import draw_deals, law
from tests.support.server import RecordingPeer
from tests.support.tables import carry_out, refusal_of, user_of

STRANGERS = ("Yves", "Zoe", "Xenia")
VISIBILITY = st.sampled_from(["anybody", "rounds", "nobody"])
REQUESTS = (
    "watch",
    "poll",
    "unwatch",
    "watch with the key",
    "poll with the key",
    "poll a hand",
    "watch a hand",
    "be listed",
)


class Stranger:
    """A user without a seat, and whether they received more than a plain spectator may see."""

    def __init__(self, name: str) -> None:
        self.name, self.peer, self.saw_more = name, RecordingPeer(), False
        self.watching = False

    def request(self, kind: str, watchers: Watchers, table: Table, seat: Seat) -> Table:
        """Request something of the table; returns it, with this user listed where the request begins with that."""
        if kind == "unwatch":
            watchers.remove_watcher(self.peer)
            self.watching = False
            return table
        if kind == "be listed":
            return carry_out(table, ListCommentator(user=user_of(self.name), name=self.name))
        key = commentators_key(table.opened) if "key" in kind or "hand" in kind else ""
        looking = make_watcher(table, user_of(self.name), self.name, key, seat if "hand" in kind else None)
        if isinstance(looking, Refused) or watch_refusal(table, looking) is not None:
            return table
        if kind.startswith("watch"):
            watchers.add_watcher(self.peer, looking)
            self.watching = True
        self.look_at(watchers.take_snapshot(table, looking, 0, lambda _: True, LATER), table)
        return table

    def look_at(self, seen: TableSnapshot, table: Table) -> None:
        public = table if table.opened.settings.spectating == "anybody" else table_for_spectators(table)
        self.saw_more |= table.opened.settings.spectating == "nobody"
        self.saw_more |= seen.view != view_of(public, None) or seen.seq > public.seq

    def hear(self, before: Table, after: Table) -> None:
        """Check the notices of one change."""
        settings = after.opened.settings
        for notice in self.peer.events:
            hidden = settings.spectating == "nobody" or (
                settings.spectating == "rounds" and notice.event.seq > table_for_spectators(after).seq
            )
            live = settings.spectating == "anybody" and notice.event.seq == after.seq
            self.saw_more |= hidden or (live and notice.view != view_of(after, None))
            if isinstance(notice.event, Played) and settings.spectating == "anybody":
                recorded = after.events_after(notice.event.seq - 1)[0]
                self.saw_more |= len(notice.event.facts) > sum(to is None for to, _ in recorded.facts)
        self.peer.heard.clear()
        del before


@law
def test_leaks_to_a_client_are_named_from_then_on(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    settings = TableSettings(commentary=True, spectating=data.draw(VISIBILITY))
    table = replace(table_of(deal, settings, data.draw(SEEDS)), commentators={})
    luck = Random(data.draw(st.integers(0, 999)))
    watchers, strangers = Watchers(), [Stranger(name) for name in STRANGERS]
    for played in played_on(deal, table, luck.randrange(100), 25):
        if played.status == "finished":
            return
        for stranger in strangers:
            if luck.random() < 0.4:
                listed = stranger.request(luck.choice(REQUESTS), watchers, table, Seat(luck.randrange(seats)))
                watchers.publish_change(table, listed)
                table = listed
        later = replace(played, commentators=table.commentators)
        watchers.publish_change(table, later)
        for stranger in strangers:
            stranger.hear(table, later)
        table = later
        named = watchers.name_audience(table).commentators
        assert {stranger.name for stranger in strangers if stranger.saw_more} <= {*named}
        assert {*named} <= {*STRANGERS}


@law
def test_a_playing_key_holder_sees_only_their_hand(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    table = replace(table_of(deal, TableSettings(commentary=True), data.draw(SEEDS)), commentators={})
    key, seat = commentators_key(table.opened), Seat(data.draw(st.integers(0, seats - 1)))
    watchers, ben = Watchers(), user_of(PEOPLE[1])
    for now in (table, carry_out(table, Leave(user=ben)), carry_out(table, Pause(user=ben), Resume(user=ben))):
        looking = make_watcher(now, ben, PEOPLE[1], key, seat)
        assert isinstance(looking, Watcher)
        seen = watchers.take_snapshot(now, looking, 0, lambda _: True, LATER)
        assert seen.view == view_of(now, now.seat_of(ben))
        assert seen.commentators == []


@law
def test_without_commentary_no_key_shows_anything(game, seats, data):
    deal = data.draw(draw_deals(game, seats))
    table = table_of(deal, TableSettings(), data.draw(SEEDS))
    for key in ("", commentators_key(table.opened), "0" * 32):
        answer = make_watcher(table, user_of("Zoe"), "Zoe", key, 0)
        assert isinstance(answer, Refused)
    assert refusal_of(table, Pause(user=user_of("Zoe"))) == "not_seated"
