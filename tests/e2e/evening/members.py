"""Users with the project's own client: over TLS, at the ssh door, in lines of text there, and at the browser door."""

import asyncio
import os
import random
import re
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, Final, Protocol

import asyncssh
import pyte

from scoville_client.session.session import Session
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.tls import TlsLink
from scoville_runtime.clock import SYSTEM
from scoville_shared.errors import ScovilleError
from tests.client.doors.web.browser import Browser
from tests.e2e.evening.programs import Pace
from tests.e2e.evening.story import Story, Tried
from tests.e2e.restarts.doors import SshSession
from tests.support.client import Recorder
from tests.support.recording_session import RecordingSession
from tests.support.terminal_screen import TerminalScreen
from tests.support.warm_start import CLIENT

OVER: Final = {"en": "The game is over.", "de": "Das Spiel ist zu Ende."}
TURN: Final = {"en": ("t take", "next step", "Your turn"), "de": ("t nehmen", "weiter", "Du bist dran")}
"""What is on the screen, or among the lines, when a key moves, or skips the story of a move."""
LOCALES: Final = {"en": "en_US.UTF-8", "de": "de_DE.UTF-8"}
_HERE: Final = "127.0.0.1"
_END_SECONDS: Final = 60.0
_KEY_SECONDS: Final = 1.5
_HARMLESS: Final = ("slow_down", "not_your_turn", "busy", "moved", "stale_move", "outcome_unknown", "not_saved")
_QUIET_SSH: Final = ("-o", "StrictHostKeyChecking=no", "-o", "LogLevel=ERROR", "-o", "IdentitiesOnly=yes", "-F", "none")


class Member(Protocol):
    """Somebody who plays at the tables of a circle."""

    story: Story

    async def enter_table(self, table: str, code: str) -> None:
        """Take a seat at a table."""

    async def end_game(self) -> None:
        """Wait until the game is over for this user too, and note what they have of it."""

    async def end_connection(self) -> None:
        """End the connection or session."""


class _Client(RecordingSession):
    """The client with its own waits."""

    def __init__(self) -> None:
        Session.__init__(self)
        self.recorder = Recorder(self)
        self._changed = asyncio.Event()
        self.subscribe(lambda _: self._changed.set())


class ClientUser:
    """A user with the client's session, over TLS.

    Args:
        name: The name.
        address: Of the node to which they come first.
        known: The servers that they know.
        pace: How fast they play.
        chance: Draws.
    """

    way = "client"

    def __init__(self, name: str, address: Address, known: KnownServers, pace: Pace, chance: random.Random) -> None:
        self.story = Story(name, self.way)
        self._link, self._pace, self._chance = TlsLink(address, known), pace, chance
        self._session = _Client()
        self._playing: asyncio.Task[None] | None = None
        self._tried = 0

    async def enter_table(self, table: str, code: str) -> None:
        if self._playing is None:
            await self._connect()
            self._playing = asyncio.get_running_loop().create_task(self._play())
        self._tried = 0
        await self._try_until_done(lambda: self._session.lobby.enter_table(code=code))
        began = SYSTEM.seconds()
        # A connection that is lost right after the answer takes the table with it.
        while self._session.table is None or self._session.table.seat is None:
            assert SYSTEM.seconds() - began < _END_SECONDS, f"gets no seat at {table}"
            await self._try_until_done(lambda: self._session.join_table(table))
        self.story.games[table] = self._session.at.seat
        self.story.commitments[table] = self._session.at.info.commitment

    async def _connect(self) -> None:
        """Come, and try again while the node that they know runs no more: nobody has told them of others yet."""
        began = SYSTEM.seconds()
        while True:
            try:
                return await self._session.connect(self._link, self.story.user)
            except LinkError:
                if SYSTEM.seconds() - began > _END_SECONDS:
                    raise
                await SYSTEM.sleep(0.5)

    async def _try_until_done(self, ask: Callable[[], Any]) -> None:
        while True:
            try:
                await ask()
            except LinkError:
                await SYSTEM.sleep(0.2)
            except ScovilleError as error:
                if not self._is_harmless(error):
                    self.story.faults.append(f"{error.code}: {error.message}")
                    return
                await SYSTEM.sleep(0.2)
            else:
                return

    def _is_harmless(self, error: ScovilleError) -> bool:
        return self._session.connection.offline or error.code in _HARMLESS

    async def _play(self) -> None:
        while True:
            at = self._session.table
            if at is None or not at.my_turn or at.result is not None:
                await SYSTEM.sleep(0.1)
                continue
            await SYSTEM.sleep(self._pace.draw_pause(self._chance))
            if not at.my_turn or at.seat is None:
                continue
            tried = Tried(at.id, seat=at.seat, nth=at.played[at.seat])
            move = self._chance.choice([*at.legal_moves()])
            tried.move = at.game.codec.encode_plain(move)
            self.story.moves.append(tried)
            began = SYSTEM.seconds()
            try:
                tried.number = await self._session.play_move(move)
            except LinkError:
                await SYSTEM.sleep(0.1)
            except ScovilleError as error:
                if not self._is_harmless(error):
                    self.story.faults.append(f"{tried}: {error.code}: {error.message}")
            else:
                tried.outcome = "ok"
                self.story.waits.append(SYSTEM.seconds() - began)

    async def end_game(self) -> None:
        at = self._session.at
        began = SYSTEM.seconds()
        while at.result is None:
            if SYSTEM.seconds() - began > _END_SECONDS:
                self.story.faults.append(f"does not learn that the game of {at.id} is over: {at.seq}")
                return
            await SYSTEM.sleep(0.1)
        seqs = self._session.seqs
        if seqs != [*range(1, len(seqs) + 1)]:
            self.story.faults.append(f"has events of {at.id} with gaps or twice: {seqs}")
        await self._try_until_done(self._export)
        await self._try_until_done(self._session.leave_table)

    async def _export(self) -> None:
        self.story.exported[self._session.at.id] = await self._session.table_actions.export_game()

    async def end_connection(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
        await self._session.close()


class _DoorUser:
    """A user behind a door, who presses keys; each game has a session of its own.

    Args:
        name: What they are called in reports.
        language: Theirs.
        pace: How fast they play.
        chance: Draws.
    """

    way = "door"

    def __init__(self, name: str, language: str, pace: Pace, chance: random.Random) -> None:
        self.story = Story(name, self.way)
        self.language = language
        self.pressed = 0
        self._pace, self._chance = pace, chance
        self._table = ""
        self._pressing: asyncio.Task[None] | None = None

    async def enter_table(self, table: str, code: str) -> None:
        self._table, self.pressed = table, 0
        self.story.games[table] = -1
        await self._open_session(code)
        self._pressing = asyncio.get_running_loop().create_task(self._press_keys())

    async def _press_keys(self) -> None:
        await SYSTEM.sleep(_KEY_SECONDS)
        while True:
            # Elsewhere the same keys open dialogs, in which a user who does not look is lost.
            if any(self._shows_text(text) for text in TURN[self.language]):
                self._press_key(self._chance.random() < 0.7)
                self.pressed += 1
            await SYSTEM.sleep(0.3 if self._pace.hurries else _KEY_SECONDS * self._chance.uniform(0.5, 1.5))

    async def end_game(self) -> None:
        began = SYSTEM.seconds()
        while not self._shows_text(OVER[self.language]):
            if not self._is_open():
                self.story.faults.append(f"the session at {self._table} was closed: {self._describe_screen()}")
                break
            if SYSTEM.seconds() - began > _END_SECONDS:
                self.story.faults.append(
                    f"does not see that the game of {self._table} is over: {self._describe_screen()}"
                )
                break
            await SYSTEM.sleep(0.2)
        await self.end_connection()

    async def end_connection(self) -> None:
        self.story.screens[self._table] = self._describe_screen()
        if self._pressing is not None:
            self._pressing.cancel()
            self._pressing = None
            await self._close_session()

    async def close_shared(self) -> None:
        """Give up what the sessions have shared."""

    async def _open_session(self, code: str) -> None:
        raise NotImplementedError

    async def _close_session(self) -> None:
        raise NotImplementedError

    def _press_key(self, takes: bool) -> None:
        raise NotImplementedError

    def _is_open(self) -> bool:
        raise NotImplementedError

    def _shows_text(self, text: str) -> bool:
        raise NotImplementedError

    def _describe_screen(self) -> str:
        raise NotImplementedError


class SshUser(_DoorUser):
    """A user with OpenSSH's client and a key, at the screens."""

    way = "ssh"

    def __init__(
        self, name: str, language: str, pace: Pace, chance: random.Random, port: int, key: Path, folder: Path
    ) -> None:
        super().__init__(name, language, pace, chance)
        self._port, self._key, self._folder = port, key, folder
        self._session: SshSession | None = None
        self._screen = TerminalScreen(80, 24)
        self._stream = pyte.ByteStream(self._screen)

    async def _open_session(self, code: str) -> None:
        self._screen.reset()
        self._session = await SshSession.open_session(
            self._port, self._folder, "-l", code, "-i", str(self._key), "-o", f"SetEnv=LC_ALL={LOCALES[self.language]}",
            on_output=self._stream.feed,
        )  # fmt: skip

    def _press_key(self, takes: bool) -> None:
        if self._is_open():
            assert self._session is not None
            self._session.type(b"t" if takes else b"p")

    def _is_open(self) -> bool:
        return self._session is not None and self._session.is_open

    def _shows_text(self, text: str) -> bool:
        return any(text in line for line in self._screen.display)

    def _describe_screen(self) -> str:
        return "\n".join(["", *self._screen.display])

    async def _close_session(self) -> None:
        if self._session is not None:
            await self._session.close()


class PageUser(_DoorUser):
    """A user with a page of the browser door."""

    way = "web"

    def __init__(self, name: str, language: str, pace: Pace, chance: random.Random, port: int) -> None:
        super().__init__(name, language, pace, chance)
        self._browser = Browser(port, Accept_Language=language)
        self._screen = TerminalScreen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self._socket: Any = None
        self._reading: asyncio.Task[None] | None = None

    async def _open_session(self, code: str) -> None:
        self._screen.reset()
        tab = await self._browser.open()
        await tab.send(type="hello", columns=80, rows=24, table=code)
        self._socket = tab.socket
        self._reading = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            if isinstance(message.data, bytes):
                self._stream.feed(message.data)

    def _press_key(self, takes: bool) -> None:
        if self._is_open():
            self._typing = asyncio.ensure_future(self._socket.send_bytes(b"t" if takes else b"p"))

    def _is_open(self) -> bool:
        return self._reading is not None and not self._reading.done()

    def _shows_text(self, text: str) -> bool:
        return any(text in line for line in self._screen.display)

    def _describe_screen(self) -> str:
        return "\n".join(["", *self._screen.display])

    async def _close_session(self) -> None:
        await self._socket.close()
        if self._reading is not None:
            await self._reading

    async def close_shared(self) -> None:
        await self._browser.http.close()


class LinesUser(_DoorUser):
    """A user with OpenSSH's client and a key, in lines of text; `lines` are those of each table."""

    way = "lines"

    def __init__(
        self, name: str, language: str, pace: Pace, chance: random.Random, port: int, key: Path, folder: Path
    ) -> None:
        super().__init__(name, language, pace, chance)
        self._port, self._key, self._folder = port, key, folder
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self.lines: dict[str, list[str]] = {}

    async def _open_session(self, code: str) -> None:
        self.lines[self._table] = []
        self._process = await asyncio.create_subprocess_exec(
            *("ssh", "-T", "-p", str(self._port), "-l", "plain", "-i", str(self._key), *_QUIET_SSH),
            *("-o", f"UserKnownHostsFile={self._folder / 'known'}", "-o", f"SetEnv=LC_ALL={LOCALES[self.language]}"),
            *(_HERE, f"join {code}"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        self._reading = asyncio.get_running_loop().create_task(self._read(self._process, self.lines[self._table]))

    async def _read(self, process: Process, lines: list[str]) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            lines.append(line.decode().rstrip())

    def _press_key(self, takes: bool) -> None:
        if self._is_open():
            assert self._process is not None
            assert self._process.stdin is not None
            self._process.stdin.write(b"1\n" if takes else b"2\n")

    def _is_open(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def _shows_text(self, text: str) -> bool:
        return any(text in line for line in self.lines[self._table])

    def _describe_screen(self) -> str:
        return "\n".join(["", *self.lines.get(self._table, [])[-30:]])

    async def _close_session(self) -> None:
        if self._process is not None and self._is_open():
            self._process.kill()
            await self._process.wait()
        if self._reading is not None:
            await self._reading


async def write_key(path: Path) -> Path:
    """Write a new SSH key, with which a user comes back as the same one."""

    def write() -> None:
        path.write_bytes(asyncssh.generate_private_key("ssh-ed25519").export_private_key())
        path.chmod(0o600)

    await asyncio.to_thread(write)
    return path


async def start_door(stack: AsyncExitStack, folder: Path, kind: str, server: str, *options: str) -> int:
    """Start a door to the nodes of a cluster; returns its port."""
    with (folder / f"{kind}.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", CLIENT, "door", kind, server, "--port", "0", "--listen", _HERE, *options),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=log,
            env={**os.environ, "HOME": str(folder), "LANGUAGE": "en"},
        )

    async def end_door() -> None:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.communicate()

    stack.push_async_callback(end_door)
    assert process.stdout is not None
    async with asyncio.timeout(_END_SECONDS):
        while line := (await process.stdout.readline()).decode():
            if found := re.search(r"(?:port |:)(\d{4,5})\b", line):
                return int(found[1])
    raise AssertionError(f"the {kind} door does not open")


def has_ssh() -> bool:
    """Whether OpenSSH's client is installed."""
    return shutil.which("ssh") is not None


def name_nodes(hosts: Sequence[str], ports: Sequence[int], pin: str) -> str:
    """Name the nodes as doors take them."""
    first, *more = [f"{host}:{port}" for host, port in zip(hosts, ports, strict=True)]
    return ",".join([f"{first}#{pin}", *more])
