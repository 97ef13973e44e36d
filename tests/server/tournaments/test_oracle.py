"""Our pairing of two players beside what a published library of Swiss rounds has answered; `oracle` records it."""

import json

from tests.server.tournaments.oracle import RECORDED, compare_all


def test_pairs_cost_no_more_than_those_of_a_published_library() -> None:
    rated = compare_all(json.loads(RECORDED.read_text()))
    assert len(rated) == 160
    assert [(ours, theirs) for ours, theirs in rated if ours > theirs] == []
    assert sum(alike for (_, alike, _), _ in rated) == 0, "nobody sits somewhere three times more than elsewhere"
    assert sum(met for (met, _, _), _ in rated) == 0, "nobody meets twice"
