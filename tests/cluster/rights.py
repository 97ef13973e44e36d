"""Who may do what, whether a table, a club or a tournament is led by the user's own node or by another one.

Each scene is played twice, at a server alone and at two of them, with the user at the other node; every request of the
protocol gets the same answer at both. `python -m tests.cluster.rights` plays all scenes, in some two minutes.
"""

import asyncio
import re
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import msgspec

from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.factory import TableFactory
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import TableId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import METHOD_OF, Params
from tests.cluster.rights_requests import PARTS, PASSWORD, About, call_up, every_request
from tests.cluster.several import SETTLED, SeveralServers
from tests.support import virtual_time
from tests.support.accounts import connect_admin, connect_owner
from tests.support.server import CHEAP_HASHING, Caller, toy_shelf

KINDS: dict[str, m.TableSettingsParams] = {
    "public": m.TableSettingsParams(),
    "private": m.TableSettingsParams(private=True),
    "locked": m.TableSettingsParams(),
    "nobody": m.TableSettingsParams(spectating="nobody"),
    "rounds": m.TableSettingsParams(spectating="rounds", rounds_behind=1, spectators_talk=False),
    "commentary": m.TableSettingsParams(commentary=True),
    "ready": m.TableSettingsParams(start="ready", hostless=True),
}
"""Kinds of tables."""
STATUSES = ("waiting", "playing", "finished")
ACTORS = (
    "guest",
    "stranger",
    "invited",
    "entered",
    "spectator",
    "commentator",
    "seated",
    "host",
    "kicked",
    "left",
    "muted",
    "ignored",
    "banned_from_chat",
    "banned_from_tables",
    "member",
    "leader",
    "entrant",
    "director",
    "moderator",
    "admin",
)
"""Who asks."""
_SEATED = ("seated", "host", "muted")
HOMES = "ab"
"""Where everybody else is: `a` does what one node does for all as well."""

_GAP = 0.7
"""Seconds between two requests: by then all nodes know what has become of the first one."""
_ADMIN = "Paula"
_CLOCK = m.ClockParams(move_ms=600_000, absence_ms=None)
_TIMES = re.compile(r"(_ms|_seconds|^online)$")
_RANDOM = re.compile(r"\b\w{4}(?:-\w{4})+\b|\b[0-9a-f]{8,}\b|\b[a-z]+-[a-z]+(?:-[a-z]+)*\b|[\w+/=-]{22,}")
"""What each run draws by chance in the strings of an answer: ids, codes and tokens."""
_LOBBY = (m.LobbyChangedNotice,)
"""Notices that come when the lobby gets to it."""
_OWN = (m.AuditReply,)
"""Replies of which the kind alone is compared: in memory each node has a log of its own."""


class Scene(NamedTuple):
    """Who asks about which table, and where all others are; of what does not concern the table only a `part`."""

    status: str
    kind: str
    actor: str
    home: str
    part: int | None = None

    def __str__(self) -> str:
        return f"{self.status} {self.kind} table at {self.home}, {self.actor}"


class Cell(NamedTuple):
    """A request and what came of it."""

    request: str
    answer: str

    def write_alike(self) -> "Cell":
        """Return what is the same in all runs."""
        return Cell(_write_alike(self.request), _write_alike(self.answer))


def every_scene() -> Iterator[Scene]:
    """Yield all scenes."""
    for scene in product(STATUSES, KINDS, ACTORS, HOMES):
        if scene[2] != "commentator" or scene[1] == "commentary":
            yield Scene(*scene)


def some_scenes() -> Iterator[Scene]:
    """Yield few scenes, with each actor, each kind of table, each status and each home."""
    kinds = [*KINDS]
    for n, actor in enumerate(ACTORS):
        kind = "commentary" if actor == "commentator" else kinds[n % len(kinds)]
        yield Scene(STATUSES[n % len(STATUSES)], kind, actor, HOMES[n % len(HOMES)], n % PARTS)


class World:
    """The servers of a scene: `home` has everybody but the actor, whose server is `there`."""

    def __init__(self, home: Server, there: Server) -> None:
        self.home, self.there = home, there

    @classmethod
    async def begin_alone(cls) -> "World":
        server = Server(
            Settings(accounts=CHEAP_HASHING, admins=(_ADMIN,)),
            catalog=toy_shelf(),
            journal=MemoryJournal(),
            clock=virtual_time.make_clock(),
        )
        await server.start()
        await asyncio.sleep(SETTLED)
        return cls(server, server)

    @classmethod
    async def begin_apart(cls, home: str) -> "World":
        several = SeveralServers("ab", admins=(_ADMIN,))
        await several.start()
        there = "b" if home == "a" else "a"
        return cls(several.servers[home], several.servers[there])


class Play:
    """A scene at the servers of a world."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.world: World
        self.cells: list[Cell] = []
        self.admin: Caller
        self.anna: Caller
        self.ben: Caller
        self.cleo: Caller
        self.actor: Caller
        self.table = self.code = self.club = self.tournament = ""
        self.key: str | None = None

    async def play(self, world: World) -> list[Cell]:
        """Play the scene; returns what became of each request."""
        self.world = world
        await self._gather_users()
        await self._found_club()
        await self._open_table()
        await self._bring_actor()
        await self._bring_to_status()
        await asyncio.sleep(SETTLED)
        self._take_notices()
        about = About(
            self.table,
            self.code,
            self.key if self.scene.actor == "commentator" else None,
            self.club,
            self.tournament,
            ACTORS.index(self.scene.actor) + STATUSES.index(self.scene.status),
        )
        for params in every_request(about, self.scene.part):
            await self._ask(params)
        return self.cells

    async def _do(self, who: Caller, params: Params) -> Any:
        await asyncio.sleep(_GAP)
        return await who.call(params)

    async def _try(self, who: Caller, params: Params) -> None:
        try:
            await self._do(who, params)
        except ScovilleError as error:
            self.cells.append(Cell(f"before: {METHOD_OF[type(params)]}", error.code))

    async def _gather_users(self) -> None:
        home, actor = self.world.home, self.scene.actor
        # The actor first: rates of an address count for all who come from it.
        if actor == "guest":
            self.actor = await Caller(self.world.there).hello("Xaver")
        else:
            self.actor = await connect_owner(self.world.there, "Xaver", PASSWORD)
        await asyncio.sleep(_GAP)
        self.admin = await connect_admin(home, _ADMIN, PASSWORD)
        self.anna, self.ben, self.cleo = [await connect_owner(home, name) for name in ("Anna", "Ben", "Cleo")]

    async def _found_club(self) -> None:
        made = await self._do(self.anna, m.CreateClubRequest(name="Peppers"))
        self.club = made.info_of_club.club
        await self._do(self.anna, m.SetCallsRequest(club=self.club, calls=True))
        await self._do(self.anna, m.InviteToClubRequest(club=self.club, name="Ben"))
        await self._do(self.ben, m.AcceptClubRequest(club=self.club))
        if self.scene.actor in ("member", "leader"):
            await self._do(self.anna, m.InviteToClubRequest(club=self.club, name="Xaver"))
            await self._do(self.actor, m.AcceptClubRequest(club=self.club))
        if self.scene.actor == "leader":
            await self._do(self.anna, m.PromoteMemberRequest(club=self.club, name="Xaver"))
        director = self.actor if self.scene.actor == "director" else self.anna
        self.tournament = (await self._do(director, call_up())).tournament_info.id
        if self.scene.actor == "entrant":
            await self._do(self.actor, m.EnterTournamentRequest(tournament=self.tournament))

    async def _open_table(self) -> None:
        settings, password = KINDS[self.scene.kind], PASSWORD if self.scene.kind == "locked" else None
        made = await self._do(
            self.anna,
            m.CreateRequest(game="high_card", seat_count=3, settings=settings, clock=_CLOCK, password=password),
        )
        self.table, self.code, self.key = made.info.table, made.info.code, made.commentary_key
        await self._do(self.anna, m.JoinRequest(table=self.table))

    async def _enter(self, who: Caller) -> None:
        password = PASSWORD if self.scene.kind == "locked" else None
        await self._try(who, m.EnterRequest(code=self.code, password=password))

    async def _sit_down(self, who: Caller) -> None:
        await self._enter(who)
        await self._try(who, m.JoinRequest(table=self.table))

    async def _bring_actor(self) -> None:
        """Seat all players, and do what makes the actor what they are."""
        if self.scene.actor in (*_SEATED, "left", "kicked"):
            await self._sit_down(self.actor)
        await self._do_for_actor(
            kicked=(self.anna, m.KickRequest(table=self.table, name="Xaver")),
            left=(self.actor, m.LeaveRequest(table=self.table)),
            host=(self.anna, m.TransferHostRequest(table=self.table, seat=1)),
        )
        # A private table has another code then.
        self.code = (await self._do(self.anna, m.PollRequest(table=self.table))).info.code
        for who in (self.ben,) if self.scene.actor in _SEATED else (self.ben, self.cleo):
            await self._sit_down(who)
        if self.scene.actor in ("entered", "spectator", "commentator"):
            await self._enter(self.actor)
        await self._do_for_actor(
            spectator=(self.actor, m.WatchRequest(table=self.table)),
            commentator=(self.actor, m.WatchRequest(table=self.table, commentary_key=self.key, point_of_view=0)),
            invited=(self.anna, m.InviteRequest(table=self.table, name="Xaver")),
            muted=(self.anna, m.MuteRequest(table=self.table, name="Xaver")),
            ignored=(self.ben, m.IgnoreRequest(name="Xaver")),
            banned_from_chat=(self.admin, m.BanRequest(target="Xaver", scope="chat", reason="rude")),
            banned_from_tables=(self.admin, m.BanRequest(target="Xaver", scope="tables", reason="rude")),
            moderator=(self.admin, m.AppointModeratorRequest(name="Xaver")),
            admin=(self.admin, m.AppointRequest(name="Xaver")),
        )

    async def _do_for_actor(self, **acts: tuple[Caller, Params]) -> None:
        act = acts.get(self.scene.actor)
        if act is not None:
            await self._try(*act)

    async def _bring_to_status(self) -> None:
        if self.scene.status == "waiting":
            return
        players = [self.anna, self.ben, self.actor if self.scene.actor in _SEATED else self.cleo]
        if self.scene.kind == "ready":
            for who in players:
                await self._try(who, m.ReadyRequest(table=self.table))
            await asyncio.sleep(6)
        else:
            await self._try(self.actor if self.scene.actor == "host" else self.anna, m.StartRequest(table=self.table))
        for _ in range(3 if self.scene.status == "finished" else 1):
            for who in players:
                cards = (await self._do(who, m.MovesRequest(table=self.table))).moves
                await self._try(who, m.PlayRequest(table=self.table, move=cards[0]))
        if self.scene.status == "playing":
            cards = (await self._do(self.anna, m.MovesRequest(table=self.table))).moves
            await self._try(self.anna, m.PlayRequest(table=self.table, move=cards[0]))

    async def _ask(self, params: Params) -> None:
        if self.actor.peer.closed:
            self.cells.append(Cell(_write(params), _write(self.actor.peer.bye)))
            return
        try:
            reply = await self.actor.call(params)
            if isinstance(reply, m.UsersReply):
                # Each node lists its own, in the order in which they came.
                reply = m.UsersReply(users=sorted(reply.users, key=lambda user: user.name))
            answer = type(reply).__name__ if isinstance(reply, _OWN) else _write(reply)
        except ScovilleError as error:
            answer = _write([error.code, error.message, error.data])
        await asyncio.sleep(_GAP)
        self.cells.append(Cell(_write(params), "\n".join([answer, *self._take_notices()])))

    def _take_notices(self) -> list[str]:
        heard = [_write(notice) for notice in self.actor.peer.heard if not isinstance(notice, _LOBBY)]
        self.actor.peer.heard.clear()
        return heard


def _write(answer: Any) -> str:
    name = type(answer).__name__ if isinstance(answer, msgspec.Struct) else ""
    return f"{name} {msgspec.json.encode(answer, order='deterministic').decode()}"


def _write_alike(cell: str) -> str:
    """Write a cell so that what chance draws, and times, are the same in all runs."""
    parts = []
    for line in cell.split("\n"):
        name, _, text = line.partition(" ")
        plain = _normalize(msgspec.json.decode(text)) if text else ""
        parts.append(f"{name} {msgspec.json.encode(plain, order='deterministic').decode()}")
    return " ".join(parts)


def _normalize(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {_RANDOM.sub("*", name): _normalize(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_normalize(each, key) for each in value]
    if isinstance(value, str):
        return _RANDOM.sub("*", value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "*" if is_number and _TIMES.search(key) else value


def play_scene(scene: Scene, *, apart: bool) -> list[Cell]:
    """Play a scene; all tables of all runs have the same deal."""

    async def live() -> list[Cell]:
        world = await (World.begin_apart(scene.home) if apart else World.begin_alone())
        return await Play(scene).play(world)

    drawn = iter(range(1, 1000))
    draw, TableFactory._draw_id_and_seed = (
        TableFactory._draw_id_and_seed,
        lambda _: (TableId(f"{next(drawn):012x}"), bytes(32)),
    )
    try:
        return virtual_time.run_virtually(live())
    finally:
        TableFactory._draw_id_and_seed = draw  # type: ignore[method-assign]


def find_differences(scene: Scene) -> Iterator[str]:
    """Play a scene at a server alone and at two; yield each request whose answers differ."""
    alone, apart = play_scene(scene, apart=False), play_scene(scene, apart=True)
    for one, other in zip(alone, apart, strict=True):
        # Most are the same as they are, and cost no second look.
        if one != other and (one := one.write_alike()) != (other := other.write_alike()):
            yield f"{scene}: {one.request}\n  alone: {one.answer}\n  apart: {other.answer}"


def main() -> None:
    """Play all scenes. Exit status 1: answers differ."""
    found = 0
    for scene in every_scene():
        for difference in find_differences(scene):
            found += 1
            print(difference)
    print(f"{found} answers differ")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
