"""The examination by all checks, and those of doors, machine, settings and games.

`permissions` and `storage` have the others.
"""

import errno
import os
import re
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from scoville_outside import guard
from scoville_runtime.clock import Clock
from scoville_server.doctor import permissions, storage
from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient, may_use, meet_patient
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.credential_file import CREDENTIAL, find_credential
from scoville_server.net.accepting import RESERVED
from scoville_server.net.doors.unix_socket import SOCKET, SocketError, find_group, find_outsider, has_unix_sockets
from scoville_server.net.interfaces import cannot_listen_text
from scoville_server.net.lan.publisher import find_missing
from scoville_server.observation.metrics_settings import parse_listen
from scoville_server.observation.process import SLOW_SYNC_SECONDS, is_nearly_full
from scoville_server.observation.status import FULL_BYTES
from scoville_server.settings.games import allowed_slugs
from scoville_server.settings.model import Settings
from scoville_server.tables.stopped_games import list_hung

# --- doors ------------------------------------------------------------------------------------------

_SOON_DAYS: Final = 14
"""Days before the end of a certificate from which on its renewal is late: it is due after two thirds of its time."""
_CROWD: Final = 10
"""Users of one private address who are hardly one household."""
_CROWD_SHARE: Final = 0.5
_ENTER: Final = 1
_UNITS: Final = Path("/etc/systemd/system/multi-user.target.wants")


def check_doors(patient: Patient) -> Iterator[Finding]:
    """Check the socket and the credential of doors."""
    doors, data = patient.settings.doors, patient.settings.data
    if not doors.enabled or data is None or not has_unix_sockets():
        return
    path = doors.socket or data / SOCKET
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISSOCK(mode):
            yield Finding(code="socket_unusable", text=f"{path} exists and is no socket.")
    # The server makes it at its start.
    except FileNotFoundError:
        pass
    except OSError as error:
        yield Finding(code="socket_unusable", text=f"The socket {path} cannot be reached: {error.strerror}.")
    try:
        group = find_group(doors.group)
    except SocketError as error:
        yield Finding(code="group_missing", text=error.message)
        return
    credential = doors.credential_file or data / CREDENTIAL
    if group is not None and (user := find_outsider(data, group, (path, credential))):
        text = f"The server's user {user} is not a member of the group {doors.group}, and cannot give it the socket."
        yield Finding(code="group_foreign", text=text)
    if group is not None and path.parent.is_dir():
        found = path.parent.stat()
        if not may_use(found, -1, frozenset({group}), _ENTER):
            mode = stat.S_IMODE(found.st_mode)
            text = f"The group {doors.group} cannot enter {path.parent} (mode {mode:04o}), which the socket is in."
            yield Finding(code="socket_unusable", text=text)
    yield from _check_credential(credential, group, doors.group)


def _check_credential(path: Path, group: int | None, name: str) -> Iterator[Finding]:
    try:
        found = path.stat()
    except OSError:  # not made yet; and a folder that cannot be entered has a check of its own
        return
    mode = stat.S_IMODE(found.st_mode)
    wanted = 0o600 if group is None else 0o640
    if mode & ~wanted & (stat.S_IRWXG | stat.S_IRWXO):
        yield Finding(
            code="credential_open",
            text=f"The door credential {path} has the mode {mode:04o}.",
            fix=partial(os.chmod, path, mode & wanted | 0o600),
        )
    if group is not None and (found.st_gid != group or not mode & stat.S_IRGRP):

        def share() -> None:
            os.chown(path, -1, group)
            path.chmod(wanted)

        yield Finding(
            code="credential_unreadable",
            text=f"The group {name} cannot read the door credential {path}.",
            fix=share,
        )
    try:
        find_credential(path)
    except JournalError as error:
        if not isinstance(error.__cause__, OSError):
            yield Finding(code="credential_damaged", text=error.message)


def check_certificate(patient: Patient) -> Iterator[Finding]:
    """Check how long the certificate of the web door holds."""
    path = patient.certificate or _certificate_of_unit()
    if path is None:
        return
    from cryptography import x509

    try:
        certificate = x509.load_pem_x509_certificate(path.read_bytes())
    except OSError as error:
        yield Finding(code="certificate_unusable", text=f"{path} cannot be read: {error.strerror}.")
        return
    except ValueError:
        yield Finding(code="certificate_unusable", text=f"{path} is no certificate.")
        return
    now = datetime.fromtimestamp(patient.clock.date_ms() / 1000, UTC)
    days = (certificate.not_valid_after_utc - now).days
    if certificate.not_valid_before_utc > now:
        text = f"The certificate {path} is not valid before {certificate.not_valid_before_utc:%Y-%m-%d}."
        yield Finding(code="certificate_ends", text=text)
    elif days < 0:
        yield Finding(code="certificate_ends", text=f"The certificate {path} has expired {-days} days ago.")
    elif days < _SOON_DAYS:
        yield Finding(code="certificate_ends", text=f"The certificate {path} expires in {days} days.")


def _certificate_of_unit() -> Path | None:
    """Return the certificate that the unit of the web door names."""
    try:
        text = (_UNITS / "scoville-web.service").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    # A unit may continue its command on the next line; each word by the one before gives options their values.
    words = text.replace("\\\n", " ").split()
    following = dict(pairwise(words))
    return Path(following["--cert"]) if "--cert" in following else None


def check_extras(patient: Patient) -> Iterator[Finding]:
    """Check that the packages are installed that settings and units need."""
    if patient.settings.announce and (sentence := find_missing()):
        yield Finding(code="extra_missing", text=f"announce is set. {sentence}")
    # The doors of the units run from the same environment.
    for unit, package, extra in (("scoville-ssh", "asyncssh", "ssh"), ("scoville-web", "aiohttp", "web")):
        if (_UNITS / f"{unit}.service").exists() and find_spec(package) is None:
            text = f"The unit {unit}.service is enabled, but {package} (extra {extra}) is not installed."
            yield Finding(code="extra_missing", text=text)


def check_proxy(patient: Patient) -> Iterator[Finding]:
    """Check for many users who come from one private address: probably all come through a proxy."""
    if patient.settings.proxies:
        return
    for row in patient.networks:
        if row["users"] >= _CROWD and row["share"] >= _CROWD_SHARE and _is_private(row["network"]):
            text = f"{row['users']} users have the address {row['network']}, and proxies is empty."
            yield Finding(code="proxy_hides_users", text=text)


def _is_private(network: str) -> bool:
    try:
        found = ip_network(network, strict=False)
    except ValueError:
        return False
    address = ip_address(found.network_address)
    return address.is_private or address.is_loopback or address.is_link_local


# --- the machine ------------------------------------------------------------------------------------

_LOW_INODES: Final = 10_000
_SYNCS: Final = 5
_MEMORY_SHARE: Final = 0.9
"""Share of the machine's memory that the server may be allowed: the system needs some."""
_MIB: Final = 1_048_576
_UNIT: Final = "scoville-server.service"
_SOCKET_UNIT: Final = "scoville-server.socket"


def check_disk(patient: Patient) -> Iterator[Finding]:
    """Check the free space and the inodes of the data folder's disk."""
    folder = patient.folder
    if folder is None:
        return
    total, _, free = shutil.disk_usage(folder)
    # A node of a cluster has only its key there, so that little space is a warning.
    if free < FULL_BYTES and not patient.settings.cluster.servers:
        yield Finding(code="disk_full", text=f"The disk of {folder} has {free // 1024} KiB left.")
    elif is_nearly_full(free, total):
        yield Finding(code="disk_low", text=f"The disk of {folder} has {free // _MIB} MiB left.")
    if hasattr(os, "statvfs"):
        found = os.statvfs(folder)
        # Some file systems make inodes as needed, and say that they have none.
        if found.f_files and found.f_favail < min(_LOW_INODES, found.f_files // 20):
            yield Finding(code="inodes_low", text=f"The disk of {folder} has room for {found.f_favail} more files.")


def check_sync(patient: Patient) -> Iterator[Finding]:
    """Measure a synced write to a file that never gets a name."""
    folder, without_name = patient.folder, getattr(os, "O_TMPFILE", None)
    if folder is None or without_name is None or not os.access(folder, os.W_OK):
        return
    try:
        file = os.open(folder, os.O_RDWR | without_name, 0o600)
    except OSError:  # a file system without such files
        return
    try:
        # The fastest of a few: other work of the machine makes single ones slow, and no disk faster than it is.
        seconds = min(_time_sync(file, patient.clock) for _ in range(_SYNCS))
    except OSError:  # a full disk, which has a check of its own
        return
    finally:
        os.close(file)
    if seconds > SLOW_SYNC_SECONDS:
        text = f"A synced write to {folder} takes {1000 * seconds:.0f} ms at best, and each move waits for one."
        yield Finding(code="slow_sync", text=text)


def _time_sync(file: int, clock: Clock) -> float:
    began = clock.seconds()
    os.write(file, bytes(4096))
    os.fsync(file)
    return clock.seconds() - began


def check_ports(patient: Patient) -> Iterator[Finding]:
    """Check that the ports of a stopped server are free."""
    settings = patient.settings
    if patient.running or _is_active(_SOCKET_UNIT):
        return
    if settings.port:
        yield from _check_port(settings.host, settings.port)
    if settings.metrics.listen:
        try:
            host, port = parse_listen(settings.metrics.listen)
        except ValueError:  # a fault of the settings
            return
        yield from _check_port(host, port)


def _check_port(host: str, port: int) -> Iterator[Finding]:
    if not port:
        return
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, ValueError):  # a fault of the settings
        return
    for family, _, _, _, address in found:
        try:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
                probe.listen()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                holder = _find_holder(port)
                by = f" It is {holder}." if holder else ""
                yield Finding(code="port_busy", text=f"{cannot_listen_text(host, port, error)}{by}")
                return


def _find_holder(port: int) -> str:
    """Name the program that listens on a port; empty where the system does not tell this user."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
        # A kernel without one of the two protocols.
        except OSError:
            continue
        # Column 3 is the state, 0A for listening; column 9 is the inode to which the links in /proc/PID/fd lead.
        fields = [line.split() for line in lines]
        inodes |= {each[9] for each in fields if each[3] == "0A" and int(each[1].rpartition(":")[2], 16) == port}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            files = [*(process / "fd").iterdir()]
        # It has ended meanwhile, or belongs to another user.
        except OSError:
            continue
        for file in files:
            # Each alone: one that the process closes at this moment says nothing of its others.
            with suppress(OSError):
                if str(file.readlink()).removeprefix("socket:[").removesuffix("]") in inodes:
                    return f"{(process / 'comm').read_text().strip()} (process {process.name})"
    return ""


def check_open_files(patient: Patient) -> Iterator[Finding]:
    """Compare the limit of open files with the connections that the settings allow."""
    wanted = patient.settings.connections.total + RESERVED
    if patient.status is not None:
        limit, whose = int(patient.status["process"]["open_files_limit"]), "The running server"
    elif (of_unit := _show_unit(_UNIT).get("LimitNOFILE", "")).isdecimal():
        limit, whose = int(of_unit), f"A server of the unit {_UNIT}"
    else:
        limit, whose = _hard_limit(), "A server that is started here"
    if 0 < limit < wanted:
        text = (
            f"{whose} may have {limit} files open, but connections.total = {patient.settings.connections.total} needs "
            f"{wanted}."
        )
        yield Finding(code="files_limit", text=text)


def _hard_limit() -> int:
    """Return the limit up to which a server raises its own; 0 for none."""
    try:
        import resource
    # Windows has no such limits.
    except ImportError:
        return 0
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return 0 if hard == resource.RLIM_INFINITY else hard


def check_memory(patient: Patient) -> Iterator[Finding]:
    """Compare the memory for which the bounds are made with that of the machine, or of its control group."""
    wanted, there = patient.settings.limits.memory_mib, _machine_mib()
    if there and wanted > _MEMORY_SHARE * there:
        text = f"limits.memory_mib is {wanted}, but this machine has {there} MiB for the server."
        yield Finding(code="memory_bound", text=text)


def _machine_mib() -> int:
    found: list[int] = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [int(line.split()[1]) // 1024 for line in lines if line.startswith("MemTotal:")]
        bound = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        if bound.isdecimal():
            found.append(int(bound) // _MIB)
    # Without control groups the machine alone is the bound.
    except OSError:
        pass
    return min(found, default=0)


def check_unit(patient: Patient) -> Iterator[Finding]:
    """Check the state of the server's unit, where there is one, and the settings that it overrides."""
    unit = _show_unit(_UNIT)
    if unit.get("LoadState") != "loaded":
        return
    if unit.get("ActiveState") == "failed":
        yield Finding(code="unit_failed", text=f"{_UNIT} has failed ({unit.get('Result', 'unknown')}).")
    # Its command by words: each word by the one before gives options their values.
    options = dict(pairwise(unit.get("ExecStart", "").split()))
    data, named = patient.settings.data, options.get("--data")
    if named == str(data):
        yield from _check_socket_unit(patient.settings, options)
    # Another file, or a folder that the host names, may be of another server.
    elif named and not patient.data_given and options.get("--config") == str(patient.file):
        text = f"{_UNIT} starts the server on {named}, and the settings name {data or 'no folder'}."
        yield Finding(code="unit_differs", text=text)


def _check_socket_unit(settings: Settings, options: Mapping[str, str]) -> Iterator[Finding]:
    """Check that the socket unit, if it is in use, opens the port of the settings."""
    unit, port = _show_unit(_SOCKET_UNIT), options.get("--port", str(settings.port))
    # An address of its own for each protocol may have the same port.
    opened = sorted({*re.findall(r":(\d+) \(Stream\)", unit.get("Listen", ""))})
    if unit.get("ActiveState") == "active" and opened and settings.port and port not in opened:
        text = f"{_SOCKET_UNIT} opens the port {', '.join(opened)}, and the settings name {port}."
        yield Finding(code="unit_differs", text=text)


def _is_active(unit: str) -> bool:
    return _show_unit(unit).get("ActiveState") == "active"


def _show_unit(unit: str) -> dict[str, str]:
    """Return properties of a unit; nothing where there is no systemd."""
    # The folder tells whether systemd runs, as sd_booted(3) does: systemctl may be installed beside another init.
    systemctl = shutil.which("systemctl")
    if systemctl is None or not Path("/run/systemd/system").is_dir():
        return {}
    wanted = "LoadState,ActiveState,Result,LimitNOFILE,ExecStart,Listen"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            [systemctl, "show", unit, "--property", wanted], capture_output=True, text=True, timeout=5, check=False
        )
    # A machine without systemd has no units.
    except (OSError, subprocess.TimeoutExpired):
        return {}
    shown = dict[str, str]()
    for name, is_there, value in (line.partition("=") for line in done.stdout.splitlines()):
        if is_there:  # a socket unit has a line for each address
            shown[name] = f"{shown[name]}\n{value}" if name in shown else value
    return shown


# --- settings and games -----------------------------------------------------------------------------


def check_settings(patient: Patient) -> Iterator[Finding]:
    """Name the faults that check-config finds, and the settings without effect."""
    # The checks of packages and of doors have these; a group that is no text is not among the settings.
    elsewhere = {"announce", *(["doors.group"] if patient.settings.doors.group else [])}
    for fault in patient.faults:
        if fault.setting not in elsewhere:
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


# --- all checks -------------------------------------------------------------------------------------


class Check(NamedTuple):
    """A check: its name, what it looks at, whether it can explain a start that fails, and what looks."""

    name: str
    about: str
    before_start: bool
    examine: Callable[[Patient], Iterator[Finding]]


CHECKS: Final = (
    Check("settings", "faults of the settings, as check-config finds them", True, check_settings),
    Check("extras", "packages that the settings and the doors' units need", True, check_extras),
    Check("packages", "games of other packages that are left out or stopped", False, check_games),
    Check(
        "permissions",
        "owners and modes of the data folder, the folders above, and the files of the settings",
        True,
        permissions.check_permissions,
    ),
    Check("disk", "free space and inodes of the disk", True, check_disk),
    Check("sync", "how long a synced write takes", False, check_sync),
    Check("ports", "whether the ports of a stopped server are free, and who has them", True, check_ports),
    Check("files", "the limit of open files against connections.total", False, check_open_files),
    Check("memory", "limits.memory_mib against the machine's memory", False, check_memory),
    Check("unit", "the state of the systemd unit, and whether it fits the settings", False, check_unit),
    Check("doors", "socket, group and credential of the doors", True, check_doors),
    Check("certificate", "how long the certificate of the web door holds", False, check_certificate),
    Check("proxy", "users who all have one private address", False, check_proxy),
    Check("storage", "journal, key, finished games, clock, restores and old copies", True, storage.check_storage),
    Check("audit", "checksums of the audit log", False, storage.check_audit),
    Check("cluster", "the engine of a cluster, and the other nodes", False, storage.check_cluster),
    Check("backup", "age of the last backup, and a restore of it into a scratch folder", False, storage.check_backup),
)


def examine_patient(patient: Patient, only: Collection[str] = ()) -> list[Finding]:
    """Run the checks, or only those with some names, and list what they find."""
    return [finding for check in CHECKS if not only or check.name in only for finding in check.examine(patient)]


def explain_failed_start(settings: Settings) -> list[Finding]:
    """List the faults that can keep a server with these settings from starting."""
    patient = meet_patient(settings, ())
    found = (finding for check in CHECKS if check.before_start for finding in check.examine(patient))
    return [finding for finding in found if finding.kind.blocks]
