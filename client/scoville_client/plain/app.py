"""Where the person of the line mode is, and what they are told there."""

import asyncio
from collections.abc import Iterable
from typing import Any, Literal

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.errors import said
from scoville_client.i18n.event_text import standings
from scoville_client.i18n.language import words
from scoville_client.i18n.option_text import STARTS
from scoville_client.plain.move_input import are_numbered, has_notation, listed, named
from scoville_client.plain.notices import Notices
from scoville_client.plain.output import TextOutput
from scoville_client.plain.stdin import LineReader
from scoville_client.session import hosting
from scoville_client.session.changes import Change, Connected, Happened, LineDown, Lost, SentAway, TableChanged
from scoville_client.session.chat.channels import LOBBY
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.session.stop_text import draining
from scoville_client.session.table.deal_check import attest
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat

Place = Literal["menu", "lobby", "waiting", "playing", "finished"]


class LineModeApp:
    """The session of the line mode, told in sentences as it changes.

    `start` is what the next connection is made from, `typed` what the person types. `done` asks the loop to end,
    `status` is the exit status then; `asked_to_quit` says that quitting has been asked for once. `numbered` are the ids
    of the tables as they were last told with numbers.
    """

    def __init__(self, start: Start, voice: TextOutput, typed: LineReader) -> None:
        self.start = start
        self.voice = voice
        self.session = Session()
        self.news = Notices(self.session, voice)
        self.done = False
        self.asked_to_quit = False
        self.status = 0
        self.numbered: list[str] = []
        self._typed = typed
        self._line_down = asyncio.Event()
        self._move_waits = False
        self._running: hosting.Running | None = None
        self._stopping: hosting.Running | None = None
        self._table: AtTable | None = None
        self._starts_by_itself = False
        self._told = 0
        self._dealt = False
        self._asked: int | None = None
        self._next: str | None = None

    @property
    def place(self) -> Place:
        """Say where the person is: what can be done depends on it."""
        if self.session.state == "offline":
            return "menu"
        at = self.session.table
        return "lobby" if at is None else at.info.status

    @property
    def table(self) -> AtTable:
        """The table the player is at. Raises ScovilleError when there is none: it may go while an answer is awaited."""
        if self.session.table is None:
            raise ScovilleError(Code.NOT_SEATED, words("You are not at a table; join one first."))
        return self.session.table

    @property
    def hosts(self) -> bool:
        """Say whether the server that others connect to runs here."""
        return self._running is not None and self._running.address is not None

    async def begin(self, start: Start) -> None:
        """Go where `start` says. Raises LinkError and ScovilleError."""
        await self.end()
        self._starts_by_itself = start.kind == "practice"
        self.session, self.numbered = hosting.session_for(start), []
        self.news = Notices(self.session, self.voice)
        self.session.subscribe(self._heard)
        self._running = await hosting.begin(self.session, start)
        self._starts_by_itself = False
        self._say_hosting(self._running)
        if start.kind != "practice":
            await self._look_around()

    async def _look_around(self) -> None:
        """Hear of the lobby and of what is said there from now on."""
        await self.session.lobby.watch()
        await self.session.chat.read(LOBBY)
        if self.session.name_claimed:
            self.voice.say("The name you wished is somebody's own. If that is you, type login and the name.")

    async def secret(self, sentence: str) -> str:
        """Ask for a password; a terminal does not show it. Raises ValueError when none is typed."""
        self.voice.say("{message}", message=sentence)
        typed = await self._typed.secret()
        if not typed:
            raise ValueError(words("Nothing was typed, and nothing is done."))
        return typed

    async def new_secret(self, sentence: str) -> str:
        """Ask for a new password, and where it is not seen once more. Raises ValueError."""
        typed = await self.secret(sentence)
        if self._typed.hides and await self.secret(words("Type it once more.")) != typed:
            raise ValueError(words("That was not the same; nothing is done."))
        return typed

    def _say_hosting(self, running: hosting.Running) -> None:
        if running.address is not None:
            for sentence in running.invitation():
                self.voice.say("{message}", message=sentence)
        if running.folder is not None:
            kept = Phrase("It is open again." if running.again else "Who hosts here again goes on with it.")
            self.voice.say("This table is kept in {folder}. {kept}", folder=str(running.folder), kept=kept)

    async def end(self) -> None:
        """Hang up, and stop what runs here: a server with other people on it lets them finish their moves first."""
        running, self._running = self._running, None
        if running is None:
            return
        if running.drain_seconds:
            self._stopping = running
            self.voice.say("{message}", message=draining(running.drain_seconds))
            self.voice.say("Type quit again to stop it at once.")
            await self._drain(running)
            self._stopping = None
        await running.close()

    async def _drain(self, running: hosting.Running) -> None:
        """Wait for the end of the games, or until quit is typed."""
        end = asyncio.ensure_future(running.drain())
        while not end.done():
            typed = asyncio.ensure_future(self._typed.next())
            await asyncio.wait((end, typed), return_when=asyncio.FIRST_COMPLETED)
            if not typed.done():
                typed.cancel()
            elif (line := typed.result()) is None:
                await end
            elif line.strip().casefold() == "quit":
                running.hurry()

    @property
    def stopping(self) -> bool:
        """Whether the server that runs here stops as soon as others have finished their moves."""
        return self._stopping is not None

    def hurry(self) -> None:
        """Stop the server that runs here at once."""
        if self._stopping is not None:
            self._stopping.hurry()

    async def play(self, move: Any) -> None:
        """Play a move; while the line is down nobody waits for the answer, which is told when it comes.

        Raises LinkError and ScovilleError.
        """
        playing = asyncio.ensure_future(self.session.play(move))
        down = asyncio.ensure_future(self._line_down.wait())
        await asyncio.wait((playing, down), return_when=asyncio.FIRST_COMPLETED)
        down.cancel()
        if playing.done():
            await playing
        else:
            playing.add_done_callback(self._played_late)

    def tell(self, phrases: Iterable[Phrase]) -> None:
        """Say phrases about the table."""
        self.voice.tell(phrases, self.table.names)

    def say_moves(self) -> None:
        """Say what can be played now, or for whom the table waits."""
        at = self.table
        choices = listed(at.moves())
        moves = [named(at.game, move) for move in choices]
        if at.my_turn and has_notation(at.game):
            self.voice.say("Your turn.")
            self.tell(at.game.text.hand(at.view))
        elif at.my_turn:
            numbered = are_numbered(at.game, choices)
            shown = [f"{number} {name}" for number, name in enumerate(moves, 1)] if numbered else moves
            self.voice.say("Your turn. You can play: {moves}.", moves=shown)
        elif moves:
            self.voice.say("You are done; you still can play: {moves}.", moves=moves)
        else:
            self.tell([_waiting_for(at)])

    def _heard(self, change: Change) -> None:
        match change:
            case LineDown():
                self._say_down(change)
            case Lost(reason):
                self.voice.say("{reason}", reason=reason)
                self.done, self.status = True, 1
                self._typed.end()
            case Connected(again=True):
                self._line_down.clear()
                self.voice.say("The line is back.")
            case Connected():
                self.voice.say("You are {name}. Type ? for what you can do.", name=self.session.name)
            case SentAway(sentence=sentence):
                self.voice.tell([sentence, Phrase("You are back in the lobby.")])
            case TableChanged() | Happened() if self.session.table is not None:
                self._tell_table(self.session.table)
            case _:
                self.news.heard(change)

    def _say_down(self, change: LineDown) -> None:
        """Say that the line is down, ever more rarely: a line that is down for long should not fill the ear."""
        self._line_down.set()
        news, self._move_waits = change.move_waits and not self._move_waits, change.move_waits
        if news or change.tries & (change.tries - 1) == 0:
            self.voice.tell([change.sentence])

    def _played_late(self, playing: asyncio.Future[int]) -> None:
        if playing.cancelled():
            return
        match playing.exception():
            case ScovilleError() as error:
                self.voice.say("{message}", message=said(error))
            case LinkError(message=message):
                self.voice.say("{message}", message=message)

    def _tell_table(self, at: AtTable) -> None:
        if at is not self._table:
            self._arrive(at)
        self.tell(line.phrase for line in at.log[self._told :])
        self._told = len(at.log)
        if at.next is not None and self._next != at.next:
            self.voice.say("Type follow to play again with them.")
        self._next = at.next
        if at.view is not None and not self._dealt:
            self._dealt = True
            self.tell(at.game.text.table(at.view))
        self._ask(at)

    def _arrive(self, at: AtTable) -> None:
        """Come to a table; what was told there before the game is told again, a game's past only on request."""
        self._table, self._asked, self._dealt = at, None, False
        self._told, self._next = 0 if at.view is None else len(at.log), at.next
        if at.info.status == "waiting" and not self._starts_by_itself:
            self._say_terms(at)

    def _say_terms(self, at: AtTable) -> None:
        """Say how the game at a table begins, and how long one may think."""
        start = at.info.manners.start
        if at.hosting and start == "host":
            self.voice.say("You host this table. Type start to begin; bots take the seats that are open.")
        elif start != "host":
            self.voice.say("The game begins {when}.", when=STARTS[start])
        if start == "ready" and at.seat is not None:
            self.voice.say("Type ready when you are.")
        for sentence in waiting_terms(at.info.clock):
            self.voice.say("{message}", message=sentence)

    def _ask(self, at: AtTable) -> None:
        """Ask for a move, once for each; or give the result, once."""
        if at.result is not None and self._asked != -1:
            self._asked = -1
            self.tell(standings(at.result))
            if (attested := attest(at)) is not None:
                self.tell([attested.phrase])
            self.voice.say("Type again to play again, leave to go back to the lobby, or quit.")
        elif at.seat is not None and at.my_turn and self._asked != at.played[at.seat]:
            self._asked = at.played[at.seat]
            self.say_moves()


def _waiting_for(at: AtTable) -> Phrase:
    if not at.pending:
        return Phrase("There is nothing to play now.")
    return Phrase("The table waits for {players}.", {"players": [Who(Seat(seat)) for seat in sorted(at.pending)]})
