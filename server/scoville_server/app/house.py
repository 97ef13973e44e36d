"""The house: who comes in, and how its rooms hang together."""

from scoville_server.actor import TableActor
from scoville_server.app.beginning import Beginnings
from scoville_server.app.chores import Chores
from scoville_server.app.desk import Desk
from scoville_server.app.floor import Floor
from scoville_server.app.patience import Patience
from scoville_server.app.people import People
from scoville_server.app.recovery import nothing_is_garbage, reopened
from scoville_server.app.seating import Seating
from scoville_server.config import Settings
from scoville_server.journal.base import Journal
from scoville_server.net.service import Peer
from scoville_server.sessions import Greeted, Person
from scoville_server.shelf import Shelf
from scoville_shared.wire.messages import CreateTable, Hello


class House:
    """Everything that connections share. `shelf` holds the games, `floor` the tables, `sessions` the people."""

    def __init__(self, settings: Settings, shelf: Shelf, journal: Journal) -> None:
        self.settings = settings
        self.shelf = shelf
        self.journal = journal
        self.chores = Chores()
        self.people = People(settings.people, settings.accounts, journal, self.chores)
        self.sessions = self.people.sessions
        self.desk = Desk(self.people, self.chores)
        self.floor = Floor(settings, shelf, journal, self.sessions.is_here, self.chores)
        self.lobby = self.floor.lobby
        self.seating = Seating(self.floor, self.sessions, self.people.remember_soon, settings.grace_seconds)
        self.patience = Patience(self.floor, settings.unseated_seconds)
        self.floor.followers += [self.seating, self.patience]
        self._beginnings = Beginnings(settings, shelf)

    async def open(self) -> None:
        """Go on where an earlier run ended: people, tables, seats. Raises JournalError with a sentence for the host."""
        kept = await self.journal.open()
        await self.people.restore(kept)
        self._beginnings.avoid(kept.tables)
        if kept.tables:
            with nothing_is_garbage():
                self.floor.restore(reopened(kept.tables, self.shelf.game))

    # --- people ----------------------------------------------------------------------------------------

    def welcome(self, hello: Hello, peer: Peer) -> Greeted:
        """Let somebody in; who proves to be somebody known has their seats back at once."""
        greeted = self.people.greet(hello, peer)
        self.seating.came(greeted.person)
        return greeted

    def line_up(self, person: Person, peer: Peer, key: str) -> None:
        """Make a line that of somebody who has just proved to be it, by the token with that digest."""
        self.sessions.take_line(person, peer, key)
        self.seating.came(person)

    def line_lost(self, person: Person, peer: Peer) -> None:
        """Note that a line went down."""
        if self.sessions.hang_up(person, peer):
            self.seating.went(person)

    async def remember(self, person: Person) -> None:
        """Keep who somebody is, before they have anything to come back to. Raises JournalError."""
        await self.people.remember(person)

    # --- tables ----------------------------------------------------------------------------------------

    async def open_table(self, person: Person, wish: CreateTable) -> TableActor:
        """Open a table for somebody. Raises ScovilleError."""
        self.lobby.room_for(person.id)
        return await self.floor.open(self._beginnings.of(person, wish))

    # --- the end ---------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Answer what has been asked, write what must be written, and end."""
        self.seating.absences.end_all()
        self.patience.close()
        self.floor.close()
        await self.chores.finish()
        self.desk.passwords.close()
        await self.journal.close()
