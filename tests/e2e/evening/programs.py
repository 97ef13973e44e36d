"""Users with programs of their own, on plain connections, who note all that they do and see."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from scoville_runtime.clock import SYSTEM
from tests.e2e.cluster.load import Line, LoadPlayer, Lost, Refused
from tests.e2e.evening.story import Greeted, Shown, Story, Tried

_RETRIED: Final = ("moved", "busy", "not_saved", "outcome_unknown", "restarting", "shutting_down", "slow_down")
_SEATED_SECONDS: Final = 60.0
PASSWORD: Final = "correct horse battery"


class Pace:
    """How fast everybody plays: at the end of the evening, as fast as they can."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.hurries = False

    def draw_pause(self, chance: random.Random) -> float:
        """Draw the seconds until the next move."""
        return 0.05 if self.hurries else self._seconds * chance.uniform(0.4, 1.6)


class LobbyMessages:
    """The messages of the lobby that a user has: at each hello they read what they have missed.

    Attributes:
        known: The number up to which they have all.
    """

    def __init__(self, story: Story) -> None:
        self.known = 0
        self._story = story
        self._early: list[dict[str, Any]] | None = None
        """Messages that have come on this connection before the answer with those that were missed."""

    def begin_again(self) -> None:
        """Begin another connection: what came on the former one before its answer is lost with it, and read now."""
        self._early = []

    def note_message(self, message: dict[str, Any]) -> None:
        """Note a message as it comes."""
        if self._early is not None:
            self._early.append(message)
            return
        self._story.heard.append(message)
        self.known = max(self.known, message["number"])

    def take_read(self, messages: list[dict[str, Any]]) -> None:
        """Take the messages that were missed."""
        early, self._early = self._early or [], None
        read = {message["number"] for message in messages}
        self._story.caught_up += messages
        # One that has come before the answer may be in it as well.
        self._story.heard += [message for message in early if message["number"] not in read]
        self.known = max((self.known, *read, *(message["number"] for message in early)))


async def _wait_for_change(changed: asyncio.Event) -> None:
    changed.clear()
    with suppress(TimeoutError):
        async with asyncio.timeout(0.05):
            await changed.wait()


class Program(LoadPlayer):
    """A user with a program.

    Args:
        name: The name that they ask for.
        source: The address of this machine from which they connect.
        ports: Those of all nodes.
        pace: How fast they play.
        chance: Draws.
        language: The language in which they get the game in sentences; empty for none.
    """

    way = "program"

    def __init__(
        self, name: str, source: str, ports: Sequence[int], pace: Pace, chance: random.Random, language: str
    ) -> None:
        super().__init__(name, source, ports, 0.0, chance, hello_seconds=4.0)
        self.story = Story(name, self.way)
        self._pace, self._language = pace, language
        self.is_finished = False
        self.seats: dict[int, str] = {}
        self._connection = 0
        self._looking = asyncio.Lock()
        self._early: list[dict[str, Any]] | None = None
        """Notices that have come since the table was asked for, whose answer this user has not taken yet."""
        self._lobby = LobbyMessages(self.story)

    # --- connections --------------------------------------------------------------------------------------

    def start(self) -> None:
        """Come, and stay until the end."""
        super().start()
        self._tasks.append(asyncio.get_running_loop().create_task(_talk_until_gone(self)))

    def _note_welcome(self, line: Line, welcome: dict[str, Any]) -> None:
        # A guest who has neither a seat nor a claimed name is known to one node alone.
        has_nothing = not (self.story.games or self.story.claimed)
        greeted = Greeted(welcome["name"], SYSTEM.seconds(), is_known=has_nothing or welcome["resumed"])
        self.story.greeted.append(greeted)
        self._connection += 1
        self._early = None
        self._lobby.begin_again()

        def note_end(_: object) -> None:
            greeted.until = SYSTEM.seconds()

        line.over.add_done_callback(note_end)

    def _note_said(self, notice: dict[str, Any]) -> None:
        message = notice["message"]
        if message["channel"] == "lobby":
            self._lobby.note_message(message)
        else:
            self.story.heard.append(message)

    async def _stay_connected(self) -> None:
        while not self.is_over:
            line = self._line or await self.connect()
            try:
                await self._call_node(line, "lobby.watch")
                read = await self._call_node(line, "chat.read", channel="lobby", since=self._lobby.known)
                self._lobby.take_read(read["messages"])
                if self.table:
                    await self._look_at_table(line)
            except (OSError, TimeoutError):
                line.abort()
                self._line = None
                self._leave_node("")
                continue
            except Refused as error:
                self._note_refusal("lobby.watch", error)
                line.abort()
            address = await self._wait_for_end(line)
            self._line, self.is_watching = None, False
            if not line.comes_back:
                self._leave_node(address)

    def _note_refusal(self, method: str, error: Refused) -> None:
        if error.code not in _RETRIED:
            self.story.faults.append(f"{method} at {self.port} was refused: {error}")

    async def ask_server(self, method: str, **params: Any) -> Any:
        """Ask until it is answered: only for what may be done twice. Raises Refused."""
        while True:
            line = self._line
            if line is None:
                await _wait_for_change(self._changed)
                continue
            try:
                return await self._call_node(line, method, **params)
            except OSError:
                await _wait_for_change(self._changed)
            except Refused as error:
                if error.code not in _RETRIED:
                    raise
                await SYSTEM.sleep(0.2)

    # --- tables -------------------------------------------------------------------------------------------

    async def open_table(self, game: str, seats: int, options: dict[str, Any]) -> dict[str, Any]:
        """Open a table; one whose answer was lost stays empty."""
        opened: dict[str, Any] = await self.ask_server("table.create", game=game, seat_count=seats, options=options)
        return opened["info"]  # type: ignore[no-any-return]

    async def reopen_table(self) -> dict[str, Any]:
        """Open the rematch, as everybody else at the table may do at the same time."""
        opened: dict[str, Any] = await self.ask_server("table.rematch", table=self.table)
        return opened["info"]  # type: ignore[no-any-return]

    async def enter_table(self, table: str, code: str) -> None:
        """Enter a table by its code, and take a seat."""
        entered = await self.ask_server("table.enter", code=code)
        if entered["info"]["table"] != table:
            self.story.faults.append(f"the code {code} of {table} leads to {entered['info']['table']}")
        joined = await self.ask_server("table.join", table=table)
        # Who leaves before gives up the seat at a rematch.
        await self._leave_former()
        self._seq = self._made = 0
        self._is_due = self.is_finished = False
        self.seats = {}
        self.table, self.seat = table, joined["seat"]
        self.story.games[table] = joined["seat"]
        self.story.commitments[table] = joined["info"]["commitment"]
        while not self.is_watching:
            line = self._line
            if line is not None:
                with suppress(OSError):
                    await self._look_at_table(line)
                    break
            await _wait_for_change(self._changed)

    async def _leave_former(self) -> None:
        table, self.table, self.is_watching = self.table, "", False
        if table:
            with suppress(Refused):
                await self.ask_server("table.leave", table=table)

    async def start_game(self) -> None:
        """Start the game once every seat is taken."""
        began = SYSTEM.seconds()
        while len(self.seats) < self._seat_count and SYSTEM.seconds() - began < _SEATED_SECONDS:
            await _wait_for_change(self._changed)
        if len(self.seats) < self._seat_count:
            self.story.faults.append(f"only {self.seats} came to {self.table}")
        try:
            await self.ask_server("table.start", table=self.table)
        except Refused as error:
            if error.code != "already_started":
                self._note_refusal("table.start", error)

    async def end_game(self) -> None:
        """Wait for the end of the game, and export it."""
        while not self.is_finished:
            await _wait_for_change(self._changed)
        lines: list[str] = []
        while True:
            try:
                reply = await self.ask_server("table.export", table=self.table, since=len(lines))
            except Refused as error:
                self._note_refusal("table.export", error)
                return
            lines += reply["lines"]
            if len(lines) >= reply["line_count"]:
                break
        self.story.exported[self.table] = lines

    async def _look_at_table(self, line: Line) -> None:
        """Watch the table from the last event on, unless this connection does. Raises OSError."""
        async with self._looking:
            await self._look_alone(line)

    async def _look_alone(self, line: Line) -> None:
        table = self.table
        while table == self.table and not (self.is_watching and line is self._line):
            more = {"sentence_language": self._language} if self._language else {}
            since, self._early = self._seq, []
            try:
                shot = await self._call_node(line, "table.watch", table=table, since=since, **more)
            except Refused as error:
                self._note_refusal("table.watch", error)
                if error.code == "moved":
                    raise Lost from error
                await SYSTEM.sleep(0.1)
                continue
            for event in shot["events"]:
                self._take_event(table, event, None, is_notice=False)
            early, self._early = self._early, None
            # Else this user has gone on to the next table meanwhile, which is watched by another request.
            if table == self.table:
                self._take_shot(shot)
            for notice in early:
                self._note_event(notice)
            if self.is_watching:
                return

    def _take_shot(self, shot: dict[str, Any]) -> None:
        if shot["seat"] != self.seat:
            self.story.faults.append(f"seat {self.seat} of {self.table} became {shot['seat']}")
        self._seat_count = len(shot["info"]["seats"])
        if shot["latest"] is None:
            self._take_state(shot["seq"], shot["view"], shot["move_counts"], shot["pending"])
            self.is_watching = True

    def _note_event(self, notice: dict[str, Any]) -> None:
        if self._early is not None:
            self._early.append(notice)
            return
        event = notice["event"]
        if self._language and event["kind"] == "played" and not event.get("fact_sentences"):
            self.story.faults.append(f"{event} of {notice['table']} came without sentences")
        self._take_event(notice["table"], event, notice["view"], is_notice=True)
        if notice["table"] == self.table:
            super()._note_event(notice)

    def _take_event(self, table: str, event: dict[str, Any], view: Any, *, is_notice: bool) -> None:
        self.story.shown.append(Shown(self._connection, table, self.seat, event, view, is_notice))
        if table != self.table:
            return
        match event["kind"]:
            case "joined":
                self.seats[event["seat"]] = event["name"]
            case "left" | "kicked":
                self.seats.pop(event["seat"], None)
            case "finished":
                self.is_finished = True
            case "started":
                self._is_due = self.seat in event["pending"]
            case "closed":
                self.story.faults.append(f"{table} was closed: {event['reason']}")
        self._seq = max(self._seq, event["seq"])
        self._changed.set()

    def _take_state(self, seq: int, view: Any, counts: Sequence[int], pending: Sequence[int]) -> None:
        if seq < self._seq or self.seat < 0 or not counts:
            return
        self._seq = seq
        self._made = counts[self.seat]
        self._is_due = view is not None and self.seat in pending
        self._changed.set()

    # --- playing ------------------------------------------------------------------------------------------

    async def _play(self) -> None:
        while not self.is_over:
            if not self._is_due or not self.table:
                self._changed.clear()
                await self._changed.wait()
                continue
            await SYSTEM.sleep(self._pace.draw_pause(self._chance))
            if self._is_due and self.table:
                await self._choose_and_move()

    async def _choose_and_move(self) -> None:
        table, nth, seq = self.table, self._made, self._seq
        try:
            moves = (await self.ask_server("table.moves", table=table))["moves"]
        except Refused as error:
            self._note_refusal("table.moves", error)
            return
        if not moves or (table, nth) != (self.table, self._made):
            # What has come meanwhile says better whether a move is due.
            self._is_due = self._is_due and (table, seq) != (self.table, self._seq)
            return
        tried = Tried(table, seat=self.seat, nth=nth, move=self._chance.choice(moves))
        self.story.moves.append(tried)
        began = SYSTEM.seconds()
        self._is_due = False
        while self._made == nth and self.table == table:
            line = self._line
            if line is None:
                await _wait_for_change(self._changed)
                continue
            try:
                reply = await self._call_node(line, "table.play", table=table, move=tried.move, nth=nth)
            except OSError:
                await _wait_for_change(self._changed)
            except Refused as error:
                if error.code == "stale_move":
                    break  # by an attempt whose answer was lost
                if error.code not in _RETRIED:
                    tried.outcome = "refused"
                    self._note_refusal(f"{tried}", error)
                    break
                await SYSTEM.sleep(0.05)
            else:
                tried.outcome, tried.number = "ok", reply["seq"]
                break
        self.story.waits.append(SYSTEM.seconds() - began)

    async def claim_name(self) -> None:
        """Claim the name that this user has."""
        name = self.story.greeted[-1].name
        with suppress(Refused):
            await self.ask_server("account.claim_name", password=PASSWORD)
            self.story.claimed = name

    async def read_lobby(self) -> None:
        """Read what is left of the lobby's messages."""
        self.story.read = (await self.ask_server("chat.read", channel="lobby"))["messages"]


async def _talk_until_gone(user: Program) -> None:
    """Let a user say something now and then, until they go."""
    while not user.is_over:
        await SYSTEM.sleep(user._chance.uniform(10, 40))
        if not user._pace.hurries:
            await _say_once(user, user.table if user._chance.random() < 0.7 else "")


async def _say_once(user: Program, table: str) -> None:
    """Let a user say what nobody has said before, once: whether it was said may stay unknown."""
    line = user._line
    if line is None:
        return
    tried = Tried(table, text=f"{user._source} says {len(user.story.said) + 1}")
    user.story.said.append(tried)
    more = {"table": table} if table else {}
    try:
        message = (await user._call_node(line, "chat.say", text=tried.text, **more))["message"]
    except OSError:
        return
    except Refused as error:
        if error.code != "outcome_unknown":
            tried.outcome = "refused"
        if error.code not in ("unknown_table", "not_seated"):
            user._note_refusal("chat.say", error)
        return
    tried.outcome, tried.number = "ok", message["number"]
