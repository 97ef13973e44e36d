"""Events of doors: what they report to their logs. docs/events.md is generated from this module."""

from typing import Annotated

from msgspec import Meta

from scoville_runtime.clock import Clock
from scoville_runtime.events import Address, Event, Events, Priority

Mode = Annotated[str, Meta(description="`screens`, or `lines` for the line mode")]


class DoorReady(Event, frozen=True, kw_only=True, tag="door_ready"):
    """The door is open."""

    priority = Priority.NOTICE
    listens: Annotated[str, Meta(description="port, or address of the page")]
    key: Annotated[str, Meta(description="fingerprint of the host key of an SSH door")] = ""


class DoorStop(Event, frozen=True, kw_only=True, tag="door_stop"):
    """The door has closed."""

    priority = Priority.NOTICE
    seconds: Annotated[float, Meta(description="seconds since it was opened")]


class DoorCertificateRenewal(Event, frozen=True, kw_only=True, tag="door_certificate"):
    """The files of the door's certificate have changed, and new connections use them."""

    priority = Priority.NOTICE
    path: Annotated[str, Meta(description="file of the certificate")]


class DoorCertificateFault(Event, frozen=True, kw_only=True, tag="door_certificate_fault"):
    """The changed files of the door's certificate cannot be used: the former one stays in use, and ends some day."""

    priority = Priority.ERROR
    path: Annotated[str, Meta(description="file of the certificate")]
    fault: Annotated[str, Meta(description="why the new one cannot be used")]


class DoorCertificateDate(Event, frozen=True, kw_only=True, tag="door_certificate_date"):
    """The certificate in use ends soon, has ended, or is not valid yet: browsers warn of the page. Once a day."""

    priority = Priority.WARNING
    path: Annotated[str, Meta(description="file of the certificate")]
    fault: Annotated[str, Meta(description="what is wrong with its date")]


class DoorConnect(Event, frozen=True, kw_only=True, tag="door_connect"):
    """The session of a user has begun."""

    address: Address
    mode: Mode


class DoorDisconnect(Event, frozen=True, kw_only=True, tag="door_disconnect"):
    """The session of a user has ended."""

    address: Address
    mode: Mode
    reason: Annotated[
        str,
        Meta(description="`left` by the user, `lost` with the connection, `idle`, `crash`, or `closed` by the door"),
    ]
    seconds: Annotated[float, Meta(description="how long it lasted")]


class DoorRefusal(Event, frozen=True, kw_only=True, tag="door_refusal"):
    """A connection to the door was refused."""

    code: Annotated[
        str,
        Meta(
            description="`too_many` connections of an address or of all, `slow_down` for too many new ones, "
            "`no_cookie`, or `origin` for a page of another site"
        ),
    ]
    address: Address
    detail: Annotated[str, Meta(description="the origin that was named")] = ""


class DoorFlood(Event, frozen=True, kw_only=True, tag="door_flood"):
    """A session was cut because it sent too much of something."""

    priority = Priority.WARNING
    security = True
    address: Address
    detail: Annotated[str, Meta(description="of what")]


class DoorCrash(Event, frozen=True, kw_only=True, tag="door_crash"):
    """A session has crashed because of a bug; the traceback follows as a message."""

    priority = Priority.ERROR
    address: Address
    mode: Mode
    fault: Annotated[str, Meta(description="kind of the exception")]


class VisitReport:
    """Reports one session, from its begin to its end."""

    def __init__(self, events: Events, clock: Clock, address: str, mode: str) -> None:
        self._events = events
        self._clock = clock
        self._address = address
        self._mode = mode
        self._began = clock.seconds()
        self.reason = ""
        """Why it ends, once that is known."""
        events.report_event(DoorConnect(address=address, mode=mode))

    def report_crash(self, error: BaseException) -> None:
        """Report a bug."""
        self.reason = "crash"
        fault = type(error).__name__
        self._events.report_event(DoorCrash(address=self._address, mode=self._mode, fault=fault))

    def report_flood(self, detail: str) -> None:
        """Report that the session is cut."""
        self._events.report_event(DoorFlood(address=self._address, detail=detail))

    def report_end(self, *, lost: bool) -> None:
        """Report the end; a session without another reason was left, or has lost its connection."""
        reason = self.reason or ("lost" if lost else "left")
        seconds = round(self._clock.seconds() - self._began, 3)
        self._events.report_event(
            DoorDisconnect(address=self._address, mode=self._mode, reason=reason, seconds=seconds)
        )
