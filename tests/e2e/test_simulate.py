"""`scripts/simulate`: what a cluster needs for so many players, and what ends its growth."""

import importlib.util
import sys
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.tree import ROOT


def load_module() -> Any:
    spec = importlib.util.spec_from_file_location("scoville_simulate", ROOT / "scripts/lib/simulate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


simulate = load_module()
COSTS = simulate.Costs(
    move_us=300.0,
    far_ratio=1.5,
    follow_us=3.0,
    engine_us=100.0,
    leader_us=60.0,
    stream_bytes=200.0,
    home_bytes=300_000.0,
    away_bytes=10_000.0,
)


def test_nodes_share_the_moves_and_follow_those_of_all() -> None:
    # 60 % of a core are 2,000 moves of 300 µs; at two nodes half of the players are at the other one.
    assert simulate.count_nodes(COSTS, 2_000) == 1
    assert simulate.count_nodes(COSTS, 2_001) == 2
    assert simulate.count_nodes(COSTS, 3_150) == 2
    assert simulate.count_nodes(COSTS, 3_200) == 3
    assert simulate.count_nodes(COSTS, 200_000) is None


def test_need_grows_with_the_players() -> None:
    few, many = simulate.estimate_need(COSTS, 3_000), simulate.estimate_need(COSTS, 30_000)
    assert (few.moves, few.tables, few.nodes) == (600.0, 1_000, 1)
    assert few.node_bytes == 1_000 * COSTS.home_bytes
    assert many.nodes > few.nodes
    assert many.leader_share == pytest.approx(10 * few.leader_share)
    assert many.stream_bytes_a_day == pytest.approx(6_000 * 200 * 86_400)


def test_smallest_bound_comes_first() -> None:
    found = [bound.players for bound in simulate.list_bounds(COSTS)]
    assert found == sorted(found)
    cheaper = simulate.list_bounds(replace(COSTS, leader_us=0.6))
    [leader] = [bound for bound in cheaper if "leader" in bound.what]
    assert leader.players == pytest.approx(5_000_000)


def test_table_names_every_number_of_players() -> None:
    said = "\n".join(simulate.describe_needs(COSTS, (1_000, 1_000_000)))
    assert "1,000,000" in said
    assert "none does" in said
    assert "what breaks first" in said


def test_kept_costs_can_be_read() -> None:
    kept = simulate.msgspec.json.decode(simulate.COSTS.read_bytes(), type=simulate.Costs)
    assert kept.move_us > kept.follow_us >= 0
    assert "load" in kept.how
