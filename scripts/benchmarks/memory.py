"""Memory of a server: every resource that it keeps or queues, filled up to its default bound.

Each resource is filled in a process of its own, to a share of its bound that keeps the run short, and the growth of the
resident memory is scaled up. What the system's kernel holds for sockets and files is not counted.
"""

import asyncio
import contextlib
import gc
import itertools
import json
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
from _arguments import bench_parser
from _settings_book import fill_settings

MIB = 1024 * 1024
GOAL_MIB = 512
SHARE = 0.1


class Row(NamedTuple):
    """One resource: its bound, and the bytes that each takes."""

    name: str
    bound: int
    each: float

    @property
    def mib(self) -> float:
        """What all of them take."""
        return self.bound * self.each / MIB


def resident() -> int:
    """The resident memory of this process in bytes, after a garbage collection."""
    gc.collect()
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


# --- what is filled ---------------------------------------------------------------------------------------


async def server(_: int) -> None:
    """A server with an empty journal."""
    from scoville_server.config import Settings
    from scoville_server.server import Server

    made = Server(Settings(data=Path(tempfile.mkdtemp())))
    await made.start()
    _KEPT.append(made)


async def users(number: int) -> None:
    """Users that are remembered, half of them with a claimed name, with one token each."""
    from scoville_server.accounts.model.account import Account
    from scoville_server.accounts.model.limits import AccountLimits
    from scoville_server.accounts.users import Users
    from scoville_server.background.tasks import BackgroundTasks
    from scoville_server.journal.base import Kept, StoredUser
    from scoville_shared.ids import UserId

    users = Users(number, AccountLimits(), _Nothing(), BackgroundTasks())
    known = [StoredUser(user=UserId(secrets.token_hex(8)), name=f"Somebody {n}") for n in range(number)]
    await users.restore(Kept({}, known, {}))
    for n, each in enumerate(known):
        if n % 2:
            await users.claims.put(each.user, Account(name=each.name, since_ms=1, password="$argon2id$" + "x" * 90))
        user = users.sessions.find(each.user)
        assert user is not None
        users.new_session(user, "scoville 1.0.0", "guest")
    _KEPT.append(users)


async def tokens(number: int) -> None:
    """Further tokens."""
    from scoville_server.accounts.model.account import UserSession
    from scoville_server.accounts.model.limits import AccountLimits
    from scoville_server.accounts.tokens import Tokens
    from scoville_server.journal.books import Book
    from scoville_shared.ids import UserId

    made = Tokens(Book("sessions", UserSession, _Nothing()), AccountLimits())
    _KEPT.append(made)
    user = ""
    for n in range(number):
        user = user if n % 20 else secrets.token_hex(8)
        made.issue(UserId(user), "scoville 1.0.0", "password", False, 1_760_000_000_000)
        if not n % 20:
            await made.keep(UserId(user))


async def careers(number: int) -> None:
    """Careers of users who have played everything, and for long."""
    from scoville_server.journal.books import PackedBook
    from scoville_server.players.model.career import MOST_PICKS, MOST_RECENT, Career
    from scoville_server.players.model.rating import Skill
    from scoville_shared.protocol.messages import PastGame

    book = PackedBook("careers", Career, _Nothing())
    _KEPT.append(book)
    for _ in range(number):
        recent = tuple(
            PastGame(
                table=secrets.token_hex(6),
                game="chilli_chase",
                ended_ms=1_760_000_000_000 + secrets.randbelow(10**9),
                names=[secrets.token_hex(5) for _ in range(4)],
                scores=[secrets.randbelow(99) for _ in range(4)],
                places=[1, 2, 3, 4],
                mine=0,
                rated=True,
            )
            for _ in range(MOST_RECENT)
        )
        skills = {game: Skill(mu=secrets.randbelow(10**9) / 3e7, sigma=1.1, games=99) for game in _GAMES}
        picks = tuple(secrets.randbelow(60_000) for _ in range(MOST_PICKS))
        book.take({secrets.token_hex(8): Career(since_ms=1, skills=skills, picks_ms=picks, recent=recent)})


async def chat(number: int) -> None:
    """Chat messages of 120 characters, as they are after a restart."""
    from scoville_server.chat.model.channels import Channels
    from scoville_server.chat.model.limits import ChatLimits
    from scoville_server.chat.model.messages import ChatMessage, at_table
    from scoville_server.journal.books import Book

    book, channels = Book("chat", ChatMessage, _Nothing()), Channels(ChatLimits())
    _KEPT.extend((book, channels))
    for n in range(number):
        channel, by = at_table(f"{n // 200:012x}"), secrets.token_hex(8)
        message = ChatMessage(
            n=n % 200 + 1, channel=channel, at_ms=n, by=by, name=f"Player {n}", text=f"{n} " + "x" * 120
        )
        row = book.entry(message.key, message).value
        assert row is not None
        again = msgspec.msgpack.decode(row, type=ChatMessage)
        channels.take([again])


async def tables(number: int) -> None:
    """Tables at the end of a game for four, with all of its events, and their actors."""
    from scoville_server.background.tasks import BackgroundTasks
    from scoville_server.clock import Clock
    from scoville_server.config import Settings
    from scoville_server.nodes.directory import LocalDirectory
    from scoville_server.tables.catalog import GameCatalog
    from scoville_server.tables.model.commands import Join, Start
    from scoville_server.tables.model.records import Created
    from scoville_server.tables.registry import TableRegistry
    from scoville_shared.ids import TableId, UserId

    catalog = GameCatalog()
    settings = Settings()
    registry = TableRegistry(
        LocalDirectory(),
        catalog,
        _Nothing(),
        None,
        lambda _: True,
        BackgroundTasks(),
        Clock(),
        inbox=settings.inbox,
        retries=settings.retries,
    )
    _KEPT.append(registry)
    for n, game in zip(range(number), itertools.cycle(_GAMES)):
        info = catalog.game(game).info
        opened = Created(
            at_ms=1_760_000_000_000,
            table=TableId(f"{n:012x}"),
            game=game,
            rules_version=info.rules_version,
            options=catalog.options(game, {}),
            seat_count=4,
            seed=secrets.token_bytes(32),
            user=UserId("someone"),
        )
        actor = await registry.open([opened])
        await actor.do(Join(user=UserId("someone"), name="Someone"))
        await actor.do(Start(user=UserId("someone"), strength="random"))
        await _played(actor)


async def _played(actor: "object") -> None:
    """Let the clockless user's seat be played by what the fallback of the game is, until the game is over."""
    from scoville_server.tables.actor import TableActor
    from scoville_server.tables.model.commands import Play
    from scoville_shared.ids import Seat, UserId

    assert isinstance(actor, TableActor)
    while actor.table.status == "playing":
        if 0 in actor.table.pending:
            game = actor.table.game
            move = game.codec.plain(game.fallback(game.view(actor.table.state, Seat(0))))
            with contextlib.suppress(Exception):
                await actor.do(Play(user=UserId("someone"), move=move))
        await asyncio.sleep(0)


async def throttles(number: int) -> None:
    """Keys of rates, each counted once."""
    from scoville_server.limits.throttle import Throttle

    throttle = Throttle(5, 60.0, keys=number)
    _KEPT.append(throttle)
    for n in range(number):
        throttle.take((secrets.token_hex(8), n % 3), 1_000.0 + n)


async def archive(number: int) -> None:
    """Finished games of which the server knows."""
    from scoville_server.tables.archive.index import ArchiveIndex, GameLimits, KeptGame

    index = ArchiveIndex(GameLimits())
    _KEPT.append(index)
    for n in range(number):
        creators = (f"user {n % 5_000:016x}", f"network {n % 500:016x}")
        index.add(KeptGame(f"{n:012x}.jsonl", 8_000, creators))


async def connections(number: int) -> None:
    """Connections that have said hello and watch nothing; the other ends live in another process."""
    from scoville_server.config import Settings
    from scoville_server.net.limits import ConnectionLimits
    from scoville_server.server import Server

    made = Server(Settings(host="127.0.0.1", port=0, connections=ConnectionLimits(per_address=0)))
    await made.start()
    before = resident()
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", _CLIENTS, str(made.port), str(number), stdout=-1)
    assert other.stdout is not None
    await other.stdout.readline()
    _KEPT.extend((made, resident() - before))
    other.kill()
    await other.wait()


_CLIENTS = """
import socket, sys, msgpack
ends = []
for n in range(int(sys.argv[2])):
    end = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    end.sendall(msgpack.packb([0, 0, "hello", [{"protocol": 1}]]))
    end.recv(65536)
    ends.append(end)
print("there", flush=True)
sys.stdin.read()
import time; time.sleep(60)
"""

_GAMES = ("dicht_dran", "no_thanks", "chilli_chase")
_KEPT: list[object] = []


class _Nothing:
    """A journal that keeps nothing: a real one keeps it on the disk."""

    async def _done(self, *_: object) -> None:
        pass

    append = retire = remember = forget = note = close = _done


Fill = Callable[[int], Awaitable[None]]


def resources() -> dict[str, tuple[Fill | None, int]]:
    """The filled resource and its bound; None for a number of bytes."""
    from scoville_server.config import Settings
    from scoville_server.limits.throttle import KEYS

    s = Settings()
    lines = s.chat.lobby + s.tables * s.chat.table + s.chat.whisper_users * s.chat.whispers
    known = s.guests + s.accounts.claims
    return {
        "server": (server, 1),
        "users": (users, known),
        "tokens": (tokens, s.accounts.tokens_total),
        "careers": (careers, known),
        "chat": (chat, lines),
        "tables": (tables, s.tables),
        "throttles": (throttles, 32 * KEYS),
        "settings": (lambda number: fill_settings(number, _Nothing(), _KEPT), s.accounts.client_settings),
        "archive": (archive, s.games.files),
        "connections": (connections, s.connections.total),
        "buffers": (None, s.connections.buffers),
    }


def fill(name: str, share: float) -> None:
    """Fill one resource in this process, and print the bytes that each takes."""
    found = resources()
    work, bound = found[name]
    assert work is not None
    number = max(1, int(bound * share))

    async def main() -> None:
        if name == "server":
            await work(1)
            print(json.dumps(resident()), flush=True)
            return
        await work(number // 20 + 1)  # what is there once is not counted
        before = resident()
        await work(number)
        inner = [kept for kept in _KEPT if isinstance(kept, int)]
        print(json.dumps((inner[-1] if inner else resident() - before) / number), flush=True)

    asyncio.run(main())


def measured(name: str, work: Fill | None, bound: int, share: float) -> Row:
    """Measure a resource in a process of its own."""
    if work is None:
        return Row(name, bound, 1.0)
    share = 1.0 if name == "server" else share
    ran = subprocess.run([sys.executable, __file__, "--only", name, "--share", str(share)], stdout=-1, check=True)
    return Row(name, bound, json.loads(ran.stdout))


def main() -> None:
    """Print the table. Exit status 1: all bounds together are more than the goal."""
    parser = bench_parser("memory", __doc__)
    parser.add_argument("--share", type=float, default=SHARE, metavar="N", help="part of each bound that is filled")
    parser.add_argument("--only", metavar="NAME", help="fill this resource only, in this process")
    wish = parser.parse_args()
    if wish.only:
        fill(wish.only, wish.share)
        return
    rows = [measured(name, work, bound, wish.share) for name, (work, bound) in resources().items()]
    for row in rows:
        print(f"| {row.name} | {row.bound:,} | {row.each:,.0f} | {row.mib:.0f} |")
    total = sum(row.mib for row in rows)
    print(f"total: {total:.0f} MiB, goal {GOAL_MIB} MiB")
    sys.exit(total > GOAL_MIB)


if __name__ == "__main__":
    main()
