"""Events: what the server and the doors report about themselves, as typed values that sinks receive.

An event is a frozen struct. Its tag is its *kind*, which logs call `event`; its fields are documented by their types,
and docs/events.md is generated from them. Whoever has something to report calls `Events.report_event`; every *sink*
gets every event, in the order in which sinks were added, before any quota:

    events = Events(clock)
    events.add_sink(EventLog(clock))       # the log; quotas live in there
    events.add_sink(MyCounters())          # anything with `take_event(event)` and `close_sink()`
    events.report_event(GameStart(table="brave-otter", game="heap", humans=2, bots=0))

A sink that counts (metrics) therefore sees all events, also those that the log suppresses. It looks at the type:
`match event: case Refused(code=code): …`. Events are reported on the event loop's thread.

Fields are never tokens, passwords, codes, nonces, seeds or cards. Texts that users choose stand behind the address, so
that programs which read lines from their start, such as fail2ban, reach the address first.
"""

import json
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Protocol, get_type_hints

from msgspec import Meta, Struct
from msgspec.structs import asdict

from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_runtime.token_bucket import TokenBucket, forget_full
from scoville_shared.networks import networks_of

LOGGER: Final = logging.getLogger("scoville.events")
LOGGER.addHandler(logging.NullHandler())  # without a set-up of logs, as in practice, nothing reaches the terminal

Field = str | int | float | bool
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.:/\[\]*+-]+")


class Priority(IntEnum):
    """Priorities of syslog and journald; smaller numbers are more important."""

    ERROR = 3
    WARNING = 4
    NOTICE = 5
    INFO = 6
    DEBUG = 7

    @property
    def level(self) -> int:
        """The level of Python's logging."""
        return _LEVELS[self]


NOTICE_LEVEL: Final = 25
"""Python's level for `Priority.NOTICE`, which it lacks."""
logging.addLevelName(NOTICE_LEVEL, "NOTICE")
_LEVELS: Final = {
    Priority.ERROR: logging.ERROR,
    Priority.WARNING: logging.WARNING,
    Priority.NOTICE: NOTICE_LEVEL,
    Priority.INFO: logging.INFO,
    Priority.DEBUG: logging.DEBUG,
}

Code = Annotated[str, Meta(description="error code of the protocol")]
Address = Annotated[str, Meta(description="where the user comes from: `192.0.2.7:50412` or `[2001:db8::7]:50412`")]
Seconds = Annotated[float, Meta(description="seconds that it took")]


class Event(Struct, frozen=True, kw_only=True, tag_field="event", tag="event"):
    """Base of all events. A kind is a subclass with a `tag` and a docstring, and fields with a description.

    Fields that are empty texts are not written. The field `address` decides to which network's quota an event
    belongs, the field `code` distinguishes quotas of one kind.
    """

    priority: ClassVar[Priority] = Priority.INFO
    security: ClassVar[bool] = False
    """Whether bans and investigations rely on it: its quota is larger, and separate from that of all other kinds."""
    longest: ClassVar[int] = 100
    """Characters of a text that are written: more for kinds whose texts are the server's own."""


class Sink(Protocol):
    """Receives every event."""

    def take_event(self, event: Event) -> None:
        """Take an event. It runs on the event loop and must return at once."""

    def close_sink(self) -> None:
        """Write what is left: no more events come."""


class Events:
    """Passes events on to its sinks."""

    def __init__(self, *sinks: Sink) -> None:
        self._sinks = sinks

    def add_sink(self, sink: Sink) -> None:
        """Pass all further events to another sink, too."""
        self._sinks = (*self._sinks, sink)

    def report_event(self, event: Event) -> None:
        """Pass an event to every sink. Never raises: what is observed must not fail because of its observers."""
        for sink in self._sinks:
            try:
                sink.take_event(event)
            # A fault of one sink must not keep the event from the others.
            except Exception:
                logging.getLogger(__name__).exception("An event of the kind %s could not be processed", kind_of(event))

    def close_sinks(self) -> None:
        """Let every sink write its waiting events."""
        for sink in self._sinks:
            sink.close_sink()


def kind_of(event: Event | type[Event]) -> str:
    """Return the kind of an event: the name under which it is logged."""
    return str(event.__struct_config__.tag)


def fields_of(event: Event) -> dict[str, Field]:
    """Return the fields that are written, without empty texts, and long texts shortened."""
    return {
        name: value[: event.longest] if isinstance(value, str) else value
        for name, value in asdict(event).items()
        if value != ""
    }


def format_fields(fields: Mapping[str, Field]) -> str:
    """Format fields as `name=value …`. Values that are not plain are quoted and escaped, so that none forges a line."""
    return " ".join(f"{name}={_quote_value(value)}" for name, value in fields.items())


def _quote_value(value: Field) -> str:
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else json.dumps(value)


# --- the log --------------------------------------------------------------------------------------------------


class Quota(NamedTuple):
    """How many lines of one kind are written; each part is a token bucket.

    Attributes:
        network_lines: Lines of one network with one code at once.
        network_rate: How many more of these in a second.
        lines: Lines of all networks at once. Half of them are only for the first quarter of each network's lines: a
            few hundred noisy networks leave room for one that begins.
        rate: How many more of these in a second.
    """

    network_lines: float
    network_rate: float
    lines: float
    rate: float


USUAL: Final = Quota(network_lines=20, network_rate=1 / 5, lines=200, rate=2)
"""With lines of 200 bytes at most 35 MB a day for one kind, however many networks there are."""
SECURITY: Final = Quota(network_lines=20, network_rate=1 / 30, lines=3_000, rate=10)
"""Three hundred networks that guess passwords for hours get as many lines as flow back: the 3,000 stay for others."""
SUMMARY_SECONDS: Final = 8.0
"""Seconds until suppressed lines are counted in the log."""
_MOST_NETWORKS: Final = 4_096
"""Networks of one kind whose lines are counted; beyond it those that have their full quota are forgotten."""


class Suppressed(Event, frozen=True, kw_only=True, tag="suppressed"):
    """Lines that were not written because there were too many of their kind; counted at most 10 seconds later."""

    priority = Priority.NOTICE
    kind: Annotated[str, Meta(description="their kind")]
    code: Annotated[str, Meta(description="their code, if the kind has one")] = ""
    count: Annotated[int, Meta(description="how many there were")]
    networks: Annotated[int, Meta(description="from how many networks; counted up to 4,096")] = 0
    network: Annotated[str, Meta(description="the network with the most of them")] = ""


class _KindQuota:
    """The lines of one kind."""

    def __init__(self, quota: Quota, now: float) -> None:
        self._quota = quota
        self._all = TokenBucket(quota.lines, quota.rate, now)
        self._by_network: dict[tuple[str, str], TokenBucket] = {}
        self.suppressed: dict[str, Counter[str]] = {}
        """Lines that were not written, by code and network; those of networks beyond the bound are under \"\"."""

    def take_line(self, code: str, network: str, now: float) -> bool:
        """Count a line; return whether it may be written."""
        own = self._find_bucket(code, network, now) if network else None
        quota, reserve = self._quota, 0.0
        if own is not None:
            left = own.count_tokens(now)
            reserve = 0.0 if left > 0.75 * quota.network_lines else quota.lines / 2
        if (own is None or left >= 1) and self._all.count_tokens(now) >= 1 + reserve:
            self._all.take_tokens(1, now)
            if own is not None:
                own.take_tokens(1, now)
            return True
        counted = self.suppressed.setdefault(code, Counter())
        counted[network if network in counted or len(counted) < _MOST_NETWORKS else ""] += 1
        return False

    def _find_bucket(self, code: str, network: str, now: float) -> TokenBucket | None:
        """Return the bucket of a network; None if there are too many to tell them apart."""
        bucket = self._by_network.get((code, network))
        if bucket is None:
            self._by_network = forget_full(self._by_network, _MOST_NETWORKS, now)
            # None of them is idle: this one shares the quota of all.
            if len(self._by_network) >= _MOST_NETWORKS:
                return None
            bucket = TokenBucket(self._quota.network_lines, self._quota.network_rate, now)
            self._by_network[code, network] = bucket
        return bucket

    def take_summaries(self, kind: str) -> Iterator[Suppressed]:
        """Describe the events suppressed since the last call, one event for each code."""
        suppressed, self.suppressed = self.suppressed, {}
        for code, counted in suppressed.items():
            network, _ = counted.most_common(1)[0]
            named = len(counted) - ("" in counted)
            yield Suppressed(kind=kind, code=code, count=counted.total(), networks=named, network=network)


class EventLog:
    """Sink that writes events to the log `scoville.events`, as many as their quotas allow.

    There is a quota for each kind, code and network, and one for each kind, so that neither one network hides what
    others do, nor many of them fill a disk. Suppressed lines are counted, and the count is written within 10
    seconds, also by `close_sink`. An address of IPv6 counts as its /48, which one customer may own.
    """

    def __init__(self, clock: Clock = SYSTEM) -> None:
        self._clock = clock
        self._quotas: dict[str, _KindQuota] = {}
        self._alarm: Alarm | None = None

    def take_event(self, event: Event) -> None:
        """Write an event, or count it."""
        if not LOGGER.isEnabledFor(event.priority.level):
            return
        kind, now = kind_of(event), self._clock.seconds()
        quota = self._quotas.get(kind)
        if quota is None:
            quota = self._quotas[kind] = _KindQuota(SECURITY if event.security else USUAL, now)
        if quota.take_line(getattr(event, "code", ""), _network_of(event), now):
            write_event(event)
        elif self._alarm is None:
            self._alarm = self._clock.call_later(SUMMARY_SECONDS, self.write_summaries)

    def write_summaries(self) -> None:
        """Write how many lines were suppressed since the last time."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        for kind, quota in self._quotas.items():
            for summary in quota.take_summaries(kind):
                write_event(summary)

    close_sink = write_summaries


def write_event(event: Event) -> None:
    """Write one event to the log at once, without a quota."""
    level = event.priority.level
    if LOGGER.isEnabledFor(level):
        kind, fields = kind_of(event), fields_of(event)
        LOGGER.log(level, "%s", f"{kind} {format_fields(fields)}".rstrip(), extra={"event": kind, "fields": fields})


def _network_of(event: Event) -> str:
    # The widest: a customer's /48 has 65,536 networks of 64 bits.
    networks = networks_of(getattr(event, "address", ""))
    return networks[-1] if networks else ""


# --- documentation ----------------------------------------------------------------------------------------------


class FieldDoc(NamedTuple):
    """A field of an event as documented."""

    name: str
    type_name: str
    description: str


def describe_fields(kind: type[Event]) -> list[FieldDoc]:
    """List the fields of a kind of event, in the order in which they are written. Raises ValueError without a text."""
    hints = get_type_hints(kind, include_extras=True)
    return [_describe_field(kind, name, hints[name]) for name in kind.__struct_fields__]


def _describe_field(kind: type[Event], name: str, hint: Any) -> FieldDoc:
    metadata = getattr(hint, "__metadata__", ())
    texts = [each.description for each in metadata if isinstance(each, Meta) and each.description]
    if not texts:
        raise ValueError(f"{kind.__name__}.{name} has no description.")
    return FieldDoc(name, hint.__origin__.__name__, texts[-1])


def list_kinds(base: type[Event] = Event) -> list[type[Event]]:
    """List all kinds of events that are declared by now; bases, which have no tag of their own, are left out."""
    found = [kind for child in base.__subclasses__() for kind in (child, *list_kinds(child))]
    return [kind for kind in dict.fromkeys(found) if kind_of(kind) != kind_of(Event) and not is_base(kind)]


def is_base(kind: type[Event]) -> bool:
    """Whether a class of events is only there for others to derive from: it has its parent's tag."""
    return kind_of(kind) == kind_of(kind.__bases__[0])
