"""The doctor's look at the machine: its units, a disk that is not mounted, and who holds a port."""

import os
import socket
from pathlib import Path

import pytest

from scoville_server.doctor import doctor
from scoville_server.doctor.patient import meet_patient
from scoville_server.doctor.permissions import check_permissions
from scoville_server.settings.model import Settings


def test_a_unit_that_names_another_port_or_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, data = tmp_path / "server.toml", tmp_path / "data"
    units = {"scoville-server.service": "", "scoville-server.socket": "[::]:5757 (Stream)\n127.0.0.1:5757 (Stream)"}

    def show(unit: str) -> dict[str, str]:
        return {"LoadState": "loaded", "ActiveState": "active", "ExecStart": units[unit], "Listen": units[unit]}

    def examine(port: int, *, given: bool = False, file: Path = config) -> list[str]:
        patient = meet_patient(Settings(data=data, port=port), ())._replace(file=file, data_given=given)
        return [f"{finding.code}: {finding.text}" for finding in doctor.check_unit(patient)]

    monkeypatch.setattr(doctor, "_show_unit", show)
    units["scoville-server.service"] = f"{{ path=/bin/s ; argv[]=/bin/s --config {config} --data {data} ; status=0/0 }}"
    assert examine(5757) == []
    [finding] = examine(5858)
    assert finding == "unit_differs: scoville-server.socket opens the port 5757, and the settings name 5858."
    units["scoville-server.service"] = f"{{ argv[]=/bin/s --config {config} --data /var/lib/scoville ; status=0/0 }}"
    [finding] = examine(5858)
    assert finding.startswith("unit_differs: scoville-server.service starts the server on /var/lib/scoville")
    # The host looks at another server than that of the unit.
    assert examine(5858, given=True) == []
    assert examine(5858, file=tmp_path / "other.toml") == []


def test_link_to_an_unmounted_disk_is_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.symlink_to(tmp_path / "disk" / "scoville")
    [finding] = check_permissions(meet_patient(Settings(data=data), ()))
    assert finding.code == "folder_unreachable"
    assert f"{tmp_path}/disk/scoville" in finding.text


def test_port_holder_is_found_while_it_closes_files(monkeypatch: pytest.MonkeyPatch) -> None:
    readlink = Path.readlink
    with socket.create_server(("127.0.0.1", 0)) as held:

        def read_or_lose(path: Path) -> Path:
            if path.name != str(held.fileno()):
                raise FileNotFoundError(path)
            return readlink(path)

        monkeypatch.setattr(Path, "readlink", read_or_lose)
        holder = doctor._find_holder(held.getsockname()[1])
    assert f"(process {os.getpid()})" in holder
