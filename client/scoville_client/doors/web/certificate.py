"""Certificate of a browser door, which follows its files: a renewal needs no restart, and open pages stay."""

import os
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from scoville_client.doors.hosting.events import DoorCertificateDate, DoorCertificateFault, DoorCertificateRenewal
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import Events

CHECK_SECONDS: Final = 10.0
"""Seconds between two looks at the files."""

_MISSED_LOOKS: Final = 2
"""Looks at files that are not there after which they are reported."""
_SOON: Final = timedelta(days=7)
"""Time before the end of a certificate from which on it is reported: it should have been renewed long before."""
_WARNING_SECONDS: Final = 86_400.0
_State = tuple[tuple[int, int, int], ...]
"""Marks that tell one version of the files from another: inode, time of change and size of each."""


class DoorCertificate:
    """The certificate for new connections; those that are open keep the one with which they began.

    Attributes:
        context: TLS with the newest certificate that can be used.
    """

    def __init__(self, certificate: Path, key: Path | None = None, clock: Clock = SYSTEM) -> None:
        """Load the certificate; `key` is the file of its private key, None for the same one.

        One whose date does not fit is used nevertheless, with an event: browsers refuse it by themselves, the clock of
        the machine may be the one that is wrong, and a renewal is used as soon as it comes, also after a restart that
        came first.

        Raises OSError and ssl.SSLError, and ValueError for a file that is no certificate.
        """
        self._certificate, self._key = certificate, key
        self._clock = clock
        self._seen = self._files_now()
        self._missed = 0
        self._warned_at = float("-inf")
        self.context, self._validity = self._load_files()

    async def follow_files(self, events: Events) -> None:
        """Check the files for changes repeatedly, until cancelled."""
        while True:
            self.check_date(events)
            await self._clock.sleep(CHECK_SECONDS)
            self.renew_certificate(events)

    def check_date(self, events: Events) -> None:
        """Report a certificate that is not valid, or soon will be no more, once a day."""
        fault = self._validity.find_fault(self._read_date(), soon=True)
        if fault and self._clock.seconds() - self._warned_at >= _WARNING_SECONDS:
            self._warned_at = self._clock.seconds()
            events.report_event(DoorCertificateDate(path=str(self._certificate), fault=fault))

    def renew_certificate(self, events: Events) -> None:
        """Use the files if they have changed; one that cannot be used leaves the former certificate in use.

        Half a renewal, such as a key that does not belong to the certificate, is tried again when a file changes.
        """
        try:
            now = self._files_now()
        except OSError as error:
            self._missed += 1
            if self._missed == _MISSED_LOOKS:  # no file that was just being replaced
                self._seen = ()
                self._report_fault(events, error)
            return
        self._missed = 0
        if now == self._seen:
            return
        self._seen = now
        try:
            context, validity = self._load_files()
            fault = validity.find_fault(self._read_date())
            if fault and not self._validity.find_fault(self._read_date()):
                raise ValueError(fault)
        except (OSError, ssl.SSLError, ValueError) as error:
            self._report_fault(events, error)
        else:
            self.context, self._validity, self._warned_at = context, validity, float("-inf")
            events.report_event(DoorCertificateRenewal(path=str(self._certificate)))

    def _report_fault(self, events: Events, error: Exception) -> None:
        events.report_event(DoorCertificateFault(path=str(self._certificate), fault=_fault_text(error)))

    def _load_files(self) -> "tuple[ssl.SSLContext, _Validity]":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        # Without an answer OpenSSL asks for the passphrase of a locked key at the terminal, and every page waits.
        context.load_cert_chain(self._certificate, self._key, password=_refuse_passphrase)
        return context, _read_validity(self._certificate)

    def _read_date(self) -> datetime:
        return datetime.fromtimestamp(self._clock.date_ms() / 1000, UTC)

    def _files_now(self) -> _State:
        files = [self._certificate] if self._key is None else [self._certificate, self._key]
        return tuple((found.st_ino, found.st_mtime_ns, found.st_size) for found in map(os.stat, files))


def _refuse_passphrase() -> str:
    raise ValueError("its key has a passphrase; the door needs one without")


class _Validity(NamedTuple):
    """The time from which on a certificate is valid, and its end."""

    begin: datetime
    end: datetime

    def find_fault(self, now: datetime, *, soon: bool = False) -> str:
        """Return the browsers' objection to the date, with `soon` also in the last days; else an empty text."""
        if now > self.end:
            return f"it has expired on {_format_date(self.end)}"
        if now < self.begin:
            return f"it is valid from {_format_date(self.begin)} only"
        return f"it expires on {_format_date(self.end)}" if soon and self.end - now < _SOON else ""


def _read_validity(certificate: Path) -> _Validity:
    """Read when a certificate is valid. Raises ValueError, OSError."""
    from cryptography import x509

    found = x509.load_pem_x509_certificates(certificate.read_bytes())[0]
    return _Validity(found.not_valid_before_utc, found.not_valid_after_utc)


def _format_date(date: datetime) -> str:
    return date.strftime("%Y-%m-%d %H:%M UTC")


def _fault_text(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return error.reason or str(error)
    return getattr(error, "strerror", None) or str(error)
