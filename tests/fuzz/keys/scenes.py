"""Starting points of a run: the start screen, practice, guided rounds, a server, a hosted server, kept games."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.session.client import Client
from scoville_client.session.my_games import Decisions, Mistake, users_games
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ReplayPlatform, ScovilleApp
from scoville_client.tui.platform import Platform
from scoville_runtime.clock import Clock
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.replay import Opening
from tests.server.daily.machine import answer_at_once
from tests.support.exports import NAMES, SHORT, lines_of, play_exported_game
from tests.support.idle import eventually
from tests.support.live_server import LiveServer
from tests.support.screens import start_as
from tests.support.server import core_of

GAMES: Mapping[str, dict[str, Any]] = MappingProxyType(
    {"dicht_dran": {"cycles": 1, "take_back": True}, "no_thanks": {}, "chilli_chase": {}}
)
_PACES = (0.0, 1.3, 3600.0)
_PASSWORD = "seven habaneros"
_FRIDAY: Mapping[str, Any] = MappingProxyType(
    {"name": "Friday", "game": "no_thanks", "seat_count": 3, "starts_in_ms": 3_600_000, "round_count": 2}
)
_FORMATS = ("swiss", "knockout", "duplicate")
_MOST_MOVES = 200
"""Moves of the daily deal that a user makes before a scene; a longer one is left as it is then."""
_KEPT_GAMES = 5


class Scene:
    """The start of a course: a `live_server` at `port`, and a `folder` for hosted tables.

    `first_keys` are typed once the client is open; the user's data folder is one of the course's own.
    """

    def __init__(self, chance: Random, live_server: LiveServer, port: int, folder: Path, clock: Clock) -> None:
        self._clock = clock
        self._chance = chance
        self._town = live_server
        self._port = port
        self._folder = folder
        self._plain_text = False
        self.first_keys = ""

    async def app(self) -> ScovilleApp:
        """Choose one, and make the client for it."""
        kinds: list[Callable[[], Awaitable[ScovilleApp]]] = [
            self._menu,
            self._practice,
            self._practice,
            self._guided_rounds,
            self._lobby,
            self._lobby,
            self._evening,
            self._evening,
            self._table,
            self._spectate,
            self._host,
            self._replay,
            self._my_games,
            self._puzzles,
            self._settings,
            self._daily_results,
            self._last_moves,
        ]
        return await self._chance.choice(kinds)()

    async def app_of_a_server(self) -> ScovilleApp:
        """Connect to the server of another process, without encryption, since its messages are changed."""
        self._plain_text = True
        return await self._chance.choice([self._lobby, self._table, self._spectate])()

    def _coming(self, name: str) -> Start:
        return replace(start_as(self._port, name), plain_text=self._plain_text)

    def _open(self, start: Start) -> ScovilleApp:
        return ScovilleApp(start, pace=self._chance.choice(_PACES), clock=self._clock)

    async def _menu(self) -> ScovilleApp:
        return self._open(Start())

    async def _practice(self) -> ScovilleApp:
        game = self._chance.choice([*GAMES])
        players = self._chance.choice((None, 3))
        return self._open(Start(kind="practice", name="Anna", game=game, players=players, options=GAMES[game]))

    async def _guided_rounds(self) -> ScovilleApp:
        return self._open(Start(kind="tutorial", name="Anna", game=self._chance.choice([*GAMES])))

    async def _lobby(self) -> ScovilleApp:
        return self._open(self._coming(self._chance.choice(("Paul", "Marie", "Zoe", ""))))

    async def _evening(self) -> ScovilleApp:
        """A lobby of Marie's club and tournaments, for a user who may enter them."""
        marie, name = self._town.marie, self._chance.choice(("Paul", "Marie", "Zoe"))
        for prepare in (
            lambda: marie.account.claim_name(_PASSWORD),
            lambda: marie.clubs.create_club("Peppers"),
            lambda: marie.tournaments.call_tournament({**_FRIDAY, "format": self._chance.choice(_FORMATS)}),
        ):
            with suppress(ScovilleError):
                await prepare()
        for club in await marie.clubs.list_clubs():
            with suppress(ScovilleError):
                await marie.clubs.invite_user(club.club, name)
        return self._open(self._coming(name))

    async def _table(self) -> ScovilleApp:
        """A table of Marie's, to join or to watch."""
        game = self._chance.choice([*GAMES])
        await sit_down(self._town.marie, game, start=self._chance.random() < 0.4)
        return self._open(self._coming("Paul"))

    async def _spectate(self) -> ScovilleApp:
        """A table of Marie's with its code, to watch as a guest, also on a television."""
        await sit_down(self._town.marie, self._chance.choice([*GAMES]), start=self._chance.random() < 0.7)
        table = self._town.marie.table
        watching = replace(self._coming(""), watching=True, big=self._chance.random() < 0.5)
        return self._open(replace(watching, code=table.info.code if table and self._chance.random() < 0.7 else ""))

    async def _host(self) -> ScovilleApp:
        folder = self._folder / str(self._chance.randrange(3))
        game = self._chance.choice([*GAMES])
        return self._open(Start(kind="host", host="127.0.0.1", port=0, name="Anna", data=folder, game=game, players=3))

    async def _replay(self) -> ScovilleApp:
        reel = Reel(play_exported_game(self._chance.choice([*SHORT])))
        pace = self._chance.choice(_PACES)
        return ScovilleApp(Start(), ReplayPlatform(Playback(reel, None), pace), pace=pace)

    async def _my_games(self) -> ScovilleApp:
        """Games of this computer with what reviews said of them, and other files of the working folder."""
        games = users_games()
        for _ in range(self._chance.randint(1, _KEPT_GAMES)):
            slug, table = self._chance.choice([*SHORT]), f"{self._chance.randrange(1 << 32):012x}"
            seat, game = Seat(self._chance.randrange(len(NAMES))), play_exported_game(slug)
            games.keep_game(lines_of(replace(game, header=replace(game.header, table=table))), slug, table, seat)
        for played in games.list_games():
            if self._chance.random() < 0.5:
                mistakes = [Mistake(self._chance.randint(1, 40), "mistake", 0.2) for _ in range(2)]
                games.write_decisions(played.path, Decisions(made=9, loss=0.5, mistakes=mistakes))
        self.first_keys = "w"
        return self._open(Start())

    async def _puzzles(self) -> ScovilleApp:
        self.first_keys = "z"
        return self._open(Start())

    async def _settings(self) -> ScovilleApp:
        self.first_keys = "N"
        return self._open(self._coming("Paul")) if self._chance.random() < 0.5 else self._open(Start())

    async def _daily_results(self) -> ScovilleApp:
        """The daily deal after Marie and the user have played it, before its traveller."""
        core_of(self._town.server).thinking_pool.insist_on_work = answer_at_once  # type: ignore[method-assign]
        await _play_daily(self._town.marie, self._chance)
        client = Client(self._coming("Paul"), self._clock)
        await client.open()
        await _play_daily(client.session, self._chance)
        self.first_keys = self._chance.choice(("t", "t\r", "T"))
        platform = Platform()
        platform.opened_client = client
        return ScovilleApp(client.start, platform, pace=self._chance.choice(_PACES), clock=self._clock)

    async def _last_moves(self) -> ScovilleApp:
        """A game of practice shortly before its end: after it the game is saved, shared, reviewed, watched."""
        game = play_exported_game(self._chance.choice([*SHORT]))
        moves = len(game.moves) - self._chance.randint(1, 4)
        opening = Opening(game, moves, game.moves[moves].seat)
        return self._open(Start(kind="practice", name="Anna", game=game.header.game, opening=opening))


async def _play_daily(session: Session, chance: Random) -> None:
    """Play today's deal by random moves, and leave its table."""
    with suppress(ScovilleError):
        await session.daily.play_deal()
        for _ in range(_MOST_MOVES):
            await eventually(lambda: _must_move(session) or _is_over(session))
            if session.table is None or _is_over(session):
                break
            await session.play_move(chance.choice([*session.table.legal_moves()]))
        await session.leave_table()


def _must_move(session: Session) -> bool:
    return session.table is not None and session.table.my_turn


def _is_over(session: Session) -> bool:
    return session.table is None or session.table.info.status == "finished"


async def sit_down(marie: Session, game: str, *, start: bool) -> None:
    """Let Marie open and join a table of three, and ignore refusals."""
    try:
        if marie.table is not None:
            await marie.leave_table()
        table = await marie.lobby.create_table(game, 3, GAMES[game])
        await marie.join_table(table.table)
        if start:
            await marie.table_actions.start_game()
    except ScovilleError:
        return
