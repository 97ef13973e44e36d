"""Tables move to nodes that have less: once, and to no node that has given them away; and when a node drains."""

import pytest

from scoville_server.nodes import loads
from scoville_server.tables.lifecycle import balance
from tests.cluster.serving import Box, Sitter, run_box


def run_uneven(seed: int, seconds: float = 90.0) -> tuple[list[int], list[list[str]], list[str]]:
    """Let 24 users open tables at two nodes, and start a third one again.

    Returns how many tables each node has then, the nodes that have served each table, and what is wrong.
    """
    box = Box(seed)
    with box.world.repeatable_chance():
        box.kill(2, 8.0)
        for number in range(24):
            box.users.start_task(Sitter(box, number % 2, f"User {number}").live)
        box.world.run_until(box.world.now + seconds)
        counts = [0 if node.core is None else len(node.core.tables) for node in box.nodes.values()]
        box.is_over = True
        box.world.run_until(box.world.now + 5)
        found = [*box.find_faults()]
        box.world.close()
    return counts, [*box.list_owners().values()], found


def find_returns(owners: list[list[str]]) -> list[list[str]]:
    """Return the ways of tables that have come back."""
    return [each for each in owners if len({*each}) < len(each)]


@pytest.mark.parametrize("seed", range(2))
def test_node_that_returns_gets_its_share_and_nothing_moves_back(seed: int) -> None:
    counts, owners, found = run_uneven(seed)
    assert found == []
    assert sum(counts) == 24
    assert max(counts) - min(counts) <= 4
    assert find_returns(owners) == []
    assert sum(len(each) > 1 for each in owners) < 12


def test_tables_that_move_back_and_forth_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balance, "REST_SECONDS", 0.0)
    monkeypatch.setattr(balance, "evens_out", lambda *_: True)
    monkeypatch.setattr(balance, "choose_receiver", lambda me, own, others, is_giving: loads.list_by_load(others)[0])
    assert find_returns(run_uneven(0, 25.0)[1])


def test_moves_and_drains_lose_nothing_while_nodes_fail() -> None:
    outcome = run_box(1, 6, pairs=3, lasts=12, more=lambda box: (box.move_tables, box.drain) * 2)
    assert outcome.found == []
    assert outcome.moves > 100


def test_node_that_drains_leaves_nothing_to_adopt() -> None:
    box = Box(4)
    with box.world.repeatable_chance():
        box.begin_playing(6)
        box.world.run_until(box.world.now + 10)
        node = box.nodes[1]
        assert node.core is not None
        assert len(node.core.tables)
        box.drain(1, 10.0)
        box.world.run_until(box.world.now + 1.5)
        assert node.core is None or len(node.core.tables) == 0
        box.is_over = True
        box.world.run_until(box.world.now + 3)
        assert [*box.find_faults()] == []
        assert box.count_adoptions() > 0
        box.world.close()
