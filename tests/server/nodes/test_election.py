"""Which node takes over, and when."""

from typing import Any

import pytest

from scoville_server.nodes.election import (
    BEAT_SECONDS,
    DOUBTFUL_SECONDS,
    MISSING_SECONDS,
    OVERDUE_SECONDS,
    TURN_SECONDS,
    Beat,
    Heard,
    Outlook,
    comes_first,
    judge_outlook,
)

NOW = 100.0


def heard(ago: float, node: str = "a", epoch: int = 0, **beat: Any) -> Heard:
    return Heard(Beat(node, f"{node}.example:1", epoch, **beat), NOW - ago)


def outlook(**known: Any) -> Outlook:
    """What node `b` knows, of which `a` has served until now."""
    usual: dict[str, Any] = {"me": "b", "since": NOW - 60, "has_epoch": True, "heard": {}}
    usual["served"] = heard(0.1, epoch=3)
    return Outlook(now=NOW, **{**usual, **known})


def test_node_that_hears_the_serving_one_waits() -> None:
    assert judge_outlook(outlook()) == "wait"
    assert judge_outlook(outlook(port="closed")) == "wait"


@pytest.mark.parametrize(
    ("silent", "port", "verdict"),
    [
        (BEAT_SECONDS, "closed", "wait"),
        (OVERDUE_SECONDS + 0.01, "unknown", "look"),
        (OVERDUE_SECONDS + 0.01, "closed", "serve"),
        (OVERDUE_SECONDS + 0.01, "unclear", "look"),
        (DOUBTFUL_SECONDS + 0.1, "unknown", "look"),
        (DOUBTFUL_SECONDS + 0.1, "closed", "serve"),
        (DOUBTFUL_SECONDS + 0.1, "unclear", "look"),
        (MISSING_SECONDS + 0.1, "unknown", "look"),
        (MISSING_SECONDS + 0.1, "unclear", "serve"),
    ],
)
def test_silent_node_is_looked_at_before_another_takes_over(silent: float, port: Any, verdict: str) -> None:
    assert judge_outlook(outlook(served=heard(silent, epoch=3), port=port)) == verdict


def test_node_that_is_deaf_itself_does_not_take_over() -> None:
    other = heard(0.1, "c", hears=0.1)
    assert judge_outlook(outlook(served=heard(9, epoch=3), heard={"c": other}, port="closed")) == "wait"
    deaf_too = heard(0.1, "c", hears=9.0)
    assert judge_outlook(outlook(served=heard(9, epoch=3), heard={"c": deaf_too}, port="closed")) == "serve"
    deaf_for_a_moment = heard(BEAT_SECONDS, "c", hears=0.9 * BEAT_SECONDS)
    for port, verdict in (("closed", "serve"), ("unclear", "wait")):
        assert judge_outlook(outlook(served=heard(9, epoch=3), heard={"c": deaf_for_a_moment}, port=port)) == verdict
    gone = heard(9, "c", hears=0.1)
    assert judge_outlook(outlook(served=heard(9, epoch=3), heard={"c": gone}, port="closed")) == "serve"


def test_node_that_was_late_itself_listens_first() -> None:
    assert judge_outlook(outlook(since=NOW - 0.2, served=heard(9, epoch=3), port="unclear")) == "wait"
    assert judge_outlook(outlook(since=NOW - 0.2, served=None)) == "wait"


def test_node_without_the_engine_does_not_take_over() -> None:
    assert judge_outlook(outlook(served=heard(9, epoch=3), port="closed", is_connected=False)) == "wait"


def test_nodes_take_over_one_after_the_other() -> None:
    first = outlook(served=heard(OVERDUE_SECONDS + 0.1, epoch=3), heard={"c": heard(0.1, "c")}, port="closed")
    assert judge_outlook(first) == "serve"
    second = first._replace(me="c", heard={"b": heard(0.1, "b")})
    assert judge_outlook(second) == "wait"
    assert judge_outlook(second._replace(now=NOW + TURN_SECONDS, heard={"b": heard(-TURN_SECONDS, "b")})) == "serve"


def test_node_joins_one_that_takes_links() -> None:
    serving = heard(0.1, epoch=3, link="a.example:2")
    joins = outlook(served=serving, joins=True, epoch=3)
    assert judge_outlook(joins) == "join"
    assert judge_outlook(joins._replace(joins=False)) == "wait"
    assert judge_outlook(joins._replace(served=heard(0.1, epoch=3))) == "wait", "it serves alone"
    assert judge_outlook(joins._replace(epoch=2)) == "wait", "the engine has not shown its epoch yet"
    assert judge_outlook(joins._replace(is_connected=False)) == "wait"
    silent = heard(DOUBTFUL_SECONDS + 0.1, epoch=3, link="a.example:2")
    assert judge_outlook(joins._replace(served=silent)) == "look"
    assert judge_outlook(joins._replace(served=heard(0.1, leaving=True, link="a.example:2"))) == "serve"


def test_leaving_node_is_followed_at_once() -> None:
    assert judge_outlook(outlook(served=heard(0.0, leaving=True))) == "serve"


def test_node_that_takes_tables_over_may_be_silent() -> None:
    busy = heard(MISSING_SECONDS + 1, epoch=3, patience=5.0)
    assert judge_outlook(outlook(served=busy, port="unclear")) == "look"
    assert judge_outlook(outlook(served=busy, port="closed")) == "serve"


def test_first_node_of_a_cluster_serves_when_it_has_listened() -> None:
    assert judge_outlook(outlook(has_epoch=False, served=None, since=NOW - BEAT_SECONDS)) == "wait"
    assert judge_outlook(outlook(has_epoch=False, served=None, since=NOW - MISSING_SECONDS)) == "serve"


def test_node_that_has_all_tables_whole_comes_first() -> None:
    silent = heard(DOUBTFUL_SECONDS + 0.1, epoch=3)
    for mine, verdict in ((0, "serve"), (1, "serve"), (2, "wait")):
        other = heard(0.1, "c", lacks=1)
        assert judge_outlook(outlook(served=silent, heard={"c": other}, port="closed", lacks=mine)) == verdict
    first = heard(0.1, "a", lacks=1)
    assert judge_outlook(outlook(served=silent, heard={"a": first}, port="closed")) == "serve"


def test_first_of_the_nodes_that_wait_is_known_before_the_next_beat_is_late() -> None:
    known = outlook(served=heard(0.1, epoch=3), heard={"c": heard(0.1, "c")}, port="closed")
    assert judge_outlook(known) == "wait"
    assert comes_first(known)
    assert not comes_first(known._replace(port="unclear"))
    assert not comes_first(known._replace(is_connected=False))
    assert not comes_first(known._replace(me="c", heard={"b": heard(0.1, "b")}))
    assert not comes_first(known._replace(heard={"c": Heard(Beat("c", "c.example:1", begins=True), NOW, NOW)}))
    assert not comes_first(known._replace(served=heard(MISSING_SECONDS, epoch=3))), "others hear it"
    assert not comes_first(known._replace(served=None))
