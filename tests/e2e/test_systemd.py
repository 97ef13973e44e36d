"""The short form of `scripts/systemd`: the shipped units do under a real systemd what the manual says."""

from pathlib import Path

import pytest

from tests.e2e.lan.network import NotPermitted
from tests.e2e.systemd.machine import Failed, boot_machine
from tests.e2e.systemd.trial import SERVER, STEPS, expect_property, stop_everything


def test_the_units_do_what_the_manual_says(tmp_path: Path) -> None:
    try:
        with boot_machine(tmp_path / "machine") as machine:
            for step in (*STEPS, stop_everything):
                step(machine)
            with pytest.raises(Failed, match="ActiveState is inactive, not active"):
                expect_property(machine, SERVER, "ActiveState", "active")
    except NotPermitted as reason:
        pytest.skip(str(reason))
