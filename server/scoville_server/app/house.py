"""The house: who comes in, and how its rooms hang together."""

import asyncio

from scoville_server.actor import TableActor, shutting_down
from scoville_server.app.again import Rematches
from scoville_server.app.beginning import Beginnings
from scoville_server.app.budgets import Budgets
from scoville_server.app.careers import Careers
from scoville_server.app.chat import Chat
from scoville_server.app.chores import Chores
from scoville_server.app.deserted import DesertedGames
from scoville_server.app.desk import Desk
from scoville_server.app.doors import Doors
from scoville_server.app.floor import Floor
from scoville_server.app.house_tables import HouseTables
from scoville_server.app.moderation import Moderation
from scoville_server.app.noticeboard import NoticeBoard
from scoville_server.app.patience import Patience, Patiences
from scoville_server.app.people import People
from scoville_server.app.polls import Polls
from scoville_server.app.pulse import Pulse
from scoville_server.app.quick import QuickMatch
from scoville_server.app.recovery import nothing_is_garbage, reopened
from scoville_server.app.seating import Seating
from scoville_server.app.spectators import Spectators
from scoville_server.app.table_space import TableSpace
from scoville_server.app.webhook import Webhook
from scoville_server.clock import Clock
from scoville_server.config import Settings
from scoville_server.journal.base import Journal, Reporting
from scoville_server.net.service import Peer
from scoville_server.sessions import Greeted, Person
from scoville_server.shelf import Shelf
from scoville_server.throttle import Source
from scoville_server.trusted_time import TrustedTime, newest_ms
from scoville_shared.errors import ScovilleError
from scoville_shared.wire.messages import AnnouncementNotice, CreateTable, Hello, PersonInfo

EXPIRY_SECONDS = 3_600.0
"""How often tokens that are over are dropped: they expire after days."""


class House:
    """Everything that connections share. `shelf` holds the games, `floor` the tables, `sessions` the people."""

    def __init__(self, settings: Settings, shelf: Shelf, journal: Journal, clock: Clock | None = None) -> None:
        self.settings = settings
        self.shelf = shelf
        self.journal = journal
        self.chores = Chores()
        clock = clock or Clock()
        self.time = TrustedTime(clock, settings.clock)
        self.people = People(settings.people, settings.accounts, journal, self.chores, self.time)
        self.sessions = self.people.sessions
        self.desk = Desk(self.people, self.chores)
        self.floor = Floor(settings, shelf, journal, self.sessions.is_here, self.chores, clock)
        self.lobby = self.floor.lobby
        self.seating = Seating(self.floor, self.sessions, self.people.remember_soon, settings.grace_seconds)
        self.patience = Patience(self.floor, self.sessions, _patiences(settings))
        self.deserted = DesertedGames(self.floor, self.sessions, settings.grace_seconds, settings.deserted_seconds)
        self.doors = Doors(self.floor, self.desk.passwords, settings, lambda: self.sessions.arrivals)
        self.doors.now = clock.seconds
        self.noticeboard = NoticeBoard(self.floor, self.person_info, settings.lobby_seconds)
        self._beginnings = Beginnings(settings, shelf, clock.date_ms)
        self.space = TableSpace(self.floor)
        self.floor.networks = self.space.networks_of
        self.spectators = Spectators(settings.spectators)
        self.polls = Polls(settings.polls)
        opening = (self.floor, self.doors, self._beginnings, self.chores)
        self.rematches = Rematches(*opening, self.space)
        self.house_tables = HouseTables(*opening, settings.house_tables)
        self.quick = QuickMatch(self.floor, shelf, self._beginnings)
        readers = self.noticeboard.readers
        self.chat = Chat(settings.chat, journal, self.sessions, self.floor, self.chores, self.remember, readers, clock)
        self.floor.followers += [self.space, self.spectators, self.seating, self.patience, self.deserted]
        self.floor.followers += [self.doors, self.rematches, self.noticeboard]
        self.careers = Careers(journal, self.sessions, self.chores, clock.date_ms, self.floor.delay)
        self.floor.keepers.append(self.careers.settled)
        limits = settings.moderation
        people = (self.people, self.floor, self.chat, self.chores)
        self.moderation = Moderation(limits, settings.admins, journal, *people, settings.data, self.time.now_ms)
        self.floor.followers += [self.house_tables, self.chat, self.careers, Webhook(settings.webhook, self.chores)]
        self.people.farewells += [self.chat.forgot, self.careers.forgot]
        self.people.renamings += [self.careers.renamed, self.moderation.claimed]
        self.budgets = Budgets(settings, clock.seconds)
        self.pulse = Pulse(journal, self.floor, self.chores, clock)
        self._expiring: asyncio.TimerHandle | None = None
        self._draining = False

    async def open(self) -> None:
        """Go on where an earlier run ended: people, tables, seats. Raises JournalError with a sentence for the host."""
        if isinstance(self.journal, Reporting):
            self.journal.on_lost = lambda lost: self.people.announce(lost.message)
        kept = await self.journal.open()
        self.time.begin(newest_ms(kept))
        if self.floor.archive is not None:
            await self.floor.archive.open(kept)
        await self.people.restore(kept)
        self.chat.restore(kept)
        self.careers.restore(kept)
        self.moderation.restore(kept)
        await self.moderation.audit.restore(kept)
        self._beginnings.avoid(kept.tables)
        if kept.tables:
            with nothing_is_garbage():
                self.floor.restore(reopened(kept.tables, self.shelf.game), kept.alive_ms)
        if self.floor.archive is not None:
            self.floor.archive.trim()
        self.rematches.catch_up()

    def begin(self) -> None:
        """Do what the server does by itself, once users can reach it: a port in use must not be reported twice."""
        self.house_tables.open()
        self.pulse.begin()
        self._expire_later()

    def drain(self, seconds: float) -> None:
        """Let nobody in and no new game begin, and announce the end in so many seconds; games go on until then."""
        self._draining = True
        self.house_tables.close()
        self.people.announce(f"The server shuts down in {round(seconds)} seconds. Nothing is lost; come back later.")

    def check_open(self) -> None:
        """Refuse what begins something new while the server drains. Raises ScovilleError `shutting_down`."""
        if self._draining:
            raise shutting_down()

    def _expire_later(self) -> None:
        self._expiring = asyncio.get_running_loop().call_later(EXPIRY_SECONDS, self._expire)

    def _expire(self) -> None:
        """Drop what is over by now, and look again later."""
        self.chores.write(self.people.expire_tokens())
        self._expire_later()

    # --- people ----------------------------------------------------------------------------------------

    def welcome(self, hello: Hello, peer: Peer) -> Greeted:
        """Let somebody in; who proves to be somebody known has their seats back at once."""
        self.check_open()
        error = self.moderation.at_the_door(hello, peer)
        if error is not None:
            raise error
        greeted = self.people.greet(hello, peer)
        self.seating.came(greeted.person)
        self.noticeboard.came(greeted.person)
        self._warn_of_clock(greeted.person, peer)
        return greeted

    def _warn_of_clock(self, person: Person, peer: Peer) -> None:
        """Tell an admin that the machine's clock seems to be wrong."""
        if self.time.warning and person in self.moderation.admins:
            peer.notify(AnnouncementNotice(text=self.time.warning))

    def line_up(self, person: Person, peer: Peer, key: str) -> None:
        """Make a line that of somebody who has just proved to be it, by the token with that digest."""
        self.sessions.take_line(person, peer, key)
        self.seating.came(person)
        self.noticeboard.came(person)
        self._warn_of_clock(person, peer)

    def line_lost(self, person: Person, peer: Peer) -> None:
        """Note that a line went down."""
        if self.sessions.hang_up(person, peer):
            self.seating.went(person)
            self.noticeboard.went(person)

    async def remember(self, person: Person) -> None:
        """Keep who somebody is, before they have anything to come back to. Raises JournalError."""
        await self.people.remember(person)

    def may_talk(self, person: Person) -> ScovilleError | None:
        """Say why somebody may say nothing anywhere on this server."""
        return self.moderation.forbids("chat", person)

    def check_may_play(self, person: Person) -> None:
        """Refuse tables to somebody who is banned from them. Raises ScovilleError `banned` and `shutting_down`."""
        self.check_open()
        error = self.moderation.forbids("tables", person)
        if error is not None:
            raise error

    def person_info(self, person: Person) -> PersonInfo:
        """Show somebody as the lobby does."""
        return PersonInfo(name=person.name, claimed=person.claimed, admin=person in self.moderation.admins)

    def ignores(self, person: Person, other: Person) -> bool:
        """Tell whether somebody wants to hear nothing of somebody else, invitations neither."""
        return not self.chat.hears(person.id, other.id)

    # --- tables ----------------------------------------------------------------------------------------

    async def open_table(self, person: Person, source: Source, wish: CreateTable) -> TableActor:
        """Open a table for somebody. Raises ScovilleError."""
        self.check_may_play(person)
        with self.space.reserved(person.id, source.networks):
            self.budgets.opening(source)
            lock = await self.doors.lock(wish.password, source)
            code = self.doors.new_code()
            try:
                actor = await self.floor.open(self._beginnings.of(person, wish, code, lock))
            finally:
                self.doors.give_up(code)
            self.space.opened_by(actor.table.id, source.networks)
            return actor

    async def play_again(self, old: TableActor, person: Person, source: Source) -> TableActor:
        """Find or open the table that comes after a finished one. Raises ScovilleError."""
        self.check_may_play(person)
        if not self.rematches.opened_after(old):
            self.budgets.opening(source)
        await self.remember(person)
        return await self.rematches.after(old, person, source)

    # --- the end ---------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Answer what has been asked, write what must be written, and end."""
        if self._expiring is not None:
            self._expiring.cancel()
        self.seating.absences.end_all()
        self.patience.close()
        self.deserted.close()
        self.house_tables.close()
        self.noticeboard.close()
        self.floor.close()
        self.chat.close()
        await self.chores.close()
        await self.pulse.end()
        self.desk.close()
        await self.journal.close()


def _patiences(settings: Settings) -> Patiences:
    return Patiences(
        unseated=settings.unseated_seconds,
        host_idle=settings.host_idle_seconds,
        idle=settings.idle_seconds,
        finished=settings.finished_seconds,
        moved_on=settings.moved_on_seconds,
    )
