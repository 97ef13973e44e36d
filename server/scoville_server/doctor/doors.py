"""Checks of what doors need: socket, group, credential, certificate, and packages."""

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from itertools import pairwise
from pathlib import Path
from typing import Final

from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient, may_use
from scoville_server.journal.base import JournalError
from scoville_server.journal.files.credential_file import CREDENTIAL, find_credential
from scoville_server.net.doors.unix_socket import SOCKET, SocketError, find_group, has_unix_sockets
from scoville_server.net.lan.publisher import missing

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
    except FileNotFoundError:
        pass
    except OSError as error:
        yield Finding(code="socket_unusable", text=f"The socket {path} cannot be reached: {error.strerror}.")
    try:
        group = find_group(doors.group)
    except SocketError as error:
        yield Finding(code="group_missing", text=error.message)
        return
    if group is not None and path.parent.is_dir():
        found = path.parent.stat()
        if not may_use(found, -1, frozenset({group}), _ENTER):
            mode = stat.S_IMODE(found.st_mode)
            text = f"The group {doors.group} cannot enter {path.parent} (mode {mode:04o}), which the socket is in."
            yield Finding(code="socket_unusable", text=text)
    yield from _check_credential(doors.credential_file or data / CREDENTIAL, group, doors.group)


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
    if patient.settings.announce and (sentence := missing()):
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
