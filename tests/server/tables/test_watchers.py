"""Notices to watchers: to each their own, encoded once for each group; spectators are listed."""

from msgspec.structs import replace

from scoville_server.tables.actions import leave
from scoville_server.tables.actions.enter import ListCommentator
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.vote import Vote
from scoville_server.tables.model.table import Table
from scoville_server.tables.state_machine import evolve
from scoville_server.tables.watching.audience import Watcher, commentators_key, make_watcher
from scoville_server.tables.watching.watched_table import Watchers
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import (
    Kicked,
    Left,
    Played,
    PresenceNotice,
    SpectatorsNotice,
    TableClock,
    TableSettings,
    TableSnapshot,
    Voted,
)
from tests.support.server import RecordingPeer
from tests.support.tables import (
    NOON,
    carry_out,
    join_as,
    move_by_clock,
    new_table,
    play_first,
    start_rated,
    start_table,
    user_of,
    watcher_of,
)

ROUNDS = TableSettings(spectating="rounds")


def commentating(table: Table, name: str, point_of_view: int | None) -> Watcher:
    found = make_watcher(table, user_of(name), name, commentators_key(table.opened), point_of_view)
    assert isinstance(found, Watcher)
    return found


def listing(table: Table, *names: str) -> Table:
    """The table with commentators, who are listed before they are sent anything."""
    return carry_out(table, *(ListCommentator(user=user_of(name), name=name) for name in names))


def watched_by(*somebody: Watcher) -> tuple[Watchers, list[RecordingPeer]]:
    watchers, peers = Watchers(), [RecordingPeer() for _ in somebody]
    for peer, one in zip(peers, somebody, strict=True):
        watchers.add_watcher(peer, one)
    return watchers, peers


def shot(watchers: Watchers, table: Table, somebody: Watcher, here: bool = True, seconds: int = 0) -> TableSnapshot:
    return watchers.take_snapshot(table, somebody, 0, lambda _: here, NOON + 1000 * seconds)


def test_alike_spectators_share_one_notice() -> None:
    table = start_table("Anna", "Ben")
    watchers, peers = watched_by(*(watcher_of(f"Guest {n}") for n in range(100)), watcher_of("Anna"))
    watchers.publish_change(table, carry_out(table, play_first("Anna", table)))
    assert len({id(peer.heard[0]) for peer in peers}) == 2
    assert all(len(peer.heard) == 1 for peer in peers)


def test_a_move_before_losing_the_seat_has_its_view() -> None:
    before = start_rated("Anna", "Ben")
    late = evolve(move_by_clock(before, Seat(1)), leave.Left(at_ms=NOON, seat=Seat(1), reason="stalled"))
    watchers, (anna, ben) = watched_by(watcher_of("Anna"), watcher_of("Ben"))
    watchers.publish_change(before, late)
    assert [type(notice.event) for notice in ben.heard] == [Played, Left]
    assert [notice.view["hand"] for notice in ben.heard] == [late.state.hands[1], ()], "a spectator has no hand"
    assert [notice.view["hand"] for notice in anna.heard] == [late.state.hands[0]] * 2


def test_a_commentator_sees_a_hand_and_its_facts() -> None:
    table = listing(start_table("Anna", "Ben", settings=TableSettings(commentary=True)), "Zoe")
    zoe = commentating(table, "Zoe", 1)
    watchers, (peer,) = watched_by(zoe)
    seen = shot(watchers, table, zoe)
    assert (seen.seat, seen.point_of_view, seen.view["hand"]) == (None, 1, table.state.hands[1])
    watchers.publish_change(table, carry_out(table, play_first("Ben", table)))
    event = peer.events[0].event
    assert isinstance(event, Played)
    assert [fact["fact"] for fact in event.facts] == ["chosen", "noted"]


def test_a_commentator_sees_the_present_among_round_spectators() -> None:
    table = listing(start_table("Anna", "Ben", settings=TableSettings(spectating="rounds", commentary=True)), "Zoe")
    watchers, (zoe, yves) = watched_by(commentating(table, "Zoe", 0), watcher_of("Yves"))
    watchers.publish_change(table, carry_out(table, play_first("Anna", table)))
    assert (len(zoe.heard), len(yves.heard)) == (1, 0)


def test_a_commentator_who_sits_down_sees_with_their_own_eyes() -> None:
    table = listing(carry_out(new_table(settings=TableSettings(commentary=True)), join_as("Anna")), "Zoe")
    zoe = commentating(table, "Zoe", 0)
    seen = shot(Watchers(), carry_out(table, join_as("Zoe")), zoe)
    assert (seen.seat, seen.point_of_view) == (1, None)


def test_in_rounds_time_and_cuts_reveal_nothing() -> None:
    table = start_table("Anna", "Ben", settings=ROUNDS, clock=TableClock(move_ms=60_000))
    watchers, (peer,) = watched_by(watcher_of("Zoe"))
    first = shot(watchers, table, watcher_of("Zoe"))
    assert first == shot(watchers, table, watcher_of("Zoe"), here=False, seconds=20)
    assert first.left_ms == [60_000, 60_000]
    assert shot(watchers, table, watcher_of("Anna"), seconds=20).left_ms == [40_000, 40_000]
    watchers.send_to_live_watchers(table, PresenceNotice(table="t1", seat=0, connected=False))
    assert peer.heard == []


def test_a_kicked_spectator_gets_that_last() -> None:
    table = start_table("Anna", "Ben")
    watchers, (zoe, yves) = watched_by(watcher_of("Zoe"), watcher_of("Yves"))
    kicked = carry_out(table, Kick(user=user_of("Anna"), whom=user_of("Zoe"), name="Zoe", reason="too loud"))
    watchers.publish_change(table, kicked)
    watchers.publish_change(kicked, carry_out(kicked, play_first("Anna", kicked)))
    assert [type(notice.event) for notice in zoe.events] == [Kicked]
    assert [type(notice.event) for notice in yves.events] == [Kicked, Played]


def test_a_kicked_player_gets_no_more_than_a_spectator() -> None:
    begun = start_table("Anna", "Ben", "Cleo")
    table = carry_out(begun, play_first("Ben", begun), Vote(user=user_of("Anna"), against=1))
    watchers, (ben,) = watched_by(watcher_of("Ben"))
    kicked = carry_out(table, Vote(user=user_of("Cleo"), against=1))
    watchers.publish_change(table, kicked)
    last, notice = ben.events
    assert isinstance(last.event, Voted)
    assert isinstance(notice.event, Kicked)
    assert notice.view is not None
    assert notice.view["hand"] == ()


def test_leaving_an_unwatched_table_sends_one_message() -> None:
    table = carry_out(new_table(settings=TableSettings(spectating="nobody")), join_as("Anna"), join_as("Ben"))
    watchers, (ben,) = watched_by(watcher_of("Ben"))
    left = carry_out(table, Leave(user=user_of("Ben")))
    watchers.publish_change(table, left)
    watchers.publish_change(left, carry_out(left, join_as("Cleo")))
    assert [type(notice.event) for notice in ben.events] == [Left]


def test_the_audience_are_those_without_a_seat_each_once() -> None:
    table = listing(start_table("Anna", "Ben", settings=TableSettings(commentary=True)), "Zoe")
    zoe = commentating(table, "Zoe", 0)
    watchers, _ = watched_by(watcher_of("Anna"), zoe, watcher_of("Yves"), watcher_of("Yves"))
    audience = watchers.name_audience(table)
    assert audience == SpectatorsNotice(table="t1", spectators=["Zoe", "Yves"], commentators=["Zoe"])
    seen = shot(watchers, table, watcher_of("Anna"))
    assert (seen.spectators, seen.commentators, seen.info.spectator_count) == (["Zoe", "Yves"], ["Zoe"], 2)


def test_claimed_names_are_marked_by_their_positions() -> None:
    table = carry_out(
        start_table("Anna", "Ben", settings=TableSettings(commentary=True)),
        ListCommentator(user=user_of("Zoe"), name="Zoe"),
        ListCommentator(user=user_of("Yves"), name="Yves", claimed=True),
    )
    owner = replace(watcher_of("Yves"), claimed=True)
    watchers, _ = watched_by(watcher_of("Zoe"), owner, replace(owner, user=user_of("Xenia"), name="Xenia"))
    audience = watchers.name_audience(table)
    assert (audience.spectators, audience.claimed_spectators) == (["Zoe", "Yves", "Xenia"], [1, 2])
    assert (audience.commentators, audience.claimed_commentators) == (["Zoe", "Yves"], [1])
    seen = shot(watchers, table, watcher_of("Anna"))
    assert (seen.claimed_spectators, seen.claimed_commentators) == ([1, 2], [1])


def test_a_key_shows_nothing_before_listing_its_owner() -> None:
    table = start_table("Anna", "Ben", settings=TableSettings(spectating="rounds", commentary=True))
    seen = shot(Watchers(), table, commentating(table, "Zoe", 1))
    assert seen == shot(Watchers(), table, watcher_of("Zoe"))


def test_a_private_code_is_for_admitted_users() -> None:
    table = start_table("Anna", "Ben", settings=TableSettings(private=True), code="brave-otter")

    def code(reader: str | None) -> str:
        return Watchers().describe_table(table, lambda _: True, NOON, None if reader is None else UserId(reader)).code

    assert (code("ben"), code("zoe"), code(None)) == ("brave-otter", None, None)
    public = start_table("Anna", "Ben", code="brave-otter")
    assert Watchers().describe_table(public, lambda _: True, NOON).code == "brave-otter"


def test_a_tables_lobby_picture_is_made_once_per_change() -> None:
    """It was two thirds of the cost of a list of tables."""
    table = start_table("Anna", "Ben")
    watchers = Watchers()
    first = watchers.describe_table(table, lambda _: True, NOON)

    assert watchers.describe_table(table, lambda _: True, NOON + 1_000, user_of("Zoe")) is first
    assert not watchers.describe_table(table, lambda user: user != user_of("Ben"), NOON).seats[1].connected
    watchers.add_watcher(RecordingPeer(), watcher_of("Zoe"))
    assert watchers.describe_table(table, lambda _: True, NOON).spectator_count == 1
    assert (
        watchers.describe_table(carry_out(table, play_first("Anna", table)), lambda _: True, NOON).spectator_count == 1
    )
    assert (
        watchers.describe_table(carry_out(table, Leave(user=user_of("Ben"))), lambda _: True, NOON).seats != first.seats
    )
