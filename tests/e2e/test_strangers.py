"""The short form of `scripts/strangers`: a wheel of a faulty game is found, and nobody at another table notices it."""

from pathlib import Path

from tests.e2e.strangers.__main__ import check_fault, hold_evening, is_unnoticed
from tests.e2e.strangers.wheels import Environment

FAULTS = ("apply raises", "view loops")


async def test_a_faulty_wheel_is_found_and_not_noticed(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment", tmp_path / "wheels", borrowing=True)
    checked = check_fault(environment, FAULTS[0], tmp_path / "checked", 0)
    assert checked.right, checked
    for evening in await hold_evening(environment, tmp_path / "evening", FAULTS):
        assert evening.faulty == len(FAULTS)
        assert is_unnoticed(evening), evening
