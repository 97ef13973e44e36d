"""The checker finds what is planted, and nothing in a cluster without faults."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.cluster.checker import check_run
from tests.cluster.plans import Fault, Plan, shrink_plan
from tests.cluster.planted import PLANTED, Planted, leave_alone, tampered
from tests.cluster.runs import ClusterInABox, run_plan, run_to_the_end

PEACE = Plan(seed=7, nodes=2, tables=3)
AFTERWARDS = [planted for planted in PLANTED if planted.tamper is not leave_alone]
DURING = [planted for planted in PLANTED if planted.tamper is leave_alone]


@pytest.fixture(scope="module")
def peaceful() -> Iterator[ClusterInABox]:
    """A run without faults, for everything that is planted into what a run has left behind."""
    with run_to_the_end(PEACE) as box:
        yield box
        assert check_run(box) == [], "what was planted is still there"


def test_nothing_is_found_without_faults(peaceful: ClusterInABox) -> None:
    assert check_run(peaceful) == []
    assert len(peaceful.history.list_ops("play", "ok")) > 50


@pytest.mark.parametrize("planted", DURING, ids=lambda planted: planted.name)
def test_fault_planted_into_a_run_is_found(planted: Planted) -> None:
    plan = replace(PEACE, timed=bool(planted.faults), faults=tuple(planted.faults))
    outcome = run_plan(plan, planted.prepare)
    assert planted.found_as <= {found.invariant for found in outcome.found}


@pytest.mark.parametrize("planted", AFTERWARDS, ids=lambda planted: planted.name)
def test_fault_planted_after_a_run_is_found(planted: Planted, peaceful: ClusterInABox) -> None:
    with tampered(peaceful, planted.tamper):
        assert planted.found_as <= {found.invariant for found in check_run(peaceful)}


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
