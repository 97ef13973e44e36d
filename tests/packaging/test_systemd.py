"""The units for systemd are valid, keep the services to what they need, and name commands that there are."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scoville_server.journal.files.credential_file import CREDENTIAL

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


@pytest.mark.skipif(
    shutil.which("systemd-sysusers") is None or shutil.which("systemd-tmpfiles") is None or os.geteuid() != 0,
    reason="systemd is not installed, or this is not root",
)
def test_systemd_makes_the_users_and_the_folders(tmp_path: Path) -> None:
    for folder in ("sysusers.d", "tmpfiles.d"):
        (tmp_path / "etc" / folder).mkdir(parents=True)
        shutil.copy(UNITS / f"{folder[:-2]}.conf", tmp_path / "etc" / folder / "scoville.conf")
    for name in ("passwd", "group"):
        (tmp_path / "etc" / name).touch()
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}"], check=True, capture_output=True)
    subprocess.run(["systemd-tmpfiles", f"--root={tmp_path}", "--create", "scoville.conf"], check=True)
    users = [line.split(":") for line in (tmp_path / "etc/passwd").read_text().splitlines()]
    numbers = {user[0]: int(user[2]) for user in users if user[-1].endswith("nologin")}
    assert set(numbers) == {"scoville", "scoville-door"}
    assert (tmp_path / "etc/scoville").stat().st_mode & 0o777 == 0o755
    backups = (tmp_path / "var/backups/scoville").stat()
    assert (backups.st_uid, backups.st_mode & 0o777) == (numbers["scoville"], 0o700)


@pytest.mark.parametrize("name", ["scoville-server", "scoville-ssh", "scoville-web"])
def test_twenty_restarts_by_the_host_are_no_loop(name: str) -> None:
    text = (UNITS / f"{name}.service").read_text()
    seconds, burst = (
        int(re.findall(rf"^{key}=(\d+)$", text, re.MULTILINE)[0])
        for key in ("StartLimitIntervalSec", "StartLimitBurst")
    )
    assert burst > 20
    assert seconds / burst > 2, "a start that fails at once, and a second before the next, is a loop"


@pytest.mark.parametrize("service", SERVICES, ids=lambda path: path.stem)
def test_a_service_needs_no_program_but_our_own(service: Path) -> None:
    """A bare Debian has not even /bin/kill."""
    commands = re.findall(r"^Exec\w+=(\S+)", service.read_text(), re.MULTILINE)
    assert commands
    assert all(command.startswith(BIN) for command in commands), commands


@pytest.mark.parametrize("name", ["scoville-ssh", "scoville-web"])
def test_a_door_gets_the_credential_that_the_server_makes(name: str) -> None:
    text = (UNITS / f"{name}.service").read_text()
    assert f"LoadCredential={CREDENTIAL}:/var/lib/scoville/{CREDENTIAL}\n" in text
    assert f"--credential ${{CREDENTIALS_DIRECTORY}}/{CREDENTIAL} " in text


def test_users_and_folders_of_the_units_are_made() -> None:
    users = {line.split()[1] for line in (UNITS / "sysusers.conf").read_text().splitlines() if line.startswith("u ")}
    named = {user for path in SERVICES for user in re.findall(r"^User=(\S+)$", path.read_text(), re.MULTILINE)}
    assert named == users
    folders = {line.split()[1] for line in (UNITS / "tmpfiles.conf").read_text().splitlines() if line.startswith("d ")}
    backup = (UNITS / "scoville-backup.service").read_text()
    assert {"/etc/scoville", "/run/scoville", "/var/backups/scoville"} == folders
    assert "/var/backups/scoville" in backup
