"""Compatibility: within one protocol number, messages only gain optional fields."""

from typing import Any

import pytest

from tests.shared.protocol import shape
from tests.shared.protocol.shape import list_lost


def test_recorded_protocol_has_lost_nothing_and_demands_no_more() -> None:
    assert list_lost() == []


@pytest.mark.parametrize(
    ("changed", "lost"),
    [
        (lambda today: today["methods"].pop("ping"), ["ping"]),
        (lambda today: today["types"].pop("Night"), ["Night.begins", "Night.ends", "Night.zone"]),
        (lambda today: today["types"]["Night"]["fields"].pop("zone"), ["Night.zone"]),
        (lambda today: today["types"]["LeaveRequest"]["needed"].append("reason"), ["LeaveRequest.reason"]),
        (lambda today: today["types"]["VoteEnded"]["fields"]["reason"]["enum"].pop(), ["VoteEnded.reason"]),
        (lambda today: today["types"]["VoteEnded"]["fields"]["reason"]["enum"].append("new"), []),
        (lambda today: today["types"]["Night"]["fields"].update(days={"type": "integer"}), []),
    ],
)
def test_a_loss_is_named(changed: Any, lost: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    today = shape.describe_shape()
    changed(today)
    monkeypatch.setattr(shape, "describe_shape", lambda: today)

    assert list_lost() == lost
