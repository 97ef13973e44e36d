"""The units for systemd are valid, keep the services to what they need, and name commands that there are."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = Path(__file__).parents[2] / "packaging" / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))
BIN = "/opt/scoville/bin/"
MOST_EXPOSED = 2.0
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed (Debian: apt install systemd)"
)


def test_there_is_a_unit_for_every_service() -> None:
    assert [path.stem for path in SERVICES] == ["scoville-backup", "scoville-server", "scoville-ssh", "scoville-web"]


@needs_systemd
@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
def test_a_service_is_exposed_no_more_than_it_must(service: Path) -> None:
    call = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(service)]
    said = subprocess.run(call, capture_output=True, text=True, check=False).stdout
    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
    assert level is not None, said
    assert float(level[1]) <= MOST_EXPOSED


@needs_systemd
def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    for unit in UNITS.iterdir():
        # The programs are where the host installs them, not here.
        (tmp_path / unit.name).write_text(unit.read_text().replace(BIN, "/bin/true "))
    units = [str(path) for path in sorted(tmp_path.iterdir()) if path.suffix in (".service", ".socket", ".timer")]
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *units],
        capture_output=True,
        text=True,
        check=False,
    )
    # What the machine's own units lack is none of ours.
    assert [line for line in done.stderr.splitlines() if "scoville" in line] == []


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
def test_a_service_never_starts_again_after_wrong_usage(service: Path) -> None:
    text = service.read_text()
    assert "Restart=" not in text or "RestartPreventExitStatus=2" in text


def test_users_and_folders_of_the_units_are_made() -> None:
    users = {line.split()[1] for line in (UNITS / "sysusers.conf").read_text().splitlines() if line.startswith("u ")}
    named = {user for path in SERVICES for user in re.findall(r"^User=(\S+)$", path.read_text(), re.MULTILINE)}
    assert named == users
    folders = {line.split()[1] for line in (UNITS / "tmpfiles.conf").read_text().splitlines() if line.startswith("d ")}
    backup = (UNITS / "scoville-backup.service").read_text()
    assert {"/etc/scoville", "/var/backups/scoville"} == folders
    assert "/var/backups/scoville" in backup
