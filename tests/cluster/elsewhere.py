"""Servers whose users are all connected to another node: each server gets a second one, which has its users.

`scripts/test -p tests.cluster.elsewhere tests/server/tables` runs all tests of tables so, in some three minutes, and
those of `tournaments`, `daily`, `clubs` and `lobby` in as many: the first one does what one node does for all.

The second one asks the first one about everything that concerns tables, also for new ones, so that all tables are at
the first one. Servers with a data folder stay alone, since two processes cannot share one, and those that never start.
"""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_server.accounts.connection import Answer, ConnectedClient
from scoville_server.journal.memory import MemoryJournal
from scoville_server.net.peer import ConnectionHandler, Peer
from scoville_server.nodes.link.asking import Effect
from scoville_server.nodes.members import NodeId
from scoville_server.nodes.nodes import join_nodes
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.lifecycle.balance import TableBalance
from scoville_server.visiting import lines
from scoville_shared.protocol import messages as m
from tests.cluster.pair import Both, EndOfWire, Wire
from tests.support.links import WireDialer

TABLES, USERS = NodeId("a"), NodeId("b")
OPENING = (m.CreateRequest, m.QuickMatchRequest)
"""Requests that open tables."""

LISTS = (
    "test_when_all_are_ready_the_game_begins_by_itself",
    "test_players_are_notified_of_spectators",
    "test_table_lists_show_a_turn_to_its_owner_alone",
    "test_commented_and_coached_tables_are_declared_unrated",
    "test_one_user_plays_against_bots",
)
"""Tests that ask for the list of tables, in which a node has those of its own."""
EARLY = (
    "test_a_removed_table_is_freed_without_the_garbage_collector",
    "test_a_game_that_loops_again_and_again_is_stopped",
    "test_watchers_of_a_looping_view_are_sent_its_end",
    "test_a_view_that_fails_for_one_seat_leaves_nobody_waiting",
    "test_a_table_on_which_no_bot_can_move_is_closed",
    "test_a_waiting_seat_ends_with_its_table",
    "test_a_spectator_sees_the_game_and_can_do_nothing_else",
    "test_players_kick_together_and_hosts_only_while_waiting",
)
"""Tests that look at once at what crosses a link some turns of the loop later, or at objects that do not cross it."""
LOBBY = (
    "test_a_brief_visitor_is_not_listed",
    "test_a_flood_that_comes_and_goes_sends_few_names",
    "test_a_line_that_is_cut_is_seen_in_the_lobby",
    "test_a_list_of_tables_searches_the_seats_of_none",
    "test_a_move_is_reported_to_the_next_players",
    "test_a_new_table_is_reported_once_with_everything_about_it",
    "test_a_quick_match_has_no_host",
    "test_a_quick_match_starts_when_everybody_in_it_is_ready",
    "test_a_replacing_bot_is_announced_after_the_round",
    "test_a_table_that_everybody_sees_live_is_reported_live",
    "test_a_vanished_quick_player_keeps_no_seat",
    "test_all_who_ask_at_once_wait_for_two_syncs",
    "test_departed_tables_and_users_are_reported",
    "test_however_much_happens_it_is_reported_in_one_notice",
    "test_my_own_and_waiting_tables_come_first",
    "test_notices_wait_while_a_crowd_is_sent_the_former_one",
    "test_one_of_each_game_is_open_to_anybody",
    "test_pauses_and_losses_go_to_the_seats_alone",
    "test_private_tables_are_reported_to_their_users",
    "test_starts_and_ends_are_sent_to_everybody",
    "test_the_snapshot_shows_what_the_notices_would_have_said",
    "test_two_who_ask_at_the_same_moment_meet",
    "test_very_many_changes_are_reported_one_batch_after_the_other",
    "test_very_many_readers_are_sent_a_notice_in_portions",
)
"""Tests of the lobby that look into the feed of the node with the tables, or at once at what it tells others later."""
OBJECTS = (
    "test_a_crash_between_the_attempt_and_its_table_costs_nothing",
    "test_evening_cancelled_after_a_crash_before_its_tables_keeps_nobody_from_talking",
)
"""Tests that expect an exception of their own, which crosses a link as an internal error, or count writes to the last:
a user who plays elsewhere is written first."""
ALONE = ("test_only_the_lobby_and_the_census_follow_moves",)
"""Tests that list what observes the tables of a server alone: of several nodes each also tells the others."""
UNFIT = frozenset(ALONE + LISTS + EARLY + LOBBY + OBJECTS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests that do not fit."""
    items[:] = [item for item in items if item.name.partition("[")[0] not in UNFIT]


class _Members(Both):
    """The first node takes over every table."""

    def heir_of(self, thing: str) -> NodeId:
        return TABLES


class _Twins:
    """What a server and its second one have in common."""

    def __init__(self) -> None:
        self.wire, self.dialer = Wire(), WireDialer()

    def make_nodes(self, me: NodeId) -> Callable[[Any], Any]:
        return lambda flushes: join_nodes(
            flushes, _Members(me), EndOfWire(self.wire), joins=False, links=self.dialer.links_of(me)
        )


def _is_at_users(balance: TableBalance) -> bool:
    return balance._nodes.members.me == USERS


def ask_for_all(
    routed: lines.TableLines,
    handle: Callable[[ConnectedClient, Any], Answer],
    effect: Effect,
    connection: ConnectedClient,
    p: Any,
) -> Answer:
    """Ask the first node for everything that names a table or opens one, and answer the rest."""
    asks = routed._links.me == USERS and (type(p) in OPENING or isinstance(p, m.EnterRequest) or p.table)
    return routed._ask_node(TABLES, connection, p, effect) if asks else handle(connection, p)


def send_request(routed: lines.TableLines, node: NodeId, connection: ConnectedClient, p: Any, effect: Effect) -> Any:
    line = routed._find_line(node, connection)
    assert line is not None
    line.introduce_user(routed._introduce_user(connection.user, connection.peer))
    return line.send_request(p, getattr(p, "table", None) or "", effect)


def move_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every server that is made from now on a second one, which has its users."""
    make, start, close = Server.__init__, Server.start, Server.close
    accept, make_protocol = Server.accept_connection, Server.make_protocol
    twins: dict[Server, Server] = {}
    started: dict[Server, Server] = {}

    def make_two(server: Server, settings: Any, *args: Any, **more: Any) -> None:
        first = settings if isinstance(settings, Settings) else settings.live.value
        names = ("catalog", "journal", "clock", "sockets", "make_nodes")
        more.update(zip(names, args, strict=False))
        journal = more.get("journal") or (MemoryJournal() if first.data is None else None)
        if "make_nodes" in more or not isinstance(journal, MemoryJournal):
            make(server, settings, **more)
            return
        both = _Twins()
        more["journal"] = journal
        make(server, settings, **more, make_nodes=both.make_nodes(TABLES))
        second = Server.__new__(Server)
        more.pop("sockets", None)
        make(second, replace(first, port=None, default_tables=()), **more, make_nodes=both.make_nodes(USERS))
        twins[server] = second

    async def start_two(server: Server, *args: Any) -> None:
        await start(server, *args)
        if server in twins:
            await start(twins[server])
            started[server] = twins[server]

    async def close_two(server: Server, **how: Any) -> None:
        await close(server, **how)
        if server in started:
            await close(started[server])

    def accept_there(server: Server, peer: Peer) -> ConnectionHandler:
        return accept(started.get(server, server), peer)

    monkeypatch.setattr(Server, "__init__", make_two)
    monkeypatch.setattr(Server, "start", start_two)
    monkeypatch.setattr(Server, "close", close_two)
    monkeypatch.setattr(Server, "accept_connection", accept_there)
    monkeypatch.setattr(Server, "make_protocol", lambda server: make_protocol(started.get(server, server)))
    monkeypatch.setattr(lines.TableLines, "_route_request", ask_for_all)
    monkeypatch.setattr(lines.TableLines, "_send_request", send_request)
    monkeypatch.setattr(lines, "_NAMING", lines._NAMING | {*OPENING})
    monkeypatch.setattr(TableBalance, "choose_node", lambda balance: TABLES if _is_at_users(balance) else None)
    for kind in OPENING:
        monkeypatch.setitem(lines.CROSSING, kind, Effect.CHANGES)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def everybody_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all users be at another node."""
    move_users(monkeypatch)
