"""Checks of the machine: disk, time of a synced write, ports, open files, memory, systemd."""

import errno
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from scoville_runtime.clock import Clock
from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient
from scoville_server.net.accepting import RESERVED
from scoville_server.net.interfaces import cannot_listen_text
from scoville_server.observation.metrics_settings import parse_listen
from scoville_server.observation.status import FULL_BYTES

_LOW_BYTES: Final = 1_000_000_000
_LOW_INODES: Final = 10_000
_SLOW_SECONDS: Final = 0.25
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
    free = shutil.disk_usage(folder).free
    # A node of a cluster has only its key there, so that little space is a warning.
    if free < FULL_BYTES and not patient.settings.cluster.servers:
        yield Finding(code="disk_full", text=f"The disk of {folder} has {free // 1024} KiB left.")
    elif free < _LOW_BYTES:
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
        # The fastest of a few: what else the machine does makes single ones slow, and no disk faster than it is.
        seconds = min(_time_sync(file, patient.clock) for _ in range(_SYNCS))
    except OSError:  # a full disk, which has a check of its own
        return
    finally:
        os.close(file)
    if seconds > _SLOW_SECONDS:
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
        except OSError:
            continue
        # Column 3 is the state, 0A for listening; column 9 is the inode to which the links in /proc/PID/fd lead.
        fields = [line.split() for line in lines]
        inodes |= {each[9] for each in fields if each[3] == "0A" and int(each[1].rpartition(":")[2], 16) == port}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            files = [*(process / "fd").iterdir()]
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
    except OSError:
        pass
    return min(found, default=0)


def check_unit(_: Patient) -> Iterator[Finding]:
    """Check the state of the server's unit, where there is one."""
    unit = _show_unit(_UNIT)
    if unit.get("LoadState") == "loaded" and unit.get("ActiveState") == "failed":
        yield Finding(code="unit_failed", text=f"{_UNIT} has failed ({unit.get('Result', 'unknown')}).")


def _is_active(unit: str) -> bool:
    return _show_unit(unit).get("ActiveState") == "active"


def _show_unit(unit: str) -> dict[str, str]:
    """Return properties of a unit; nothing where there is no systemd."""
    # The folder tells whether systemd runs, as sd_booted(3) does: systemctl may be installed beside another init.
    systemctl = shutil.which("systemctl")
    if systemctl is None or not Path("/run/systemd/system").is_dir():
        return {}
    wanted = "LoadState,ActiveState,Result,LimitNOFILE"
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            [systemctl, "show", unit, "--property", wanted], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
