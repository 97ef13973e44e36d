"""The checker finds what is planted, and nothing in a cluster without faults."""

import pytest
from msgspec.structs import replace

from tests.cluster.plans import Fault, Plan, shrink_plan
from tests.cluster.planted import PLANTED, Planted
from tests.cluster.runs import ClusterInABox, run_plan

PEACE = Plan(seed=7, nodes=2, tables=3)


def test_nothing_is_found_without_faults() -> None:
    outcome = run_plan(PEACE)
    assert outcome.found == []
    assert outcome.moves > 50


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_planted_fault_is_found(planted: Planted) -> None:
    plan = replace(PEACE, timed=bool(planted.faults), faults=tuple(planted.faults))
    outcome = run_plan(plan, planted.prepare, planted.tamper)
    assert planted.found_as <= {found.invariant for found in outcome.found}


def test_same_seed_makes_same_history() -> None:
    plan = Plan(seed=3, timed=True, faults=(Fault(kind="lost_answers", at=5, seconds=4), Fault(kind="kill", at=12)))
    histories = []

    def keep_history(box: ClusterInABox) -> None:
        histories.append(box.history)

    for _ in range(2):
        run_plan(plan, tamper=keep_history)
    assert histories[0] == histories[1]


def test_failing_plan_shrinks_to_its_cause() -> None:
    noise = tuple(Fault(kind="slow_engine", at=at, seconds=1) for at in (5.0, 9.0, 14.0))
    cause = Fault(kind="full_disk", at=11.0, seconds=2)
    plan = Plan(seed=1, skews_ms=(1, 2, 3), timed=True, faults=(*noise, cause))
    assert shrink_plan(plan, lambda plan: cause in plan.faults) == Plan(seed=1, nodes=2, tables=1, faults=(cause,))
