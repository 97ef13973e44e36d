"""The list of all checks, and the examination by them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple

from scoville_outside import guard
from scoville_server.doctor import doors, machine, permissions, storage
from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient, meet_patient
from scoville_server.settings.games import allowed_slugs
from scoville_server.settings.model import Settings
from scoville_server.tables.stopped_games import list_hung


class Check(NamedTuple):
    """A check: its name, what it looks at, whether it can explain a start that fails, and what looks."""

    name: str
    about: str
    before_start: bool
    examine: Callable[[Patient], Iterator[Finding]]


def check_settings(patient: Patient) -> Iterator[Finding]:
    """Name the faults that check-config finds, and what has no effect any more."""
    for fault in patient.faults:
        if fault.setting != "announce":  # the check of packages has it
            yield Finding(code="setting_gone" if fault.harmless else "settings_fault", text=f"{fault}.")


def check_games(patient: Patient) -> Iterator[Finding]:
    """Name the games of other packages that are left out, and those that the running server has stopped."""
    for fault in guard.list_faults(allowed_slugs(patient.settings)):
        yield Finding(code="game_left_out", text=fault)
    hung = (
        {}
        if patient.folder is None
        else {each.game: each.describe(patient.folder) for each in list_hung(patient.folder)}
    )
    stopped: Mapping[str, str] = {**hung, **(patient.status or {}).get("stopped_games", {})}
    for game, reason in stopped.items():
        yield Finding(code="game_stopped", text=f"The game {game} is stopped: {reason}.")


CHECKS: Final = (
    Check("settings", "faults of the settings, as check-config finds them", True, check_settings),
    Check("extras", "packages that the settings and the doors' units need", True, doors.check_extras),
    Check("packages", "games of other packages that are left out or stopped", False, check_games),
    Check(
        "permissions", "owners and modes of the data folder and the folders above", True, permissions.check_permissions
    ),
    Check("disk", "free space and inodes of the disk", True, machine.check_disk),
    Check("sync", "how long a synced write takes", False, machine.check_sync),
    Check("ports", "whether the ports of a stopped server are free, and who has them", True, machine.check_ports),
    Check("files", "the limit of open files against connections.total", False, machine.check_open_files),
    Check("memory", "limits.memory_mib against the machine's memory", False, machine.check_memory),
    Check("unit", "the state of the systemd unit", False, machine.check_unit),
    Check("doors", "socket, group and credential of the doors", True, doors.check_doors),
    Check("certificate", "how long the certificate of the web door holds", False, doors.check_certificate),
    Check("proxy", "users who all have one private address", False, doors.check_proxy),
    Check("storage", "journal, key, finished games, clock, restores and old copies", True, storage.check_storage),
    Check("audit", "checksums of the audit log", False, storage.check_audit),
    Check("cluster", "the engine of a cluster, and the other nodes", False, storage.check_cluster),
    Check("backup", "age of the last backup, and a restore of it into a scratch folder", False, storage.check_backup),
)


def examine_patient(patient: Patient, only: Collection[str] = ()) -> list[Finding]:
    """Run the checks, or only those with some names, and list what they find."""
    return [finding for check in CHECKS if not only or check.name in only for finding in check.examine(patient)]


def explain_failed_start(settings: Settings) -> list[Finding]:
    """List what can keep a server with these settings from starting."""
    patient = meet_patient(settings, ())
    found = (finding for check in CHECKS if check.before_start for finding in check.examine(patient))
    return [finding for finding in found if finding.kind.blocks]
