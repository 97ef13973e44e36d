"""Clusters with the faults of some seeds; `scripts/cluster_box` runs thousands."""

import pytest

from tests.cluster.plans import Fault, FaultKind, Plan, draw_plan
from tests.cluster.runs import run_plan

SAME_OWNER = ("kill", "stop", "lost_answers", "lost_requests", "slow_engine", "full_disk", "set_clock")
"""Faults after which no former owner is left."""


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_violated_without_former_owners(seed: int) -> None:
    outcome = run_plan(draw_plan(seed, SAME_OWNER))
    assert outcome.found == [], outcome.plan


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_violated_by_any_faults(seed: int) -> None:
    outcome = run_plan(draw_plan(seed))
    assert outcome.found == [], outcome.plan


@pytest.mark.parametrize("kind", ["cut_engine", "hang"])
def test_former_owner_that_hears_its_successor_lets_nobody_in(kind: FaultKind) -> None:
    # It hears the others before it reaches the engine again, and its users come back to it: their next node hangs.
    first = Fault(kind=kind, at=8.0, seconds=5, amount=1.0)
    outcome = run_plan(Plan(seed=1, tables=2, faults=(first, Fault(kind="hang", at=13.3, seconds=5))))
    assert outcome.found == []


def test_owner_that_wakes_does_nothing_more() -> None:
    outcome = run_plan(Plan(seed=0, nodes=2, tables=1, timed=True, faults=(Fault(kind="hang", at=11.8, seconds=7),)))
    assert outcome.found == []


def test_nobody_is_charged_for_a_move_that_its_journal_kept_late() -> None:
    faults = (
        Fault(kind="cut_to_engine", at=6.81, seconds=2.68, amount=0.6),
        Fault(kind="lost_requests", at=7.05, seconds=9.61, amount=0.76),
    )
    assert run_plan(Plan(seed=857364, nodes=3, tables=3, timed=True, faults=faults)).found == []


def test_nobody_is_charged_for_what_passed_before_the_clock_was_set_back() -> None:
    faults = (
        Fault(kind="cut_to_node", at=4.42, seconds=6.9, amount=0.67),
        Fault(kind="cut_engine", at=16.12, seconds=0.74, amount=0.34),
        Fault(kind="set_clock", at=20.08, seconds=4.3, amount=0.19),
        Fault(kind="kill", at=21.7, seconds=0.81, amount=0.74),
    )
    plan = Plan(seed=851504, nodes=3, tables=1, timed=True, skews_ms=(1434, -2960, -9017), faults=faults)
    assert run_plan(plan).found == []
