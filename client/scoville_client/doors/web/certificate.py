"""Certificate of a browser door, which follows its files: a renewal needs no restart, and open pages stay."""

import os
import ssl
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from scoville_client.doors.hosting.events import DoorCertificateRenewal
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import Events

CHECK_SECONDS: Final = 10.0
"""Seconds between two looks at the files."""

_State = tuple[tuple[int, int, int], ...]
"""What tells one version of the files from another: inode, time of change and size of each."""


class DoorCertificate:
    """The certificate for new connections; those that are open keep the one with which they began.

    Attributes:
        context: TLS with the newest certificate that can be used.
    """

    def __init__(self, certificate: Path, key: Path | None = None, clock: Clock = SYSTEM) -> None:
        """Load the certificate; `key` is the file of its private key, None for the same one.

        Raises OSError and ssl.SSLError.
        """
        self._certificate, self._key = certificate, key
        self._clock = clock
        self._seen = self._files_now()
        self.context = self._load_files()

    async def follow_files(self, events: Events) -> None:
        """Look at the files again and again, until cancelled."""
        while True:
            await self._clock.sleep(CHECK_SECONDS)
            self.renew_certificate(events)

    def renew_certificate(self, events: Events) -> None:
        """Use the files if they have changed; one that cannot be used leaves the former certificate in use.

        Half a renewal, such as a key that does not belong to the certificate, is tried again when a file changes.
        """
        with suppress(OSError):  # a file that is being replaced: it is looked at again
            now = self._files_now()
            if now == self._seen:
                return
            self._seen = now
            try:
                context = self._load_files()
            except (OSError, ssl.SSLError, ValueError) as error:
                events.report_event(DoorCertificateRenewal(path=str(self._certificate), fault=_fault_text(error)))
            else:
                self.context = context
                events.report_event(DoorCertificateRenewal(path=str(self._certificate)))

    def _load_files(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # Without an answer OpenSSL asks for the passphrase of a locked key at the terminal, and every page waits.
        context.load_cert_chain(self._certificate, self._key, password=_refuse_passphrase)
        _check_date(self._certificate, self._clock.date_ms() / 1000)
        return context

    def _files_now(self) -> _State:
        files = [self._certificate] if self._key is None else [self._certificate, self._key]
        return tuple((found.st_ino, found.st_mtime_ns, found.st_size) for found in map(os.stat, files))


def _refuse_passphrase() -> str:
    raise ValueError("its key has a passphrase; the door needs one without")


def _check_date(certificate: Path, now: float) -> None:
    """Refuse a certificate that browsers would refuse by its date. Raises ValueError, OSError."""
    from cryptography import x509

    found = x509.load_pem_x509_certificates(certificate.read_bytes())[0]
    if now > found.not_valid_after_utc.timestamp():
        raise ValueError(f"it has expired on {_format_date(found.not_valid_after_utc)}")
    if now < found.not_valid_before_utc.timestamp():
        raise ValueError(f"it is valid from {_format_date(found.not_valid_before_utc)} only")


def _format_date(date: datetime) -> str:
    return date.strftime("%Y-%m-%d %H:%M UTC")


def _fault_text(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return error.reason or str(error)
    return getattr(error, "strerror", None) or str(error)
