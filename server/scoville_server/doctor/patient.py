"""The patient: everything that the checks of the doctor look at, read once."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.control_client import ControlClient
from scoville_server.journal.files.lock import is_folder_in_use
from scoville_server.settings.faults import SettingFault
from scoville_server.settings.model import Settings
from scoville_shared.errors import ScovilleError


class Owner(NamedTuple):
    """The user of the server, by whom the data folder is owned."""

    uid: int
    gid: int
    groups: frozenset[int]
    name: str


class Patient(NamedTuple):
    """The server under examination.

    Attributes:
        settings: The settings of the server.
        faults: Their faults, and values without effect.
        owner: The server's user; None where the system has no such users, or there is no folder.
        running: Whether a server has the folder.
        status: The running server's own report; None if it does not answer, or not this user.
        networks: Its networks with most connections.
        certificate: The certificate of the web door, if the host names one.
        clock: The time.
        file: The settings file.
        texts: The files that the settings name.
        data_given: Whether the host has named the data folder, and not the settings.
    """

    settings: Settings
    faults: Sequence[SettingFault]
    owner: Owner | None
    running: bool
    status: Mapping[str, Any] | None
    networks: Sequence[Mapping[str, Any]]
    certificate: Path | None
    clock: Clock
    file: Path | None = None
    texts: Sequence[Path] = ()
    data_given: bool = False

    @property
    def folder(self) -> Path | None:
        """The data folder, if it is there and can be entered."""
        data = self.settings.data
        return data if data is not None and os.access(data, os.R_OK | os.X_OK) else None


def meet_patient(
    settings: Settings, faults: Sequence[SettingFault], certificate: Path | None = None, clock: Clock = SYSTEM
) -> Patient:
    """Read everything that the checks need. Nothing is changed, and no guest is made."""
    data = settings.data
    running = data is not None and is_folder_in_use(data)
    status, networks = None, ()
    if running and data is not None:
        client = ControlClient(data)
        try:
            status = client.send_command("status")
            networks = client.send_command("networks")["networks"]
        # A server that starts or ends answers nothing: then its files alone are looked at.
        except ScovilleError:
            pass
        finally:
            client.close()
    return Patient(settings, faults, find_owner(data), running, status, networks, certificate, clock)


def find_owner(data: Path | None) -> Owner | None:
    """Return the owner of a folder."""
    if data is None or os.name == "nt":
        return None
    import pwd  # not on Windows

    try:
        found = data.stat()
    except OSError:
        return None
    try:
        user = pwd.getpwuid(found.st_uid)
    except KeyError:  # a container's number without a name
        return Owner(found.st_uid, found.st_gid, frozenset({found.st_gid}), str(found.st_uid))
    groups = frozenset(os.getgrouplist(user.pw_name, user.pw_gid))
    return Owner(found.st_uid, found.st_gid, groups, user.pw_name)


def may_use(found: os.stat_result, uid: int, groups: frozenset[int], bits: int) -> bool:
    """Whether a user has some rights to a file (r 4, w 2, x 1)."""
    if uid == 0:
        return True
    shift = 6 if found.st_uid == uid else 3 if found.st_gid in groups else 0
    return (found.st_mode >> shift) & bits == bits
