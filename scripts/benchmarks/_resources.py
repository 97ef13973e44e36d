"""The resources of a server that the benchmark of memory fills: what is kept or queued up to a bound."""

import asyncio
import contextlib
import gc
import itertools
import secrets
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from scoville_server.background.eventual import Eventual
from scoville_server.journal.base import Change, Mark, Revision, Row, StoredUser
from scoville_server.journal.memory import MemoryJournal
from scoville_shared.ids import TableId

KEPT: list[object] = []
"""Keeps what was filled; a number is the memory that it took, if the fill has measured it itself."""


def measure_resident() -> int:
    """The resident memory of this process in bytes, after a garbage collection."""
    gc.collect()
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


async def fill_server(_: int) -> None:
    """A server with an empty journal."""
    from scoville_server.server import Server
    from scoville_server.settings.model import Settings

    made = Server(Settings(data=Path(tempfile.mkdtemp())))
    await made.start()
    KEPT.append(made)


async def fill_users(number: int) -> None:
    """Users that are remembered, half of them with a claimed name, with one token each."""
    from scoville_server.accounts.model.account import Account
    from scoville_server.accounts.model.account_limits import AccountLimits
    from scoville_server.accounts.users import Users
    from scoville_server.background.tasks import BackgroundTasks
    from scoville_server.nodes.nodes import single_node
    from scoville_shared.ids import UserId

    users = Users(number, AccountLimits(), _KeepsNothing(), BackgroundTasks(), single_node().connections)
    known = [StoredUser(user=UserId(secrets.token_hex(8)), name=f"Somebody {n}") for n in range(number)]
    users.restore_users(known)
    for n, each in enumerate(known):
        if n % 2:
            await users.claims.put_account(
                each.user, Account(name=each.name, since_ms=1, password="$argon2id$" + "x" * 90)
            )
        user = users.sessions.find_user(each.user)
        assert user is not None
        users.new_session(user, "scoville 1.0.0", "guest")
    KEPT.append(users)


async def fill_tokens(number: int) -> None:
    """Further tokens."""
    from scoville_server.accounts.model.account_limits import AccountLimits
    from scoville_server.accounts.tokens import Tokens
    from scoville_shared.ids import UserId

    made = Tokens(_KeepsNothing(), AccountLimits())
    KEPT.append(made)
    user = ""
    for n in range(number):
        user = user if n % 20 else secrets.token_hex(8)
        made.issue_token(UserId(user), "scoville 1.0.0", "password", False, 1_760_000_000_000)
        if not n % 20:
            await made.write_sessions(UserId(user))


async def fill_careers(number: int) -> None:
    """Careers of users who have played everything, and for long."""
    from scoville_server.journal.books import PackedBook
    from scoville_server.players.model.career import MOST_PICKS, MOST_RECENT, Career
    from scoville_server.players.model.rating import Skill
    from scoville_shared.protocol.messages import PastGame

    book = PackedBook("careers", Career, _KeepsNothing())
    KEPT.append(book)
    for _ in range(number):
        recent = tuple(
            PastGame(
                table=secrets.token_hex(6),
                game="chilli_chase",
                ended_ms=1_760_000_000_000 + secrets.randbelow(10**9),
                names=[secrets.token_hex(5) for _ in range(4)],
                scores=[secrets.randbelow(99) for _ in range(4)],
                places=[1, 2, 3, 4],
                your_seat=0,
                rated=True,
            )
            for _ in range(MOST_RECENT)
        )
        skills = {game: Skill(mu=secrets.randbelow(10**9) / 3e7, sigma=1.1, games=99) for game in _GAMES}
        picks = tuple(secrets.randbelow(60_000) for _ in range(MOST_PICKS))
        await book.put_row(secrets.token_hex(8), Career(since_ms=1, skills=skills, picks_ms=picks, recent=recent))


async def fill_chat(number: int) -> None:
    """Chat messages of 120 characters, as they are after a restart."""
    from scoville_server.chat.model.channels import Channels
    from scoville_server.chat.model.chat_limits import ChatLimits
    from scoville_server.chat.model.messages import ChatMessage, at_table
    from scoville_shared.ids import UserId

    channels = Channels(ChatLimits())
    KEPT.append(channels)
    for n in range(number):
        channel, by = at_table(f"{n // 200:012x}"), UserId(secrets.token_hex(8))
        message = ChatMessage(
            n=n % 200 + 1, channel=channel, at_ms=n, by=by, name=f"Player {n}", text=f"{n} " + "x" * 120
        )
        again = msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=ChatMessage)
        channels.add_message(again)


async def fill_tables(number: int) -> None:
    """Tables at the end of a game for four, with all of its events, and their actors."""
    from scoville_runtime.clock import Clock
    from scoville_server.background.tasks import BackgroundTasks
    from scoville_server.nodes.nodes import Nodes, single_node
    from scoville_server.settings.model import Settings
    from scoville_server.tables.actions.join import Join
    from scoville_server.tables.actions.start import Start
    from scoville_server.tables.actor import TableActor, TableRuntime
    from scoville_server.tables.catalog import GameCatalog
    from scoville_server.tables.model.records import Created
    from scoville_server.tables.registry import TableRegistry
    from scoville_server.tables.storage import TableStorage
    from scoville_shared.ids import UserId

    catalog = GameCatalog()
    settings = Settings()
    nodes: Nodes[TableActor] = single_node()
    background = BackgroundTasks()
    runtime = TableRuntime(Clock(), background.new_back_off, settings.inbox, lambda _: False)
    registry = TableRegistry(nodes, catalog, TableStorage(_KeepsNothing(), None, background), runtime, background)
    KEPT.append(registry)
    for n, game in zip(range(number), itertools.cycle(_GAMES)):
        info = catalog.find_game(game).info
        opened = Created(
            at_ms=1_760_000_000_000,
            table=TableId(f"{n:012x}"),
            game=game,
            rules_version=info.rules_version,
            options=catalog.complete_options(game, {}),
            seat_count=4,
            seed=secrets.token_bytes(32),
            user=UserId("someone"),
        )
        actor = await registry.open_table([opened])
        await actor.carry_out(Join(user=UserId("someone"), name="Someone"))
        await actor.carry_out(Start(user=UserId("someone"), strength="random"))
        await _play_out(actor)


async def _play_out(actor: "object") -> None:
    """Let the clockless user's seat be played by what the fallback of the game is, until the game is over."""
    from scoville_server.tables.actions.play import Play
    from scoville_server.tables.actor import TableActor
    from scoville_shared.ids import Seat, UserId

    assert isinstance(actor, TableActor)
    while actor.table.status == "playing":
        if 0 in actor.table.pending:
            game = actor.table.game
            move = game.codec.encode_plain(game.fallback(game.view(actor.table.state, Seat(0))))
            with contextlib.suppress(Exception):
                await actor.carry_out(Play(user=UserId("someone"), move=move))
        await asyncio.sleep(0)


async def fill_throttles(number: int) -> None:
    """Keys of rates, each counted once."""
    from scoville_server.limits.throttle import Throttle

    throttle = Throttle(5, 60.0, keys=number)
    KEPT.append(throttle)
    for n in range(number):
        throttle.take_use((secrets.token_hex(8), n % 3), 1_000.0 + n)


async def fill_settings(number: int) -> None:
    """Settings of clients, as large as they may be and without any pattern."""
    from scoville_server.accounts.doors.client_settings import SavedSettings
    from scoville_server.journal.books import PackedBook
    from scoville_shared.protocol.messages import SETTINGS_BYTES

    book = PackedBook("client_settings", SavedSettings, _KeepsNothing())
    KEPT.append(book)
    for _ in range(number):
        await book.put_row(secrets.token_hex(8), SavedSettings(packed=secrets.token_bytes(SETTINGS_BYTES)))


async def fill_archive(number: int) -> None:
    """Finished games of which the server knows."""
    from scoville_server.tables.archive.index import ArchiveIndex, GameLimits, KeptGame

    index = ArchiveIndex(GameLimits())
    KEPT.append(index)
    for n in range(number):
        creators = (f"user {n % 5_000:016x}", f"network {n % 500:016x}")
        index.add_game(KeptGame(f"{n:012x}.jsonl", 8_000, creators))


async def fill_connections(number: int) -> None:
    """Connections that have said hello and watch nothing; the other ends live in another process."""
    from scoville_server.net.connection_limits import ConnectionLimits
    from scoville_server.server import Server
    from scoville_server.settings.model import Settings

    made = Server(Settings(host="127.0.0.1", port=0, connections=ConnectionLimits(per_address=0)))
    await made.start()
    before = measure_resident()
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", _CLIENTS, str(made.port), str(number), stdout=-1)
    assert other.stdout is not None
    await other.stdout.readline()
    KEPT.extend((made, measure_resident() - before))
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


class _KeepsNothing(MemoryJournal):
    """A journal that keeps nothing, and notifies followers of changes: a real one keeps rows on the disk."""

    def append(
        self,
        table: TableId,  # noqa: ARG002 - of the interface
        records: Sequence[bytes],  # noqa: ARG002
        after: Mark,  # noqa: ARG002
        *,
        afresh: bool = False,  # noqa: ARG002
    ) -> Awaitable[Mark]:
        """Drop the records."""
        kept: Eventual[Mark] = Eventual()
        kept.set_result(Mark(b"kept"))
        return kept

    async def put_user(self, known: StoredUser) -> None:
        """Notify the followers."""
        self._user_followers.notify_change(known.user, known)

    def _apply_change(self, change: Change) -> Row | None:
        return None if change.value is None else Row(change.value, Revision(secrets.token_bytes(8)))


Fill = Callable[[int], Awaitable[None]]


def list_resources() -> dict[str, tuple[Fill | None, int]]:
    """The filled resource and its bound; None for a number of bytes."""
    from scoville_server.clubs.service import MOST_CLUBS
    from scoville_server.limits.throttle import KEYS
    from scoville_server.settings.model import Settings

    s = Settings()
    lines = s.chat.lobby + s.tables * s.chat.table + s.chat.whisper_users * s.chat.whispers + MOST_CLUBS * s.chat.club
    known = s.guests + s.accounts.claims
    return {
        "server": (fill_server, 1),
        "users": (fill_users, known),
        "tokens": (fill_tokens, s.accounts.tokens_total),
        "careers": (fill_careers, known),
        "chat": (fill_chat, lines),
        "tables": (fill_tables, s.tables),
        "throttles": (fill_throttles, 32 * KEYS),
        "settings": (fill_settings, s.accounts.client_settings),
        "archive": (fill_archive, s.games.files),
        "connections": (fill_connections, s.connections.total),
        "buffers": (None, s.connections.buffers),
    }
