"""Observers of tables are notified of the kinds of change to which they subscribe, and of no others."""

import pytest

from scoville_server.lobby.feed import LobbyFeed
from scoville_server.nodes.members import Incarnation, NodeId
from scoville_server.observation.figures import TableCensus
from scoville_server.server import Server
from scoville_server.tables.actions.enter import Enter
from scoville_server.tables.actions.join import Join
from scoville_server.tables.actions.kick import Kick
from scoville_server.tables.actions.leave import Leave
from scoville_server.tables.actions.pause import Pause
from scoville_server.tables.actions.ready import Ready
from scoville_server.tables.actions.restart import Restart
from scoville_server.tables.actions.start import Start
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver, TableObservers, list_changes
from scoville_shared.protocol.messages import TableSettings
from tests.server.tables.actors import Room
from tests.support.server import core_of
from tests.support.tables import carry_out, join_as, new_table, play_first, play_out, start_table, user_of


class Recorder(TableObserver):
    """An observer that records what it is notified of."""

    def __init__(self, *observed: Change) -> None:
        self.observed = frozenset(observed)  # type: ignore[misc]  # one class for all tests
        self.changes: list[Done] = []

    def table_changed(self, actor: TableActor, done: Done) -> None:
        self.changes.append(done)


def begun() -> Table:
    return start_table("Anna", "Ben")


PRIVATE = TableSettings(private=True)
HIDDEN = new_table("heap", settings=PRIVATE, code="brave-otter")


@pytest.mark.parametrize(
    ("before", "now", "changes"),
    [
        (begun(), carry_out(begun(), play_first("Anna", begun())), {Change.MOVES, Change.TURN}),
        (begun(), play_out(begun()), {Change.MOVES, Change.TURN, Change.STATUS}),
        (begun(), carry_out(begun(), Pause(user=user_of("Anna"))), set()),
        (begun(), carry_out(begun(), Pause(user=user_of("Anna")), Pause(user=user_of("Ben"))), {Change.PAUSE}),
        (begun(), carry_out(begun(), Leave(user=user_of("Ben"))), {Change.SEATS}),
        (new_table(), carry_out(new_table(), join_as("Anna")), {Change.SEATS, Change.HOST}),
        (HIDDEN, carry_out(HIDDEN, Enter(user=user_of("Ben"))), {Change.ADMISSION}),
        (begun(), carry_out(begun(), Restart(owner=Incarnation(NodeId("b"), 2))), {Change.OWNER}),
    ],
)
def test_a_change_is_of_the_kinds_that_differ(before: Table, now: Table, changes: set[Change]) -> None:
    assert list_changes(before, now) == changes


def test_a_kick_changes_the_code_of_a_private_table() -> None:
    table = carry_out(HIDDEN, *(Enter(user=user_of(name)) for name in ("Anna", "Ben")), join_as("Anna"), join_as("Ben"))
    kick = Kick(user=user_of("Anna"), whom=user_of("Ben"), name="Ben", code="calm-heron")
    assert list_changes(table, carry_out(table, kick)) == {Change.SEATS, Change.ADMISSION, Change.CODE}


def test_being_ready_may_start_a_countdown() -> None:
    table = carry_out(new_table("heap", settings=TableSettings(start="ready")), join_as("Anna"))
    ready = carry_out(table, Ready(user=user_of("Anna"), ready=True))
    assert list_changes(table, ready) == {Change.READY, Change.COUNTDOWN}


async def test_a_move_wakes_those_who_observe_it(room: Room) -> None:
    moved, others = Recorder(Change.MOVES), Recorder(*set(Change) - {Change.MOVES, Change.TURN})
    observers = TableObservers()
    observers.connect_observers([moved, others, Recorder()])
    actor = room.actor(begun())
    await actor.carry_out(play_first("Anna", actor.table))
    for done in room.changes:
        observers.notify_changed(actor, done)
    assert (len(moved.changes), len(others.changes)) == (1, 0)


@pytest.mark.parametrize(("change", "following"), [(Change.MOVES, [TableCensus]), (Change.TURN, [LobbyFeed])])
async def test_only_the_lobby_and_the_census_follow_moves(
    server: Server, change: Change, following: list[type[TableObserver]]
) -> None:
    observers = core_of(server).registry.observers
    assert [type(observer) for observer in observers.list_interested(frozenset({change}))] == following


async def test_the_last_observer_comes_behind_those_that_are_connected() -> None:
    last, others = Recorder(Change.MOVES), [Recorder(Change.MOVES), Recorder(Change.MOVES)]
    observers = TableObservers(last)
    observers.connect_observers(others)
    assert observers.list_interested(frozenset({Change.MOVES})) == (*others, last)


async def test_a_game_wakes_each_observer_once_for_its_start(room: Room) -> None:
    observers, watching = TableObservers(), Recorder(Change.STATUS, Change.SEATS)
    observers.connect_observers([watching])
    actor = room.actor(new_table("heap", 2))
    await actor.carry_out(Join(user=user_of("Anna"), name="Anna"))
    await actor.carry_out(Start(user=user_of("Anna"), strength="random"))
    for done in room.changes[:2]:
        observers.notify_changed(actor, done)
    assert [done.after.status for done in watching.changes] == ["waiting", "playing"]
