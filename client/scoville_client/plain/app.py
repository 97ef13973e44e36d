"""Line mode application: the session, its server, and the output for changes."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scoville_client.i18n import tournament_text
from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import tr
from scoville_client.i18n.news_text import result_sentence
from scoville_client.plain.announcer import Notices, TableAnnouncer
from scoville_client.plain.input.prompts import KeyPrompt, PasswordPrompt
from scoville_client.plain.input.stdin import TypedLines
from scoville_client.plain.input.typed_ahead import TypedAhead
from scoville_client.plain.later_answers import LaterAnswers
from scoville_client.plain.output import TextOutput
from scoville_client.session import hosting
from scoville_client.session.changes import (
    Change,
    Connected,
    ConnectionDown,
    ConnectionLost,
    EventApplied,
    RemovedFromTable,
    TableChanged,
    TournamentNews,
)
from scoville_client.session.chat_channels import LOBBY
from scoville_client.session.commands.chat import message_phrase
from scoville_client.session.commands.command import Context
from scoville_client.session.commands.registry import context_of
from scoville_client.session.connection import SERVER_PASSWORDS
from scoville_client.session.hosting import Running, draining_text, invitation_to
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.joining.search import locate_table, search_servers
from scoville_client.session.news import gather_news
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.session.table.remaining_time import overrun_text
from scoville_client.session.table.table import AtTable
from scoville_client.session.tournaments import has_new_results, is_call_of_club, may_be_called_away
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.lan.browser import Browse
from scoville_client.transport.lan.found import FoundServer, find_reachable_address
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import TournamentInfo


class LocalServer:
    """Server in this process for the current session, if any. It drains at its end while other users are connected.

    Args:
        output: Where the sentences go.
        reader: The typed lines; `quit` ends the draining at once.

    Attributes:
        running: The server, its doors and its folder; None while nothing runs.
    """

    def __init__(self, output: TextOutput, reader: TypedLines) -> None:
        self._output = output
        self._reader = reader
        self.running: Running | None = None
        self._stopping: Running | None = None

    @property
    def is_hosting(self) -> bool:
        """Whether others can connect to it."""
        return self.running is not None and self.running.address is not None

    @property
    def stopping(self) -> bool:
        """Whether it stops as soon as others have finished their moves."""
        return self._stopping is not None

    def note_start(self, running: Running, code: str) -> None:
        """Announce how others join what has been started, by its code, and where the table is saved."""
        self.running = running
        if running.address is not None:
            for sentence in running.join_instructions(code):
                self._output.say("{message}", message=sentence)
        if running.folder is not None:
            kept = Phrase(
                "It has been reopened." if running.again else "To resume it later, host a table from this folder again."
            )
            self._output.say("This table is saved in {folder}. {kept}", folder=str(running.folder), kept=kept)

    async def stop_server(self) -> None:
        """Close the connection and stop the server; with other users on it, it drains first."""
        running, self.running = self.running, None
        if running is None:
            return
        if running.drain_seconds:
            self._stopping = running
            self._output.say("{message}", message=draining_text(running.drain_seconds))
            self._output.say("Type quit again to stop it now.")
            await self._drain_server(running)
            self._stopping = None
        await running.close()

    def hurry_stop(self) -> None:
        """Stop draining at once."""
        if self._stopping is not None:
            self._stopping.hurry_drain()

    async def _drain_server(self, running: Running) -> None:
        """Wait for the end of the games, or until `quit` is typed."""
        end = asyncio.ensure_future(running.drain_server())
        while not end.done():
            typed = asyncio.ensure_future(self._reader.read_next())
            await asyncio.wait((end, typed), return_when=asyncio.FIRST_COMPLETED)
            if not typed.done():
                typed.cancel()
            # The end of the input does not hurry a game: only a typed quit does.
            elif (line := typed.result()) is None:
                await end
            elif line.strip().casefold() == "quit":
                running.hurry_drain()


class LineModeApp:
    """The session of the line mode.

    `is_hosted` says that it runs on the server's computer for a user elsewhere, and must touch no file there.

    Attributes:
        start: The options for the next connection.
        invitation: Returns every way in which others join.
        done: Whether the loop should end, with exit status `status`.
        asked_to_quit: Whether `quit` was typed once where it must be confirmed.
        found: The servers of the last list, in its order.
        reviewed: The finished game that the user reads again, and how many of its lines they have read.
        doomed: The file of the game that is deleted when that is typed a second time.
        numbered: Ids of the tables in the order of the last numbered list.
        ahead: Moves typed before their turn.
        later: The coach's answers.
        server: The server in this process, if the session has one.
    """

    mark = ""
    is_hosted = False
    open_whispers = None
    practising = False
    """Whether the table is one of practice, on a server that no other user can join."""

    def __init__(
        self,
        start: Start,
        output: TextOutput,
        typed: TypedLines,
        clock: Clock = SYSTEM,
        browse: Browse | None = None,
    ) -> None:
        self.start = start
        self.found: list[FoundServer] = []
        self.output = output
        self.clock = clock
        self._browse = browse
        self.session = Session(clock=clock)
        self.notices = Notices(self.session, output)
        self.announcer = TableAnnouncer(output, clock)
        self.make_invitation: Callable[[], Invitation] = lambda: Invitation(())
        self.done = False
        self.asked_to_quit = False
        self.status = 0
        self.numbered: list[str] = []
        self.reviewed = ("", 0)
        self.doomed: Path | None = None
        self.ahead = TypedAhead(typed, lambda: self.must_wait)
        self.later = LaterAnswers(output, lambda: self.session.table, clock)
        self.passwords, self.keys = PasswordPrompt(output, typed), KeyPrompt(output, typed, clock)
        self.server = LocalServer(output, typed)
        self._typed = typed
        self._line_down = asyncio.Event()
        self._late: asyncio.Future[int] | None = None
        self._seating: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        self._barometer: tuple[str, list[str]] = ("", [])
        """The tournament whose standings were said last, and how."""
        self._move_waits = False

    @property
    def context(self) -> Context:
        """Where the user is; it decides which commands are possible."""
        return context_of(self.session)

    @property
    def table(self) -> AtTable:
        """The current table. Raises ScovilleError if there is none: it may vanish during a request."""
        return self.session.current_table

    async def ask_password(self, question: str) -> str:
        """Ask for a password, hidden at a terminal."""
        return await self.passwords.ask_password(question)

    async def begin_session(self, start: Start) -> None:
        """Connect and take a seat as `start` says. Raises LinkError and ScovilleError."""
        await self.server.stop_server()
        self.announcer.practice = self.practising = start.kind == "practice"
        self.session, self.numbered = hosting.session_for(start, self.clock), []
        self.notices = Notices(self.session, self.output)
        self.session.subscribe(self._on_change)
        start = await locate_table(start, self._browse, self.clock)
        running = await self._connect_with_password(start)
        self.announcer.practice = False
        self.make_invitation = lambda: invitation_to(start, self.session, running)
        code = self.session.table.info.code or "" if self.session.table is not None else ""
        self.server.note_start(running, code)
        if start.kind == "host" and code:
            self.output.say("Table code: {code}", code=code)
        if start.kind != "practice":
            await self._look_around()

    @property
    def types_at_terminal(self) -> bool:
        """Whether a user types, and the lines come from no pipe or file."""
        return self._typed.is_terminal

    async def read_line(self) -> str | None:
        """Return the next line that is typed; None at the end of the input."""
        return await self._typed.read_next()

    async def quit_typed(self) -> None:
        """Wait until the user types `quit` while something else is under way."""
        await self._typed.quit_typed()

    async def search_servers(self) -> list[FoundServer]:
        """Find the servers on the local network. Raises LinkError where no search is possible."""
        self.found = await search_servers(self._browse, self.clock)
        return self.found

    async def find_address(self, server: FoundServer) -> Address:
        """Return the address at which a found server answers. Raises LinkError."""
        return await find_reachable_address(server, KnownServers.of_user(), self.clock)

    async def _connect_with_password(self, start: Start) -> hosting.Running:
        """Connect; a server that asks newcomers for its password gets what the user types."""
        while True:
            try:
                return await self._connect(start)
            except ScovilleError as error:
                if error.code not in SERVER_PASSWORDS:
                    raise
                self.output.say("{text}", text=error_text(error))
                typed = await self.ask_password(tr("Password of the server: "))
                if not typed:
                    raise
                self.session.connection.server_password = typed

    async def _connect(self, start: Start) -> hosting.Running:
        return await hosting.begin_session(self.session, start, self.clock)

    async def _look_around(self) -> None:
        """Watch the lobby and its chat."""
        community = self.session.community
        self.output.write_answer(community.list_introduction())
        if community.info.has_rules:
            self.output.say("Type rules server for the rules of this server.")
        await self.session.lobby.watch_lobby()
        await self.session.chat.read_channel(LOBBY)
        await self._tell_news()
        if self.session.connection.name_claimed:
            self.output.say("The name you asked for is claimed. If it is yours, type login and the name.")

    async def _tell_news(self) -> None:
        """Say which games have ended while the user was away, and what was written for them.

        Invitations and turns are announced as they come, at this moment as at any other.
        """
        try:
            news = await gather_news(self.session)
        except ScovilleError:  # the server is busy, and its news can be requested later
            return
        if news is None or not (news.results or news.messages):
            return
        self.output.say("While you were away, since {when}:", when=day_and_time(news.since_ms))
        for game in news.results:
            self.output.say("{text}", text=result_sentence(game, self.session.games, self.session.name))
        self.output.write([message_phrase(line, self.session.name) for line in news.messages])

    async def play_move(self, move: Any) -> None:
        """Play a move. While the connection is lost this returns at once, and the result is written later.

        Raises LinkError and ScovilleError.
        """
        # A move that waits for a connection must not hold up the lines after it.
        playing = asyncio.ensure_future(self.session.play_move(move))
        down = asyncio.ensure_future(self._line_down.wait())
        await asyncio.wait((playing, down), return_when=asyncio.FIRST_COMPLETED)
        down.cancel()
        if playing.done():
            seq = await playing  # its refusal comes first: the table may have been closed while it was sent
            await self._until_applied(self.table, seq)
        else:
            self._late = playing
            playing.add_done_callback(self._played_late)

    async def _until_applied(self, at: AtTable, seq: int) -> None:
        """Wait for the event of a move: until then the table still says that it is this player's turn."""
        while self.session.table is at and at.seq < seq and not self.done:
            await self.ahead.wait_for_change()

    @property
    def must_wait(self) -> bool:
        """Whether this player is in a running game, but cannot move yet: others must, or a move is on its way."""
        at = self.session.table
        if at is None or at.seat is None or at.info.status != "playing" or self.done:
            return False
        return self._late is not None or not (at.my_turn or at.info.paused)

    def write_phrases(self, phrases: Iterable[Phrase]) -> None:
        """Write phrases about the table."""
        self.announcer.write_phrases(self.table, phrases)

    def _on_change(self, change: Change) -> None:
        self.ahead.note_change()
        match change:
            case ConnectionDown():
                self._say_down(change)
            case ConnectionLost(reason):
                self.output.say("{reason}", reason=reason)
                self.done, self.status = True, 1
                self._typed.end()
            case Connected(again=True):
                self._line_down.clear()
                self.output.say("Reconnected.")
            case Connected():
                self._say_greeting()
            case RemovedFromTable(sentence=sentence):
                self.output.write([sentence, Phrase("You are back in the lobby.")])
            case TableChanged() | EventApplied() if self.session.table is not None:
                self.announcer.announce_changes(self.session.table)
                if isinstance(change, EventApplied) and (overrun := overrun_text(self.session.table, change.event)):
                    self.output.say("{message}", message=overrun)
            case TournamentNews(info=info, kind=kind) if info.entered:
                self._follow_tournament(info, kind)
            case TournamentNews(info=info, kind=kind) if is_call_of_club(change):
                self._say_call_of_club(info, kind)
            case _:
                self.notices.on_change(change)

    def _say_greeting(self) -> None:
        """Say once how the user is called, and why not as they requested."""
        refused = self.session.connection.name_refused
        if refused is None:
            self.output.say("You are {name}. Type ? for help.", name=self.session.name)
        else:
            self.output.write([refused])
            self.output.say("Type ? for help.")

    def _say_call_of_club(self, info: TournamentInfo, kind: str) -> None:
        if kind == "changed" and info.director == self.session.name:
            return  # the answer to their own call says it
        self.output.write([tournament_text.news_sentence(info, kind)])
        self.output.say("Type {command} to list them.", command="tournaments")

    def _follow_tournament(self, info: TournamentInfo, kind: str) -> None:
        """Announce a change of a tournament, and go where a table waits."""
        if kind == "changed" and has_new_results(info):
            self._telling = asyncio.get_running_loop().create_task(self._say_barometer(info.id))
            return
        if kind == "changed" and info.stage == "running" and not info.round_number and info.format != "arena":
            return  # its first round begins at once, which is said then
        self.output.write([tournament_text.news_sentence(info, kind)])
        if kind == "seated":
            self._go_to_tournament_table(info)

    def _go_to_tournament_table(self, info: TournamentInfo) -> None:
        """Go to the table that waits; tell a user who plays at another one how to go there."""
        if not may_be_called_away(self.session.table):
            self.output.say("Type {command} to go there.", command="tournament play")
            return
        # Kept: the loop refers to its tasks only weakly.
        self._seating = asyncio.get_running_loop().create_task(self._take_tournament_seat(info.id))

    async def _take_tournament_seat(self, number: str) -> None:
        try:
            await self.session.tournaments.take_seat(number)
        except (ScovilleError, LinkError) as error:
            self.output.write_error(error)

    async def _say_barometer(self, number: str) -> None:
        """Say how all stand after a deal of a duplicate evening."""
        try:
            shown = await self.session.tournaments.show_tournament(number)
        except (ScovilleError, LinkError) as error:
            self.output.write_error(error)
        else:
            lines = tournament_text.barometer_lines(shown)
            before = self._barometer[1] if self._barometer[0] == number else []
            # An evening ends with its last deal: sentences about that are not repeated.
            for line in lines:
                if line not in before:
                    self.output.say("{line}", line=line)
            self._barometer = number, lines

    def _say_down(self, change: ConnectionDown) -> None:
        """Announce the lost connection, ever more rarely: screen readers read every line."""
        self._line_down.set()
        news, self._move_waits = change.move_waits and not self._move_waits, change.move_waits
        # At tries 1, 2, 4, 8 and so on.
        if news or change.tries & (change.tries - 1) == 0:
            self.output.write([change.sentence])

    def _played_late(self, playing: asyncio.Future[int]) -> None:
        self._late = None
        self.ahead.note_change()
        if playing.cancelled():
            return
        match playing.exception():
            case ScovilleError() | LinkError() as error:
                self.output.write_error(error)
            case Exception() as error:  # a fault of our own: the loop reports it
                raise error
