"""Nodes that serve in one epoch: each table has one owner, also when nodes end, hang and are cut off."""

from collections.abc import Callable, Collection

import pytest

from scoville_server.journal.base import StoredTable
from scoville_server.tables.actor import TableActor
from scoville_server.tables.lifecycle import balance
from scoville_server.tables.lifecycle.adoption import Adoption
from scoville_server.tables.model.table import Table
from scoville_shared.ids import TableId
from tests.cluster.engine import NodeJournal
from tests.cluster.serving import Box, Outcome, run_box, run_fault


@pytest.mark.parametrize(("seed", "faults"), [(0, 4), (1, 4), (2, 4), (100, 12), (106, 12), (111, 12)])
def test_each_table_is_served_by_one_node(seed: int, faults: int) -> None:
    outcome = run_box(seed, faults)
    assert outcome.found == []
    assert outcome.moves > 100


def test_tables_stay_where_they_are_without_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balance, "choose_receiver", lambda *_, **__: None)
    assert run_box(3, faults=0)[::2] == Outcome([], 0, 0)[::2]


def test_tables_that_nobody_takes_over_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Adoption, "begin_adopting", lambda _: None)
    assert any("is served by nobody" in found for found in run_fault(0, Box.kill).found)


def test_owner_that_goes_on_beside_another_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_deposed(actor: TableActor, found: Table) -> bool:
        return actor._me is not None and found.owner is not None and found.owner.epoch > actor._me.epoch

    monkeypatch.setattr(TableActor, "_is_deposed", is_deposed)
    assert any("is served by" in found for found in run_fault(0, Box.hang).found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("begin", [Box.hang, Box.kill])
def test_lost_node_gives_up_what_others_have_taken_over(seed: int, begin: Callable[[Box, int, float], object]) -> None:
    outcome = run_fault(seed, begin)
    assert outcome.found == []
    assert outcome.adopted > 0


def test_node_that_has_joined_right_before_a_loss_takes_over() -> None:
    box = Box(7, nodes=1)
    with box.world.repeatable_chance():
        box.begin_playing(3)
        box.world.run_until(box.world.now + 5)
        joined = box.start_node(1)
        while joined.core is None:
            box.world.run_until(box.world.now + 0.05)
        # Before the new node has looked around for the first time.
        box.nodes.pop(0).process.kill()
        box.world.run_until(box.world.now + 15)
        box.is_over = True
        box.world.run_until(box.world.now + 5)
        assert [*box.find_faults()] == []
        assert box.count_adoptions() > 0
        box.world.close()


def test_table_that_cannot_be_read_delays_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    box = Box(7)
    read_tables, reads = NodeJournal.read_tables, list[list[TableId]]()
    with box.world.repeatable_chance():
        box.begin_playing(6)
        box.world.run_until(box.world.now + 10)
        lost = box.nodes[1].core
        assert lost is not None
        damaged, *others = [actor.table.id for actor in lost.tables.all_tables()]
        assert others

        async def read_whole(journal: NodeJournal, tables: Collection[TableId]) -> dict[TableId, StoredTable]:
            reads.append([*tables])
            return {table: kept for table, kept in (await read_tables(journal, tables)).items() if table != damaged}

        monkeypatch.setattr(NodeJournal, "read_tables", read_whole)
        box.nodes[1].process.kill()
        box.world.run_until(box.world.now + 2)
        assert [box.nodes[0].find_owner(table) for table in others] != ["node1"] * len(others)
        # The last try comes within twenty seconds; for twenty more, users ask for the table again and again.
        box.world.run_until(box.world.now + 40)
        box.is_over = True
        box.world.run_until(box.world.now + 60)
        assert 1 < sum(damaged in tables for tables in reads) <= 2 * 3, "each node tries three times"
        assert all(box.nodes[0].find_owner(table) in ("node0", "node2") for table in others if table in served(box))
        # It is unknown to users then, and not on its way: nor may each wrong code lead to it.
        for name in (0, 2):
            core = box.nodes[name].core
            assert core is not None
            directory = core.nodes.directory
            assert not directory.is_moving(damaged)
            assert not directory.may_lack_tables()
        box.world.close()


def served(box: Box) -> set[str]:
    """Return the tables that some node serves."""
    return {actor.table.id for node in box.nodes.values() if node.core for actor in node.core.tables.all_tables()}


def test_tables_of_a_lost_node_have_owners_within_two_seconds() -> None:
    box = Box(7)
    with box.world.repeatable_chance():
        box.begin_playing(6)
        box.world.run_until(box.world.now + 10)
        lost = box.nodes[1].core
        assert lost is not None
        tables = [actor.table.id for actor in lost.tables.all_tables()]
        assert tables
        box.nodes[1].process.kill()
        others = [box.nodes[0], box.nodes[2]]
        assert [node.find_owner(table) for table in tables for node in others] == ["node1"] * 2 * len(tables)
        box.world.run_until(box.world.now + 2)
        for table in tables:
            owners = {node.find_owner(table) for node in others}
            assert len(owners) == 1
            assert owners <= {"node0", "node2"}
        box.is_over = True
        box.world.close()


def test_table_of_a_lost_node_is_moving_until_it_has_an_owner() -> None:
    box = Box(8)
    with box.world.repeatable_chance():
        box.begin_playing(6)
        box.world.run_until(box.world.now + 5)
        lost = box.nodes[1].core
        others = [node.core for node in (box.nodes[0], box.nodes[2]) if node.core is not None]
        assert lost is not None
        tables = [actor.table.id for actor in lost.tables.all_tables()]
        box.nodes[1].process.kill()
        moving: set[str] = set()
        for _ in range(400):
            box.world.run_until(box.world.now + 0.005)
            for core in others:
                directory = core.nodes.directory
                for table in tables:
                    if directory.is_moving(table):
                        moving.add(table)
                        assert directory.find_owner(table) is None
        assert moving
        assert not any(core.nodes.directory.is_moving(table) for core in others for table in tables)
        box.is_over = True
        box.world.close()
