"""Links with scripted replies, and tables to show, for tests of everything above a session."""

import asyncio
from collections.abc import Callable
from typing import Any

from scoville_client.session.changes import Change, ConnectionDown
from scoville_client.session.link import HEARTBEAT_SECONDS
from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError, Listener
from scoville_runtime.clock import Clock
from scoville_server.daily.model.calendar import DailySettings
from scoville_server.hello import describe_limits, list_features
from scoville_server.settings.model import Settings
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    PROTOCOL,
    AnyTableEvent,
    Empty,
    EventNotice,
    GameInfo,
    HelloReply,
    HelloRequest,
    JoinReply,
    JoinRequest,
    ListClubsReply,
    ListClubsRequest,
    Notice,
    Params,
    Played,
    Reply,
    SeatInfo,
    Started,
    TableInfo,
    TableSnapshot,
    WatchRequest,
)
from scoville_shared.values import Plain

TABLE = "table"
NAMES = ("Anna", "Paul", "Max")
GAME = load_game("dicht_dran")
STATE = GAME.setup(GAME.codec.decode_options({}), len(NAMES), Dice(bytes(32)))
MINE = Seat(0)

Answer = Reply | Exception | Callable[[Any], Reply]


class ScriptedLink:
    """A link that records requests, and replies from `answers`, by kind of params.

    `opened` counts how often it was opened; while `unreachable` says why, it cannot be, which is a `failure`.
    """

    server_name = "example:5757"

    def __init__(self, **_: object) -> None:
        self.asked: list[Params] = []
        self.closed = False
        self.opened = 0
        self.unreachable = ""
        self.failure: type[LinkError] = LinkError
        self.listener: Listener | None = None
        self.server_keys, self.local = ("5c" * 32,), False
        self.has_other_nodes, self.left_nodes = False, 0
        self.answers: dict[type[Params], Answer] = {
            HelloRequest: make_welcome(token="secret", games=[game_info()], resumed=True),
            JoinRequest: JoinReply(seat=MINE, info=make_info()),
            WatchRequest: make_snapshot(),
            ListClubsRequest: ListClubsReply(clubs=[]),
        }

    async def open(self, listener: Listener) -> None:
        if self.unreachable:
            raise self.failure(self.unreachable)
        self.opened += 1
        self.listener = listener

    async def call(self, params: Params) -> Reply:
        self.asked.append(params)
        answer = self.answers.get(type(params), Empty())
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else answer(params)

    async def close(self) -> None:
        self.closed = True

    def leave_node(self) -> None:
        self.left_nodes += 1

    def say(self, *notices: Notice) -> None:
        """Send a notice from the server."""
        assert self.listener is not None
        for notice in notices:
            self.listener.receive_notice(notice)

    def emit(self, *events: AnyTableEvent) -> None:
        """Send these events of the table."""
        self.say(*(EventNotice(table=TABLE, event=event, view=first_view()) for event in events))

    def fail(self, reason: str = "gone.") -> None:
        """Close the connection, as a network failure does."""
        assert self.listener is not None
        self.listener.note_loss(reason)


class Recorder:
    """Keeps the changes of a session."""

    def __init__(self, session: Session) -> None:
        self.heard: list[Change] = []
        session.subscribe(self.heard.append)

    def of(self, kind: type[Any]) -> list[Any]:
        """The changes of one kind."""
        return [change for change in self.heard if isinstance(change, kind)]


class HurriedClock:
    """Waits that take no time and have no jitter, and are recorded; no heartbeats."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    async def sleep(self, seconds: float) -> None:
        if seconds == HEARTBEAT_SECONDS:
            await asyncio.Event().wait()
        self.waited.append(seconds)
        await asyncio.sleep(0)

    @property
    def clock(self) -> Clock:
        """Give the link to a session."""
        return Clock(sleep=self.sleep, chance=lambda: 0.0)


async def connect_and_sit(link: ScriptedLink, clock: HurriedClock | None = None) -> Session:
    """Connect and sit down at the one table."""
    session = Session(clock=(clock or HurriedClock()).clock)
    await session.connect(link)
    await session.join_table(TABLE)
    return session


def game_info() -> GameInfo:
    """Dicht dran, as a server offers it."""
    info = GAME.info
    return GameInfo(
        slug=info.slug,
        title=info.title,
        seat_range=info.seats,
        official_range=info.official,
        rules_version=info.rules_version,
        options={},
    )


def make_info(status: Any = "playing") -> TableInfo:
    """The table of three."""
    seats = [SeatInfo(name=name, kind="human", connected=True) for name in NAMES]
    return TableInfo(
        table=TABLE,
        game="dicht_dran",
        rules_version=1,
        options={},
        seats=seats,
        host=0,
        status=status,
        commitment="00" * 32,
    )


def first_view(seat: Seat | None = MINE) -> Plain:
    """What a seat sees of the first deal."""
    plain: Plain = GAME.codec.encode_plain(GAME.view(STATE, seat))
    return plain


def make_snapshot(*later: AnyTableEvent, since: int = 0) -> TableSnapshot:
    """The table as it stands after the deal and some later events."""
    events = [event for event in (make_start(), *later) if event.seq > since]
    return TableSnapshot(
        info=make_info(),
        seq=1 + len(later),
        seat=MINE,
        view=first_view(),
        pending=[0, 1, 2],
        move_counts=[0, 0, 0],
        events=events,
    )


def make_start() -> Started:
    """Return event 1, which starts the game."""
    return Started(seq=1, seats=make_info().seats, nonces=[None, None, None], pending=[0, 1, 2])


def make_choice(seq: int, seat: int) -> Played:
    """A player has chosen a card."""
    return Played(
        seq=seq,
        seat=seat,
        mover="player",
        facts=[{"fact": "chosen", "seat": seat}],
        pending=[other for other in (0, 1, 2) if other != seat],
        move_counts=[int(other == seat) for other in (0, 1, 2)],
    )


def list_outage_sentences(recorder: Recorder) -> list[str]:
    """List what a session has announced about its lost connection."""
    return [change.sentence.render(()) for change in recorder.of(ConnectionDown)]


def list_requests(link: ScriptedLink, kind: type[Any]) -> list[Any]:
    """List the requests of a kind that a link was asked."""
    return [params for params in link.asked if isinstance(params, kind)]


SETTINGS = Settings(
    daily=DailySettings(enabled=False),
)


def make_welcome(name: str = "Anna", token: str = "t", games: list[GameInfo] | None = None, **more: bool) -> HelloReply:
    """The reply of a server with default settings."""
    return HelloReply(
        protocol=PROTOCOL,
        server="s",
        server_key="ab" * 32,
        name=name,
        token=token,
        games=games or [],
        features=list_features(SETTINGS),
        limits=describe_limits(SETTINGS),
        **more,
    )
