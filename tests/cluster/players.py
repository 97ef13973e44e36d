"""The users of a cluster in a box: they play, chat, claim names, lose connections, and note what they did and saw.

They know what real clients know: the addresses of all machines, their token, and what the server has shown them.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Protocol

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from tests.cluster.history import History, Op, OpKind, Seen, Snapshot, ToldMissing
from tests.cluster.node import ADMIN, Connection
from tests.cluster.world import Process

PATIENCE = 3.0
"""Seconds after which a user gives up a request, and its connection."""

SUSPECT_SECONDS = 0.75
"""Seconds without an answer after which a user asks the other nodes who serves; chance adds up to a half."""

PING_SECONDS = 1.0
"""Seconds between two pings of a player whose turn it is not."""

PASSWORD = "a very long password"


class Lost(Exception):
    """The connection is lost, and with it the answer."""


class Cluster(Protocol):
    """What users need of a cluster."""

    history: History
    users: Process
    is_over: bool

    @property
    def machines(self) -> int:
        """How many addresses the cluster has."""

    def connect(
        self, machine: int, on_notice: Callable[[m.Notice], object], on_end: Callable[[m.ByeNotice | None], object]
    ) -> Connection | None:
        """Connect to a machine; None if nothing listens there."""

    def named_elsewhere(self, machine: int) -> int | None:
        """Return the machine that the other nodes name as that which serves; None if it is this one, or unknown."""

    def admin_code(self, connection: Connection) -> str:
        """Return the code that the node has shown to its host."""


class User:
    """One user with one connection at a time. `take_turn` does the next thing; it is called until the run is over."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster = cluster
        self.name = name
        self.clock = cluster.users.clock
        self.chance = self.clock.chance
        self.token = ""
        self.machine = 0
        self._goes_to: int | None = None
        self.connection: Connection | None = None
        self.connections = 0
        self.ended = asyncio.Event()
        self.last_ok: float | None = None
        self._texts = count(1)

    async def live(self) -> None:
        while not self.cluster.is_over:
            try:
                if self.connection is None or self.connection.is_over:
                    await self._connect()
                await self.take_turn()
            except Lost:
                self._hang_up()
            except ScovilleError as error:
                self.note_refusal(error)
            await self.clock.sleep(0.05 + 0.35 * self.chance())

    async def take_turn(self) -> None:
        raise NotImplementedError

    def note_refusal(self, error: ScovilleError) -> None:
        """Look elsewhere if this node cannot do it."""
        if error.code in {Code.UNKNOWN_TABLE, Code.SHUTTING_DOWN, Code.RESTARTING, Code.MAINTENANCE, "moved"}:
            self._hang_up()

    def note_notice(self, notice: m.Notice) -> None:
        """Follow the notices of the server."""

    def note_connected(self) -> None:
        """A new connection knows nothing of what the last one watched."""

    async def say(self) -> None:
        op = self.begin_op("say", text=f"{self.name} {next(self._texts)}")
        reply = await self.ask(op, m.SayRequest(text=op.text))
        op.number = reply.message.number

    def begin_op(self, kind: OpKind, **details: Any) -> Op:
        return Op(user=self.name, kind=kind, machine=self.machine, invoked=self.clock.seconds(), **details)

    async def ask(self, op: Op | None, params: m.Params) -> Any:
        """Send a request and return its answer. Raises ScovilleError, and Lost when there is none."""
        if self.connection is None or self.connection.is_over:
            raise Lost
        if op is not None:
            op.process = self.connection.node.process.name
            self.cluster.history.ops.append(op)
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.connection.request(params, lambda answer: None if answered.done() else answered.set_result(answer))
        ended = asyncio.ensure_future(self.ended.wait())
        try:
            await self._wait_for_answer(answered, ended)
        finally:
            ended.cancel()
        if not answered.done():
            answered.cancel()
            raise Lost
        answer = answered.result()
        if isinstance(answer, ScovilleError) and answer.code == Code.UNKNOWN_TABLE:
            told = ToldMissing(self.clock.seconds(), self.name, getattr(params, "table", ""))
            self.cluster.history.told_missing.append(told)
        return self._take_answer(op, answer)

    async def _wait_for_answer(self, answered: "asyncio.Future[Any]", ended: "asyncio.Future[Any]") -> None:
        until = self.clock.seconds() + PATIENCE
        while not (answered.done() or ended.done()) and self.clock.seconds() < until:
            await self.clock.wait(answered, ended, seconds=SUSPECT_SECONDS * (1 + self.clock.chance() / 2))
            elsewhere = self.cluster.named_elsewhere(self.machine)
            if not (answered.done() or ended.done()) and elsewhere is not None:
                self._move_to(elsewhere)
                raise Lost

    def _take_answer(self, op: Op | None, answer: m.Reply | ScovilleError) -> m.Reply:
        now = self.clock.seconds()
        if isinstance(answer, ScovilleError):
            if op is not None:
                op.returned, op.code = now, answer.code
                op.outcome = "unknown" if answer.code == Code.OUTCOME_UNKNOWN else "refused"
            raise answer
        if op is not None:
            op.returned, op.outcome = now, "ok"
        if self.last_ok is not None:
            self.cluster.history.gaps.append(now - self.last_ok)
        self.last_ok = now
        return answer

    async def _connect(self) -> None:
        self.connection = None
        self.ended = asyncio.Event()
        self.connections += 1
        connection = self.cluster.connect(self.machine, self.note_notice, lambda _: self.ended.set())
        if connection is None:
            raise Lost
        self.connection = connection
        op = self.begin_op("hello", shown=self.token)
        try:
            reply = await self.ask(op, m.HelloRequest(protocol=m.PROTOCOL, name=self.name, token=self.token))
        except ScovilleError:
            raise Lost from None
        op.text, op.resumed, op.reused = reply.name, reply.resumed, reply.token_reused
        self.token = reply.token
        self.note_connected()

    def _hang_up(self) -> None:
        if self._goes_to is None:
            self._move_to((self.machine + 1) % self.cluster.machines)
        self._goes_to = None

    def _move_to(self, machine: int) -> None:
        if self.connection is not None and not self.connection.is_over:
            self.connection.hang_up()
        self.connection = None
        self.machine = self._goes_to = machine


class Group:
    """The players of one table, and what they agree on outside of the game: which table it is."""

    def __init__(self, *, timed: bool) -> None:
        self.timed = timed
        self.table = ""
        self.left: set[str] = set()


class Player(User):
    """Plays one game after the other with the rest of a group; one of them `opens` the tables."""

    def __init__(self, cluster: Cluster, name: str, group: Group, *, opens: bool) -> None:
        super().__init__(cluster, name)
        self.group = group
        self.opens = opens
        self._early: list[m.Notice] | None = None
        self._forget_table()

    def _forget_table(self) -> None:
        self.table = ""
        self.seat: int | None = None
        self.host_seat: int | None = None
        self.known = 0
        self.status = "waiting"
        self.pending: list[int] = []
        self.counts: list[int] = []
        self.seated = 0
        self.watching = False

    def note_connected(self) -> None:
        self.watching = False

    async def take_turn(self) -> None:
        if self.chance() < 0.06:
            await self.say()
        if self.table != self.group.table:
            self._forget_table()
            self.table = self.group.table
        if not self.table:
            await self._open_table()
        elif not self.watching:
            await self._watch()
        elif self.seat is None and self.status == "waiting":
            await self._join()
        elif self.status == "waiting" and self.seated == 2 and self.seat == self.host_seat:
            await self.ask(self.begin_op("start", table=self.table), m.StartRequest(table=self.table))
        elif self.status == "playing" and self.seat in self.pending:
            await self._play(self.seat)
        elif self.status == "finished":
            await self._leave()
        elif self.clock.seconds() - (self.last_ok or 0.0) > PING_SECONDS:
            await self.ask(None, m.PingRequest())

    async def _open_table(self) -> None:
        if self.opens:
            op = self.begin_op("open")
            clock = m.ClockParams(move_ms=4_000, bank_ms=1_000) if self.group.timed else m.ClockParams()
            game, options = ("high_card", {"rounds": 6}) if self.chance() < 0.5 else ("heap", {"sticks": 40})
            reply = await self.ask(op, m.CreateRequest(game=game, seat_count=2, options=options, clock=clock))
            op.table = self.group.table = reply.info.table
            self.group.left.clear()

    async def _watch(self) -> None:
        """Watch the table; what happens meanwhile is noted after the answer, which is older."""
        self._early = early = []
        try:
            await self._watch_first()
        finally:
            self._early = None
            for notice in early:
                self.note_notice(notice)

    async def _watch_first(self) -> None:
        table, known = self.table, self.known
        try:
            snapshot = await self.ask(None, m.WatchRequest(table=table, since=known))
        except ScovilleError as error:
            if error.code != Code.UNKNOWN_TABLE or self.status != "finished":
                raise
            # It went when all had left, this user by a request whose answer was lost.
            await self._leave()
            return
        self.cluster.history.snapshots.append(
            Snapshot(
                user=self.name,
                at=self.clock.seconds(),
                connection=self.connections,
                table=table,
                seq=snapshot.seq,
                known=known,
                commitment=snapshot.info.commitment,
            )
        )
        self.seat, self.host_seat, self.status = snapshot.seat, snapshot.info.host, snapshot.info.status
        self.seated = sum(seat.kind == "human" for seat in snapshot.info.seats)
        self.pending, self.counts = snapshot.pending, snapshot.move_counts
        self.watching = True
        for event in snapshot.events:
            self._note_event(event, is_notice=False)

    def note_notice(self, notice: m.Notice) -> None:
        if self._early is not None:
            self._early.append(notice)
        elif isinstance(notice, m.EventNotice) and notice.table == self.table:
            self._note_event(notice.event, is_notice=True, view=notice.view)

    def _note_event(self, event: m.AnyTableEvent, *, is_notice: bool, view: Any = None) -> None:
        self.cluster.history.seen.append(
            Seen(
                user=self.name,
                at=self.clock.seconds(),
                connection=self.connections,
                table=self.table,
                seat=self.seat,
                event=event,
                view=view,
                is_notice=is_notice,
            )
        )
        self.known = max(self.known, event.seq)
        match event:
            case m.Joined():
                self.seated += is_notice
                self.host_seat = event.host
                if event.name == self.name:
                    self.seat = event.seat
            case m.Started():
                self.status, self.pending, self.counts = "playing", event.pending, [0] * len(event.seats)
            case m.Played():
                self.pending, self.counts = event.pending, event.move_counts
            case m.Finished() | m.Closed():
                self.status = "finished"

    async def _join(self) -> None:
        op = self.begin_op("join", table=self.table)
        reply = await self.ask(op, m.JoinRequest(table=self.table))
        op.seat = self.seat = reply.seat

    async def _play(self, seat: int) -> None:
        moves = (await self.ask(None, m.MovesRequest(table=self.table))).moves
        if moves and self.status == "playing":
            move, nth = moves[int(self.chance() * len(moves))], self.counts[seat]
            op = self.begin_op("play", table=self.table, seat=seat, nth=nth, move=move)
            reply = await self.ask(op, m.PlayRequest(table=self.table, move=move, nth=nth))
            op.seq = reply.seq

    async def _leave(self) -> None:
        # Without a seat an earlier request has left it, whose answer was lost.
        if self.seat is not None and self.name not in self.group.left:
            with self._forgiving_unknown_table():
                await self.ask(self.begin_op("leave", table=self.table), m.LeaveRequest(table=self.table))
        self.group.left.add(self.name)
        if self.opens and len(self.group.left) == 2:
            self.group.table = ""

    @contextmanager
    def _forgiving_unknown_table(self) -> Iterator[None]:
        """A table that is over goes when both have left, and after some time."""
        try:
            yield
        except ScovilleError as error:
            if error.code not in {Code.UNKNOWN_TABLE, Code.NOT_SEATED}:
                raise


class Owner(User):
    """Claims the name with a password, then chats."""

    is_owner = False

    async def take_turn(self) -> None:
        if self.is_owner:
            await self.say()
        else:
            op = self.begin_op("claim", text=self.name)
            try:
                await self.ask(op, m.ClaimNameRequest(password=PASSWORD))
            except ScovilleError as error:
                # Claimed by an earlier request whose answer was lost.
                if error.code != Code.BAD_PARAMS:
                    raise
            self.is_owner = True
        await self.clock.sleep(1 + self.chance())


class Banner(Owner):
    """The admin, who bans a user after some seconds."""

    is_admin = has_banned = False

    def __init__(self, cluster: Cluster, target: str, after: float) -> None:
        super().__init__(cluster, ADMIN)
        self.target = target
        self.after = after

    async def take_turn(self) -> None:
        if not self.is_owner or self.connection is None or self.clock.seconds() < self.after or self.has_banned:
            await super().take_turn()
        elif not self.is_admin:
            try:
                await self.ask(None, m.BecomeAdminRequest(code=self.cluster.admin_code(self.connection)))
            except ScovilleError as error:
                # Used by an earlier request whose answer was lost.
                if error.code != Code.WRONG_CODE:
                    raise
            self.is_admin = True
        else:
            op = self.begin_op("ban", text=self.target)
            await self.ask(op, m.BanRequest(kind="name", target=self.target, scope="server", reason="spam"))
            self.has_banned = True


class Troll(User):
    """Chats, and connects again and again."""

    async def take_turn(self) -> None:
        await self.say()
        await self.clock.sleep(self.chance())
        if self.chance() < 0.5:
            self._hang_up()
