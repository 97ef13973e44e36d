"""Client with a lobby of fixed users and messages, for snapshots."""

from collections.abc import Callable
from contextlib import AsyncExitStack

from scoville_client.session.client import Client
from scoville_client.session.hosting import Running, WayToServer
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.lobby.lobby import LobbyScreen
from scoville_client.tui.screens.page import Page
from scoville_shared.protocol.messages import (
    AccountReply,
    DailyDeal,
    KeyInfo,
    LeaderboardEntry,
    LeaderboardReply,
    LeaderboardRequest,
    ListTournamentsReply,
    ListTournamentsRequest,
    LobbySnapshot,
    MessageInfo,
    PastGame,
    ProfileReply,
    ProfileRequest,
    Rating,
    ReadChatReply,
    ReadChatRequest,
    SessionInfo,
    ShowAccountRequest,
    ShowDailyReply,
    ShowDailyRequest,
    ShowPuzzlesReply,
    ShowPuzzlesRequest,
    UserInfo,
    WatchLobbyRequest,
)
from tests.support.client import ScriptedLink

_DAY = 86_400_000
_NOON = 20_500 * _DAY + 43_200_000
"""A noon in 2026, in milliseconds since 1970."""

LONG = "One seat is free, and the chilies are hot today. Come and sit down, we have been waiting for quite a while!"
SAID = [("Marie", "Who plays a round of Dicht dran with us?"), ("Ben", LONG), ("Anna", "I do. Wait for me.")]

PROFILE = ProfileReply(
    name="Ben",
    claimed=True,
    since_ms=_NOON - 40 * _DAY,
    begun=50,
    finished=48,
    won=17,
    median_pick_ms=6_200,
    ratings=[
        Rating(game="dicht_dran", rating=21.4, mu=28.9, sigma=2.5, game_count=40, rank=3),
        Rating(game="no_thanks", rating=4.2, mu=23.1, sigma=6.3, game_count=1),
    ],
    recent=[
        PastGame(
            table=f"t{number}",
            game="dicht_dran",
            ended_ms=_NOON - number * _DAY,
            names=["Anna", "Ben", "Marie"],
            scores=[12, 4, 30],
            places=places,
            your_seat=1,
            rated=True,
        )
        for number, places in enumerate(([2, 1, 3], [1, 3, 2], [1, 1, 3]))
    ],
)

ACCOUNT = AccountReply(
    name="Anna",
    claimed=True,
    has_password=True,
    keys=[KeyInfo(fingerprint="SHA256:MZ6QzFmtMAs5k/GJnHIcKOLyYzRkT2bQ", comment="anna@laptop", added_ms=_NOON)],
    sessions=[
        SessionInfo(
            id=each,
            client="scoville 0.1.0",
            origin=origin,
            created_ms=_NOON,
            used_ms=_NOON,
            expires_ms=_NOON,
            current=current,
        )
        for each, origin, current in (("c5c01a98", "password", True), ("7d20be11", "ssh_key", False))
    ],
)

LEADERS = [
    LeaderboardEntry(place=1, name="Marie", rating=24.1, sigma=1.9, game_count=212),
    LeaderboardEntry(place=2, name="Anna", rating=21.4, sigma=2.5, game_count=40),
    LeaderboardEntry(place=2, name="Ben", rating=21.4, sigma=3.4, game_count=22),
]


DAILY = ShowDailyReply(
    today=20_454,
    next_in_ms=30_000_000,
    deals=[
        DailyDeal(
            day=20_454,
            date="2026-01-01",
            deal="daily-2026-01-01-1",
            game="dicht_dran",
            options={},
            levels=["sensible", None, "sensible", "sensible"],
            your_seat=1,
            commitment="0" * 64,
            state="open",
            closes_in_ms=90_000_000,
        )
    ],
    streak=3,
    best_streak=12,
    free_days_left=2,
    upcoming=[],
)


PUZZLES = ShowPuzzlesReply(
    today=20_454,
    next_in_ms=30_000_000,
    daily_game="no_thanks",
    daily_state="open",
    daily_tried_count=0,
    daily_solved_count=0,
    your_rating=1_500,
    provisional=True,
    attempt_count=0,
    puzzle_counts=[],
)


class LobbyPlatform(Platform):
    """Begins in the lobby."""

    def make_first_page(self, start: Start) -> Page:
        return LobbyScreen()


class LobbyApp(ScovilleApp):
    """Shows the lobby, and over it what `shown` asks for."""

    def __init__(self, shown: Callable[[ScovilleApp], object], look: str) -> None:
        super().__init__(Start(), LobbyPlatform())
        self._shown = shown
        self.theme = look

    async def on_mount(self) -> None:  # type: ignore[override]
        """Fill the lobby before it is shown."""
        link = _link()
        client = self.connection.client = Client(Start(kind="join"))
        client.session.subscribe(self.connection._changes.show_later)
        await client.session.connect(link)
        client.running = Running(AsyncExitStack(), WayToServer(link), again=False)
        await self.session.lobby.watch_lobby()
        self.call_after_refresh(self._shown, self)


def _link() -> ScriptedLink:
    link = ScriptedLink()
    users = [UserInfo(name=name) for name in ("Anna", "Ben", "Marie")]
    lines = [
        MessageInfo(number=n, at_ms=_NOON + n * 60_000, channel="lobby", name=name, text=text)
        for n, (name, text) in enumerate(SAID, 1)
    ]
    link.answers |= {
        WatchLobbyRequest: LobbySnapshot(tables=[], users=users, online=3),
        ReadChatRequest: lambda asked: ReadChatReply(messages=[line for line in lines if line.number > asked.since]),
        ProfileRequest: PROFILE,
        ShowAccountRequest: ACCOUNT,
        ShowDailyRequest: DAILY,
        ShowPuzzlesRequest: PUZZLES,
        LeaderboardRequest: LeaderboardReply(leaders=LEADERS),
        ListTournamentsRequest: ListTournamentsReply(tournaments=[]),
    }
    return link
