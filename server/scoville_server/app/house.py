"""The house in which the tables stand: who comes in, which tables are opened, and which are cleared away."""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import msgspec

from scoville_server.actor import Done, TableActor, shutting_down, wall_ms
from scoville_server.app.absence import Absences
from scoville_server.app.archive import save
from scoville_server.app.recovery import nothing_is_garbage, reopened
from scoville_server.config import Settings
from scoville_server.journal.base import Journal, JournalError
from scoville_server.lobby import Lobby
from scoville_server.net.service import Peer
from scoville_server.sessions import Person, Sessions
from scoville_server.shelf import Shelf
from scoville_server.table.commands import Command, Join, Leave, Reopen, WarnOfAbsence
from scoville_server.table.evolve import fold
from scoville_server.table.model import Table
from scoville_server.table.records import AnyRecord, Opened
from scoville_server.table.resume import resumed
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import PersonId, TableId
from scoville_shared.kit.dice import SEED_BYTES
from scoville_shared.wire.messages import CreateTable, TableClock

_log = logging.getLogger(__name__)
_ID_DIGITS = 12

T = TypeVar("T")


class House:
    """Everything that connections share. `shelf` holds the games, `lobby` the tables, `sessions` the people."""

    def __init__(self, settings: Settings, shelf: Shelf, journal: Journal) -> None:
        self.settings = settings
        self.shelf = shelf
        self.journal = journal
        self.sessions = Sessions(settings.people, self._forgot)
        self.lobby: Lobby[TableActor] = Lobby(settings.tables, settings.tables_opened)
        self._seed = None if settings.seed is None else settings.seed.ljust(SEED_BYTES, b"\0")
        self._opening = settings.opening
        self._absences = Absences(self._warn_of_absence, self._lapse)
        self._unseated: dict[TableId, asyncio.TimerHandle] = {}
        self._filed: dict[TableId, asyncio.Task[bool]] = {}
        self._chores: set[asyncio.Task[Any]] = set()
        self._closing = False

    # --- the beginning ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Go on where an earlier run ended: people, tables, seats. Raises JournalError with a sentence for the host."""
        kept = await self.journal.open()
        self.sessions.restore(kept.people)
        if kept.tables:
            with nothing_is_garbage():
                for table in reopened(kept.tables, self.shelf.game):
                    self._reopen(self._set_up(table))

    def _reopen(self, actor: TableActor) -> None:
        table = actor.table
        if table.seq:
            self._not_unseated(table.id)
        if table.status == "finished":
            self._file(table)
        for chair in table.chairs:
            if chair.human and chair.person is not None:
                self._sat_down(chair.person, table.id)
        if table.clocks is not None:
            self._ask(table.id, Reopen())
        if table.deserted:
            self._clear(actor)

    # --- people ----------------------------------------------------------------------------------------

    def welcome(self, token: str, name: str, peer: Peer) -> Person:
        """Let somebody in; who proves to be somebody known has their seats back at once."""
        person = self.sessions.greet(token, name, peer)
        for table in person.tables:
            self._absences.end(person, table)
        self._say_presence(person, True)
        self._restore(person)
        return person

    async def remember(self, person: Person) -> None:
        """Keep who somebody is, before they have anything to come back to. Raises JournalError."""
        known = person.known
        if person.written != known:
            await self.journal.remember(known)
            person.written = known

    def _forgot(self, person: Person) -> None:
        if person.written is not None:
            self._do(_if_it_can(self.journal.forget(person.id)))

    def line_lost(self, person: Person, peer: Peer) -> None:
        """Note that a line went down; the seats wait a while before bots play on."""
        if self.sessions.hang_up(person, peer) and person.tables:
            self._say_presence(person, False)
            for table in person.tables:
                self._wait_for(person, table)

    def _wait_for(self, person: Person, table: TableId) -> None:
        wished = self.lobby.find(table).table.opened.clock.absence
        self._absences.begin(person, table, self.settings.grace_seconds if wished is None else wished)

    def _say_presence(self, person: Person, connected: bool) -> None:
        for table in person.tables:
            self.lobby.find(table).presence(person.id, connected)

    def _warn_of_absence(self, person: Person, table: TableId, left: float) -> None:
        self._ask(table, WarnOfAbsence(person=person.id, seconds=left))

    def _lapse(self, person: Person, table: TableId) -> None:
        """Let a bot play on, once the table is no longer paused."""
        if self.lobby.find(table).table.paused:
            self._wait_for(person, table)
            return
        person.lapsed.add(table)
        self._do(_if_it_can(self.remember(person)))
        self._ask(table, Leave(person=person.id))

    def _restore(self, person: Person) -> None:
        lapsed, person.lapsed = person.lapsed, set()
        for table in lapsed:
            self._ask(table, Join(person=person.id, name=person.name))
        if lapsed:
            self._do(_if_it_can(self.remember(person)))

    def _ask(self, table: TableId, command: Command) -> None:
        try:
            self.lobby.find(table).ask(command)
        except ScovilleError as error:
            _log.info("table %s: %s", table, error.message)

    # --- tables ----------------------------------------------------------------------------------------

    async def open_table(self, person: Person, wish: CreateTable) -> TableActor:
        """Open a table, journaled before anybody hears of it. Raises ScovilleError."""
        if self._closing:
            raise shutting_down()
        self.lobby.room_for(person.id)
        records = self._beginning(person, wish)
        table = fold(records, self.shelf.game)
        await self.journal.append(table.id, records)
        if self._closing:
            raise shutting_down()
        actor = self._set_up(table)
        self._reopen(actor)
        return actor

    def _beginning(self, person: Person, wish: CreateTable) -> Sequence[AnyRecord]:
        """Open an empty table as it is wished, or, once, the one of the settings in the middle of its game."""
        opening, self._opening = self._opening, None
        if opening is not None:
            return resumed(opening, person.id, person.name, wall_ms())
        game = self.shelf.game(wish.game)
        self.shelf.check_seats(wish.game, wish.seats)
        options = self.shelf.options(wish.game, wish.options)
        table, seed = self._chance()
        opened = Opened(
            at_ms=wall_ms(),
            table=table,
            game=wish.game,
            rules_version=game.info.rules_version,
            options=options,
            seats=wish.seats,
            seed=seed,
            person=person.id,
            clock=msgspec.convert(wish.clock, TableClock, from_attributes=True),
        )
        return [opened]

    def _chance(self) -> tuple[TableId, bytes]:
        """Draw a table's id and seed; the first table's come from the seed of the settings, if there is one.

        Where tables are kept no id may come twice: a seed that is given again makes the same deal at another table.
        """
        seed, self._seed = self._seed, None
        if seed is None or self.settings.data is not None:
            return TableId(secrets.token_hex(_ID_DIGITS // 2)), seed or secrets.token_bytes(SEED_BYTES)
        return TableId(hashlib.sha256(b"scoville/table" + seed).hexdigest()[:_ID_DIGITS]), seed

    def _set_up(self, table: Table) -> TableActor:
        actor = TableActor(
            table,
            self.journal,
            is_here=self.sessions.is_here,
            changed=self._changed,
            inbox=self.settings.inbox,
        )
        self.lobby.add(actor)
        if self.settings.unseated_seconds:
            later = asyncio.get_running_loop().call_later
            self._unseated[table.id] = later(self.settings.unseated_seconds, self._clear, actor)
        return actor

    def _changed(self, actor: TableActor, done: Done) -> None:
        self._follow_seats(done)
        self._not_unseated(done.after.id)
        if done.after.status == "finished" != done.before.status:
            self._file(done.after)
        if done.after.deserted:
            self._clear(actor)

    def _follow_seats(self, done: Done) -> None:
        for before, after in zip(done.before.chairs, done.after.chairs, strict=True):
            if before.human and before.person is not None and not after.human:
                self._got_up(before.person, done.after.id)
            elif after.human and after.person is not None and not before.human:
                self._sat_down(after.person, done.after.id)

    def _got_up(self, number: PersonId, table: TableId) -> None:
        person = self.sessions.find(number)
        if person is not None:
            person.tables.discard(table)
            self._absences.end(person, table)

    def _sat_down(self, number: PersonId, table: TableId) -> None:
        person = self.sessions.find(number)
        if person is None:  # nobody can come back to this seat
            self._ask(table, Leave(person=number))
            return
        person.tables.add(table)
        if not person.here:  # the line went down between the wish for a seat and the seat, or with the server
            self._wait_for(person, table)

    def unwatch(self, table: str, peer: Peer) -> None:
        """Tell a line no more of a table, if it still stands."""
        try:
            self.lobby.find(table).unwatch(peer)
        except ScovilleError as error:
            _log.debug("table %s: %s", table, error.message)

    def _not_unseated(self, table: TableId) -> None:
        timer = self._unseated.pop(table, None)
        if timer is not None:
            timer.cancel()

    def _clear(self, actor: TableActor) -> None:
        self._not_unseated(actor.table.id)
        self.lobby.remove(actor.table.id)
        actor.stop(retire=True)
        self._do(_if_it_can(self._retire(actor)))

    def _file(self, table: Table) -> None:
        """Write a finished game out; until that has been done, its records are kept."""
        if self.settings.data is not None:
            self._filed[table.id] = self._do(save(self.settings.data, table))

    async def _retire(self, actor: TableActor) -> None:
        await actor.ended()
        filed = self._filed.pop(actor.table.id, None)
        if filed is None or await filed:
            await self.journal.retire(actor.table.id)

    # --- the end ---------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Answer what has been asked, write what must be written, and end."""
        self._closing = True
        self._absences.end_all()
        for timer in self._unseated.values():
            timer.cancel()
        for actor in self.lobby.all():
            actor.stop()
            self._do(actor.ended())
        while self._chores:
            await asyncio.gather(*self._chores)
        await self.journal.close()

    def _do(self, chore: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
        return task


async def _if_it_can(write: Coroutine[Any, Any, None]) -> None:
    """Write what can wait: if the journal cannot now, what it knows is older, but not wrong."""
    try:
        await write
    except JournalError as error:
        _log.info("%s", error.message)
