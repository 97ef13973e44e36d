"""Many tables at a human pace at a cluster: lean players on plain connections, who follow the node that serves.

They do what the project's own client does when a node is lost, for a tenth of its cost: three thousand of them fit
beside three nodes on one machine. Each acknowledged move is compared with what the tables have in the end.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, cast

import msgpack

from scoville_runtime.clock import SYSTEM

GAME: Final = "dicht_dran"
OPTIONS: Final = {"cycles": 5}
SEATS: Final = 3
SILENT_SECONDS: Final = 1.0
"""After so long without an answer a player asks another node who serves."""
_CONNECT_SECONDS: Final = 1.0
_PING_SECONDS: Final = 0.25
"""How long the own node may take to answer a ping before others are asked."""
_AT_ONCE: Final = 40
"""Tables that are filled at the same time."""
_HARMLESS: Final = ("moved", "busy", "not_saved", "outcome_unknown", "restarting", "shutting_down", "slow_down")
"""Refusals after which the same request is sent again."""
_LINES: Final = (
    "guests = 50_000",
    "tables = 20_000",
    "[connections]",
    "total = 20_000",
)

OnNotice = Callable[[dict[str, Any]], object]
"""Takes the params of a notice."""
OnOther = Callable[[str, dict[str, Any]], object]
"""Takes the method and the params of any other notice."""


class Wait(NamedTuple):
    """How long a move waited for its answer, which came at a monotonic time, in seconds."""

    at: float
    seconds: float


class Acknowledged(NamedTuple):
    """An acknowledged move of a seat, which became the event `seq`."""

    seat: int
    seq: int


class Lost(ConnectionError):
    """The connection is lost; what was asked may have been done."""


class Refused(Exception):
    """The node has refused a request."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.data: dict[str, Any] = error.get("data") or {}


class Line(asyncio.Protocol):
    """A connection to a node."""

    def __init__(
        self, on_event: OnNotice, on_said: OnNotice = lambda _: None, on_other: OnOther = lambda *_: None
    ) -> None:
        self._on_event, self._on_said, self._on_other = on_event, on_said, on_other
        self._unpacker, self._pack = msgpack.Unpacker(), msgpack.Packer().pack
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self.over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Where the goodbye has sent the player, as "host:port"; empty for nowhere."""
        self.heard_at = SYSTEM.seconds()
        self.comes_back = False
        """Whether it has asked them to come back to the same node."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail what waits."""
        self._end("")

    def _end(self, address: str) -> None:
        if not self.over.done():
            self.over.set_result(address)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(Lost())
                answer.exception()  # a player who has ended does not ask for it
        self._waiting.clear()

    def call(self, method: str, **params: Any) -> asyncio.Future[Any]:
        """Send a request. Raises Lost and Refused."""
        self._number += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self.over.done():
            answer.set_exception(Lost())
            return answer
        self._waiting[self._number] = answer
        self._transport.write(self._pack((0, self._number, method, (params,))))
        return answer

    def data_received(self, data: bytes) -> None:
        """Take answers, events and the goodbye."""
        self.heard_at = SYSTEM.seconds()
        self._unpacker.feed(data)
        for message in self._unpacker:
            if message[0] == 2:
                self._take_notice(message[1], message[2][0])
                continue
            _, number, error, reply = message
            answer = self._waiting.pop(number, None)
            if answer is not None and not answer.done():
                answer.set_exception(Refused(error)) if error else answer.set_result(reply)

    def _take_notice(self, method: str, notice: dict[str, Any]) -> None:
        if method == "table.event":
            self._on_event(notice)
        elif method == "chat.said":
            self._on_said(notice)
        elif method == "bye":
            self.comes_back = notice["code"] == "restarting"
            self._end(str((notice.get("data") or {}).get("address", "")))
            self._transport.close()
        else:
            self._on_other(method, notice)

    def abort(self) -> None:
        """Hang up."""
        self._transport.abort()
        self._end("")


async def _open_line(port: int, source: str, on_event: OnNotice, *others: Any) -> Line:
    loop = asyncio.get_running_loop()
    opening = loop.create_connection(lambda: Line(on_event, *others), "127.0.0.1", port, local_addr=(source, 0))
    async with asyncio.timeout(_CONNECT_SECONDS):
        _, line = await opening
    return line


class LoadPlayer:
    """A player: plays a card of the hand after a time to think, and follows the node that serves.

    Args:
        name: The name.
        source: The address of this machine from which they connect.
        ports: Those of all nodes.
        think: Mean seconds before a move.
        chance: Draws.
        hello_seconds: How long a node may take to greet: one that waits for its turn does so later.

    Attributes:
        waits: How long each move waited.
        returns: When they watched their table again after a lost connection.
        is_watching: Whether they watch it now, as far as they know.
        refused: What was refused, and should not have been.
    """

    def __init__(
        self,
        name: str,
        source: str,
        ports: Sequence[int],
        think: float,
        chance: random.Random,
        hello_seconds: float = 6.0,
    ) -> None:
        self._hello_seconds = hello_seconds
        self.name, self.table, self.seat = name, "", -1
        self._source, self._ports, self._think, self._chance = source, ports, think, chance
        self._port = ports[chance.randrange(len(ports))]
        self._line: Line | None = None
        self._token = ""
        self._seq = self._made = 0
        self._hand: list[int] = []
        self._is_due = False
        self.is_over = self.is_watching = False
        self.tried = 0
        self.waits, self.returns, self.refused = list[Wait](), list[float](), list[str]()
        self.acknowledged: list[Acknowledged] = []
        self._changed, self._came_back = asyncio.Event(), asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def port(self) -> int:
        """That of the node to which they are connected, or connect."""
        return self._port

    async def connect(self) -> Line:
        """Say hello at the node that serves, however long that takes."""
        while True:
            line: Line | None = None
            try:
                line = await _open_line(self._port, self._source, self._note_event, self._note_said, self._note_other)
                async with asyncio.timeout(self._hello_seconds):
                    reply = await line.call("hello", protocol=1, name=self.name, token=self._token)
            except Refused as error:
                self._leave_node(str(error.data.get("address", "")))
                if error.code not in _HARMLESS:
                    self.refused.append(str(error))
            except (OSError, TimeoutError):
                self._leave_node("")
            else:
                self._token, self._line = reply["token"], line
                self._came_back.set()
                self._note_welcome(line, reply)
                return line
            if line is not None:
                line.abort()
            await SYSTEM.sleep(self._chance.uniform(0.02, 0.2))

    def _note_welcome(self, line: Line, welcome: dict[str, Any]) -> None:
        """Note what the node has said to a new connection."""

    def _note_said(self, notice: dict[str, Any]) -> None:
        """Note a message of another user."""

    def _note_other(self, method: str, notice: dict[str, Any]) -> None:
        """Note any other notice."""

    def _leave_node(self, address: str) -> None:
        named = int(address.rpartition(":")[2] or 0)
        others = [port for port in self._ports if port != self._port]
        self._port = named if named in self._ports else self._chance.choice(others)

    def start(self) -> None:
        """Begin to play at the table."""
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._stay_connected()), loop.create_task(self._play())]

    async def end_connection(self) -> None:
        """Stop playing."""
        self.is_over = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._hang_up()

    def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.abort()

    async def read_events(self) -> list[dict[str, Any]]:
        """Return all events of the table, after the end."""
        events: list[dict[str, Any]] = []
        try:
            while True:
                # A long game comes in pages.
                shot = await self.ask_server("table.poll", table=self.table, since=events[-1]["seq"] if events else 0)
                events += shot["events"]
                if shot["latest"] is None:
                    return events
        finally:
            self._hang_up()

    async def ask_server(self, method: str, **params: Any) -> Any:
        """Ask again until it is answered: only for what may be done twice."""
        while True:
            line = self._line or await self.connect()
            try:
                async with asyncio.timeout(10):
                    return await line.call(method, **params)
            except (OSError, TimeoutError):
                self._line = None
            except Refused as error:
                if error.code not in _HARMLESS:
                    raise
            await SYSTEM.sleep(0.1)

    async def _stay_connected(self) -> None:
        while not self.is_over:
            line = self._line or await self.connect()
            try:
                shot = await self._watch(line)
            except (OSError, TimeoutError):
                line.abort()
                self._line = None
                self._leave_node("")
                continue
            self._take_state(shot["seq"], shot["view"], shot["move_counts"], shot["pending"])
            self.returns.append(SYSTEM.seconds())
            self.is_watching = True
            self._changed.set()
            address = await self._wait_for_end(line)
            self._line, self.is_watching = None, False
            if not line.comes_back:
                self._leave_node(address)

    async def _wait_for_end(self, line: Line) -> str:
        """Return where the goodbye sends the player, who asks a node that says nothing for a sign of life."""
        while not line.over.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(SILENT_SECONDS):
                    return await asyncio.shield(line.over)
            if SYSTEM.seconds() - line.heard_at >= SILENT_SECONDS:
                with suppress(OSError, Refused):
                    await self._call_node(line, "ping", payload="")
        return line.over.result()

    async def _watch(self, line: Line) -> dict[str, Any]:
        while True:
            try:
                async with asyncio.timeout(3):
                    shot: dict[str, Any] = await line.call("table.watch", table=self.table, since=self._seq)
            except Refused as error:
                if error.code not in _HARMLESS:
                    self.refused.append(str(error))
                if error.code == "moved":
                    raise Lost from error
                await SYSTEM.sleep(0.1)
            else:
                return shot

    def _note_event(self, notice: dict[str, Any]) -> None:
        event = notice["event"]
        counts, pending = event.get("move_counts"), event.get("pending")
        if counts is not None and pending is not None:
            self._take_state(event["seq"], notice["view"], counts, pending)

    def _take_state(self, seq: int, view: Any, counts: Sequence[int], pending: Sequence[int]) -> None:
        # The answer of a watch may come after notices of what has happened since.
        if seq < self._seq:
            return
        self._seq = seq
        if view is None or self.seat < 0 or not counts:
            return
        self._made = counts[self.seat]
        self._hand = view["hand"]
        self._is_due = self.seat in pending
        self._changed.set()

    async def _play(self) -> None:
        while not self.is_over:
            if not self._is_due:
                self._changed.clear()
                await self._changed.wait()
                continue
            await SYSTEM.sleep(self._chance.uniform(0.4, 1.6) * self._think)
            if self._is_due and self._hand:
                await self._move(self._made, self._chance.choice(self._hand))

    async def _move(self, nth: int, card: int) -> None:
        """Make a move once, however often it has to be sent."""
        began = SYSTEM.seconds()
        self.tried += 1
        self._is_due = False
        while self._made == nth:
            line = await self._wait_for_line()
            try:
                reply = await self._send_move(line, nth, card)
            except OSError:
                continue  # with another connection
            except Refused as error:
                if error.code == "stale_move":
                    break  # it was made by an attempt whose answer was lost
                if error.code not in _HARMLESS:
                    self.refused.append(str(error))
                    break
                await SYSTEM.sleep(0.05)
            else:
                self.acknowledged.append(Acknowledged(self.seat, reply["seq"]))
                self._made = max(self._made, nth + 1)
                break
        now = SYSTEM.seconds()
        self.waits.append(Wait(now, now - began))

    async def _send_move(self, line: Line, nth: int, card: int) -> dict[str, Any]:
        return await self._call_node(line, "table.play", table=self.table, move={"card": card}, nth=nth)

    async def _call_node(self, line: Line, method: str, **params: Any) -> dict[str, Any]:
        """Wait for an answer, however long the node that serves takes. Raises Lost, also if it is another one by then.

        Raises Refused.
        """
        answer = line.call(method, **params)
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(SILENT_SECONDS):
                    reply: dict[str, Any] = await asyncio.shield(answer)
                    return reply
            if line.over.done() or (await self._is_silent(line) and await self._serves_elsewhere()):
                line.abort()

    async def _is_silent(self, line: Line) -> bool:
        """Whether the node of this player does not even answer a ping."""
        with suppress(TimeoutError, OSError, Refused):
            async with asyncio.timeout(_PING_SECONDS):
                await line.call("ping", payload="")
                return False
        return True

    async def _serves_elsewhere(self) -> bool:
        """Ask another node who serves; returns whether it is another one than this player's."""
        port = self._chance.choice([each for each in self._ports if each != self._port])
        asked: Line | None = None
        try:
            asked = await _open_line(port, self._source, lambda _: None)
            async with asyncio.timeout(1):
                await asked.call("ping", payload="")
        except Refused as error:
            address = str(error.data.get("address", ""))
            # One that serves wants a hello first.
            return error.code == "hello_first" or (bool(address) and not address.endswith(f":{self._port}"))
        except (OSError, TimeoutError):
            return False
        finally:
            if asked is not None:
                asked.abort()
        return True

    async def _wait_for_line(self) -> Line:
        # Looking again and again, three thousand players would keep the cores busy that the next node needs.
        while self._line is None or self._line.over.done():
            self._came_back.clear()
            await self._came_back.wait()
        return self._line


class Loaded(NamedTuple):
    """What players have noticed.

    Attributes:
        tables: The waits of each table's players.
        returns: When each player watched again.
        acknowledged: How many moves were acknowledged.
        lost: How many of them are gone.
        doubled: How many were made once more than players have made them.
        refused: Refusals that nobody should see.
        seconds: How long they have played.
    """

    tables: Sequence[Sequence[Wait]]
    returns: Sequence[Sequence[float]]
    acknowledged: int
    lost: int
    doubled: int
    refused: Sequence[str]
    seconds: float


class Outage(NamedTuple):
    """One fault: how, when, the seconds until another node served, and until every player's move was answered again."""

    how: str
    at: float
    seconds: float
    waits: Sequence[float] = ()


def describe_settings() -> list[str]:
    """Return the lines of the settings that a node needs for so many players of one machine."""
    return [*_LINES]


class Load:
    """Tables of three players each.

    Args:
        ports: The nodes.
        tables: How many tables.
        rate: About how many moves all players make in a second.
        seed: Of what they draw.
        more: Further arguments of each `LoadPlayer`.
    """

    def __init__(self, ports: Sequence[int], tables: int, rate: float, seed: int, *more: float) -> None:
        # All three think at the same time, and the slowest of them ends the turn.
        think = SEATS * tables / rate / 1.3
        chance = random.Random(seed)
        self._tables = [
            [
                LoadPlayer(
                    f"L{n}-{seat}", _home_of(n * SEATS + seat), ports, think, random.Random(chance.random()), *more
                )
                for seat in range(SEATS)
            ]
            for n in range(tables)
        ]
        self._began = 0.0

    async def sit_down(self) -> None:
        """Open the tables, and begin to play."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def fill(players: Sequence[LoadPlayer]) -> None:
            async with gate:
                await _fill_table(players)

        await asyncio.gather(*(fill(players) for players in self._tables))
        self._began = SYSTEM.seconds()
        for player in self.everybody:
            player.start()

    async def wait_for_all(self, most_seconds: float) -> None:
        """Wait until all players watch their tables, and each one has made a move."""
        began = SYSTEM.seconds()
        while absent := [each.name for each in self.everybody if not (each.is_watching and each.waits)]:
            assert SYSTEM.seconds() - began < most_seconds, f"{absent} do not play"
            await SYSTEM.sleep(0.05)

    async def end_load(self) -> Loaded:
        """Stop, and compare the tables with what was acknowledged."""
        seconds = SYSTEM.seconds() - self._began
        await asyncio.gather(*(player.end_connection() for player in self.everybody))
        gate = asyncio.Semaphore(_AT_ONCE)
        checked = await asyncio.gather(*(_run_gated(gate, _compare_moves(players)) for players in self._tables))
        return Loaded(
            [[wait for player in players for wait in player.waits] for players in self._tables],
            [player.returns for player in self.everybody],
            sum(len(player.acknowledged) for player in self.everybody),
            sum(lost for lost, _ in checked),
            sum(doubled for _, doubled in checked),
            [each for player in self.everybody for each in player.refused],
            seconds,
        )

    @property
    def everybody(self) -> list[LoadPlayer]:
        """All players."""
        return [player for players in self._tables for player in players]


async def _run_gated(gate: asyncio.Semaphore, work: Awaitable[tuple[int, int]]) -> tuple[int, int]:
    async with gate:
        return await work


async def _fill_table(players: Sequence[LoadPlayer]) -> None:
    host = players[0]
    opened = await host.ask_server("table.create", game=GAME, seat_count=SEATS, options=OPTIONS)
    for player in players:
        player.table = opened["info"]["table"]
        player.seat = (await player.ask_server("table.join", table=player.table))["seat"]
    await host.ask_server("table.start", table=host.table)


async def _compare_moves(players: Sequence[LoadPlayer]) -> tuple[int, int]:
    """Return how many acknowledged moves a table lacks, and how many it has that nobody has made."""
    by_seq = {event["seq"]: (event["kind"], event.get("seat")) for event in await players[0].read_events()}
    lost = doubled = 0
    for player in players:
        lost += sum(by_seq.get(each.seq) != ("played", each.seat) for each in player.acknowledged)
        made = sum(place == ("played", player.seat) for place in by_seq.values())
        doubled += max(0, made - player.tried)
    return lost, doubled


def _home_of(number: int) -> str:
    """Return a loopback address for a player at home; players of one address would share its turns."""
    return f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}"


def find_percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that is not less than a share of all."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def report_load(found: Loaded, outages: Sequence[Outage]) -> None:
    """Print what players have noticed of each fault."""
    first = min((outage.at for outage in outages), default=float("inf"))
    quiet = [wait.seconds for waits in found.tables for wait in waits if wait.at < first]
    print(
        f"{sum(map(len, found.tables)) / found.seconds:.0f} moves a second at {len(found.tables)} tables; before the "
        f"first fault a move was answered after p50 {find_percentile(quiet, 0.5) * 1e3:.1f}, p95 "
        f"{find_percentile(quiet, 0.95) * 1e3:.1f}, p99 {find_percentile(quiet, 0.99) * 1e3:.1f} ms"
    )
    ends = [*(outage.at for outage in outages[1:]), float("inf")]
    for outage, end in zip(outages, ends, strict=True):
        waits = [
            max((wait.seconds for wait in table if outage.at < wait.at <= end), default=0.0) for table in found.tables
        ]
        returns = [next((at - outage.at for at in each if outage.at < at <= end), 0.0) for each in found.returns]
        back = [seconds for seconds in returns if seconds] or [0.0]
        print(
            f"{outage.how}: served again after {outage.seconds:.2f} s; longest wait of each table p50 "
            f"{find_percentile(waits, 0.5):.2f}, p95 {find_percentile(waits, 0.95):.2f}, at most {max(waits):.2f} s; "
            f"{sum(map(bool, returns))} players watched again after p50 {find_percentile(back, 0.5):.2f}, p95 "
            f"{find_percentile(back, 0.95):.2f}, at most {max(back):.2f} s"
        )
    print(f"{found.acknowledged} acknowledged moves, {found.lost} of them lost, {found.doubled} doubled")
    for refused in sorted({*found.refused}):
        print(f"refused: {refused}")
