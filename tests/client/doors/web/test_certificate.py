"""A renewed certificate is used for new connections; a broken renewal, or half of one, changes nothing."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from scoville_client.doors.hosting.events import DoorCertificateDate, DoorCertificateFault, DoorCertificateRenewal
from scoville_client.doors.web.certificate import CHECK_SECONDS, DoorCertificate
from scoville_client.doors.web.options import WebDoorOptions
from scoville_runtime.events import Event, Events
from tests.client.doors.web.test_connections import SECRET, Browser, Sessions, door
from tests.support.clock import FakeClock
from tests.support.tls import write_certificate

DAY = 86_400.0


class Reported:
    """Collects the events."""

    def __init__(self) -> None:
        self.events = Events()
        self.found: list[Event] = []
        self.events.add_sink(self)

    def take_event(self, event: Event) -> None:
        self.found.append(event)

    def close_sink(self) -> None:
        """Write nothing."""

    @property
    def dates(self) -> list[DoorCertificateDate]:
        return [event for event in self.found if isinstance(event, DoorCertificateDate)]

    @property
    def faults(self) -> list[str]:
        """The faults in their order, with an empty text for each renewal between them."""
        kinds = (DoorCertificateRenewal, DoorCertificateFault)
        return [getattr(event, "fault", "") for event in self.found if isinstance(event, kinds)]


async def shown_certificate(port: int) -> bytes:
    """Return the certificate that a new connection is shown."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return shown


async def test_a_renewed_certificate_is_shown_and_open_pages_stay(tmp_path: Path) -> None:
    certificate, reported, sessions = DoorCertificate(*write_certificate(tmp_path)), Reported(), Sessions()
    async with (
        door(sessions, WebDoorOptions(SECRET, tls=certificate)) as served,
        Browser(served.port, scheme="https") as browser,
    ):
        await (await browser.open()).hello()
        before = await shown_certificate(served.port)
        certificate.renew_certificate(reported.events)
        assert (reported.faults, await shown_certificate(served.port)) == ([], before)
        write_certificate(tmp_path)
        certificate.renew_certificate(reported.events)
        assert reported.faults == [""]
        assert await shown_certificate(served.port) != before
        assert served.sessions == 1


@pytest.mark.parametrize(("years", "named"), [((2001, 2002), "expired on 2002"), ((2090, 2100), "from 2090")])
def test_a_certificate_of_another_time_is_not_used(tmp_path: Path, years: tuple[int, int], named: str) -> None:
    certificate, reported = DoorCertificate(*write_certificate(tmp_path)), Reported()
    former = certificate.context
    write_certificate(tmp_path, years)
    certificate.renew_certificate(reported.events)
    assert certificate.context is former
    assert len(reported.faults) == 1
    assert named in reported.faults[0]


def test_half_a_renewal_waits_for_its_other_half(tmp_path: Path) -> None:
    paths, reported = write_certificate(tmp_path), Reported()
    certificate = DoorCertificate(*paths)
    former = certificate.context
    (tmp_path / "new").mkdir()
    new = write_certificate(tmp_path / "new")
    new[0].replace(paths[0])
    certificate.renew_certificate(reported.events)
    assert certificate.context is former
    assert "MISMATCH" in reported.faults[0]
    certificate.renew_certificate(reported.events)
    assert len(reported.faults) == 1, "a fault is reported once"
    new[1].replace(paths[1])
    certificate.renew_certificate(reported.events)
    assert certificate.context is not former
    assert reported.faults[1:] == [""]


@pytest.mark.parametrize("content", [b"", b"-----BEGIN CERTIFICATE-----\nhalf"])
def test_a_broken_file_keeps_the_former_certificate(tmp_path: Path, content: bytes) -> None:
    paths, reported = write_certificate(tmp_path), Reported()
    certificate = DoorCertificate(*paths)
    former = certificate.context
    paths[0].write_bytes(content)
    certificate.renew_certificate(reported.events)
    paths[0].unlink()
    certificate.renew_certificate(reported.events)
    assert certificate.context is former
    assert len(reported.faults) == 1


def test_files_that_vanish_are_reported_once(tmp_path: Path) -> None:
    paths, reported = write_certificate(tmp_path), Reported()
    certificate = DoorCertificate(*paths)
    former = certificate.context
    kept = [path.rename(path.with_suffix(".kept")) for path in paths]
    certificate.renew_certificate(reported.events)
    assert reported.faults == [], "it may just be replaced"
    for _ in range(3):
        certificate.renew_certificate(reported.events)
    assert reported.faults == ["No such file or directory"]
    assert certificate.context is former
    for path, back in zip(kept, paths, strict=True):
        path.rename(back)
    certificate.renew_certificate(reported.events)
    assert reported.faults[1:] == [""]


def test_a_key_with_a_passphrase_asks_nobody(tmp_path: Path) -> None:
    paths, reported = write_certificate(tmp_path), Reported()
    certificate = DoorCertificate(*paths)
    former = certificate.context
    write_certificate(tmp_path)
    key = load_pem_private_key(paths[1].read_bytes(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    paths[1].write_bytes(locked)
    certificate.renew_certificate(reported.events)
    assert certificate.context is former
    assert reported.faults == ["its key has a passphrase; the door needs one without"]


async def test_the_files_are_looked_at_by_themselves(tmp_path: Path) -> None:
    clock, reported = FakeClock(), Reported()
    certificate = DoorCertificate(*write_certificate(tmp_path), clock.clock)
    following = asyncio.ensure_future(certificate.follow_files(reported.events))
    await asyncio.sleep(0)
    write_certificate(tmp_path)
    await clock.elapse(CHECK_SECONDS + 1)
    assert reported.faults == [""]
    following.cancel()


@pytest.mark.parametrize(("years", "named"), [((2001, 2002), "expired on 2002"), ((2090, 2100), "from 2090")])
async def test_a_start_with_a_certificate_of_another_time_warns(
    tmp_path: Path, years: tuple[int, int], named: str
) -> None:
    """Browsers refuse it by themselves; a door that did not open could not use the renewal."""
    clock, reported = FakeClock(), Reported()
    certificate = DoorCertificate(*write_certificate(tmp_path, years), clock.clock)
    following = asyncio.ensure_future(certificate.follow_files(reported.events))
    await asyncio.sleep(0)
    assert [named in event.fault for event in reported.dates] == [True]
    await clock.elapse(CHECK_SECONDS + 1)
    assert len(reported.dates) == 1, "once a day"
    write_certificate(tmp_path)
    await clock.elapse(CHECK_SECONDS + 1)
    assert reported.faults == [""]
    await clock.elapse(2 * DAY)
    assert len(reported.dates) == 1
    following.cancel()


async def test_a_certificate_is_reported_before_its_end_and_after(tmp_path: Path) -> None:
    clock, reported = FakeClock(), Reported()
    end = datetime.fromtimestamp(clock.clock.date_ms() / 1000, UTC) + timedelta(days=9)
    certificate = DoorCertificate(*write_certificate(tmp_path, end=end), clock.clock)
    for days, faults in ((0, 0), (3, 1), (7, 2)):
        clock.advance(days * DAY)
        certificate.check_date(reported.events)
        certificate.check_date(reported.events)
        assert len(reported.dates) == faults
    assert "expires on" in reported.dates[0].fault
    assert "has expired on" in reported.dates[1].fault


def test_a_renewal_of_another_time_replaces_one_of_another_time(tmp_path: Path) -> None:
    certificate, reported = DoorCertificate(*write_certificate(tmp_path, (2001, 2002))), Reported()
    former = certificate.context
    write_certificate(tmp_path, (2001, 2003))
    certificate.renew_certificate(reported.events)
    assert certificate.context is not former
