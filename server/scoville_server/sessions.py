"""Who is here. A person is durable, a connection is not: whoever shows the token is that person, at once."""

import hashlib
import secrets
from collections.abc import Callable, Iterable
from typing import Final

from scoville_server.journal.base import Known
from scoville_server.names import clean, free_name
from scoville_server.net.service import Peer
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import PersonId, TableId
from scoville_shared.wire.messages import ByeNotice

_TAKEN_OVER: Final = ByeNotice(code=Code.TAKEN_OVER, message="You have come in from somewhere else; this line closes.")


class Person:
    """Somebody, wherever they connect from.

    `tables` are those they sit at; `lapsed` those where a bot plays for them because their line stayed down.
    `token` is the proof as it was last shown, empty for who has not come back since a restart: only its `digest` is
    kept. `written` is what the journal knows of them, and `claimed` says that their name is theirs for good.
    """

    def __init__(self, person: PersonId, digest: bytes, name: str = "", written: Known | None = None) -> None:
        self.id = person
        self.digest = digest
        self.name = name
        self.written = written
        self.claimed = False
        self.token = ""
        self.peer: Peer | None = None
        self.tables: set[TableId] = set()
        self.lapsed: set[TableId] = set() if written is None else {*written.lapsed}

    @property
    def known(self) -> Known:
        """What is to be kept of them."""
        return Known(person=self.id, digest=self.digest, name=self.name, lapsed=tuple(sorted(self.lapsed)))

    @property
    def here(self) -> bool:
        """Their line is up."""
        return self.peer is not None

    @property
    def idle(self) -> bool:
        """Neither here nor at any table: nobody would miss them."""
        return not self.here and not self.tables


class Sessions:
    """Everybody that the server remembers, `limit` people at most; `forgot` hears who made room for others."""

    def __init__(self, limit: int, forgot: Callable[[Person], None]) -> None:
        self._limit = limit
        self._forgot = forgot
        self._by_digest: dict[bytes, Person] = {}
        self._by_id: dict[PersonId, Person] = {}
        self._bearers: dict[str, Person] = {}

    def restore(self, people: Iterable[Known]) -> None:
        """Remember the people of an earlier run, oldest first."""
        for known in people:
            person = Person(known.person, known.digest, known.name, known)
            self._add(person)
            self._bearers[person.name.casefold()] = person

    def greet(self, token: str, name: str, peer: Peer) -> Person:
        """Know a person by their token, or make their acquaintance; `peer` is their line from now on.

        An older line of theirs is told and closed. Raises ScovilleError `too_many`.
        """
        person = self._by_digest.get(digest_of(token))
        if person is None:
            person, token = self._newcomer()
        person.token = token
        self._name(person, clean(name))
        old, person.peer = person.peer, peer
        if old is not None:
            old.close(_TAKEN_OVER)
        return person

    def hang_up(self, person: Person, peer: Peer) -> bool:
        """Note that a line is gone; tells whether it was the person's own, and not one that was taken over."""
        mine = person.peer is peer
        if mine:
            person.peer = None
        return mine

    def find(self, person: PersonId) -> Person | None:
        """Find somebody who is remembered."""
        return self._by_id.get(person)

    def by_name(self, name: str) -> Person | None:
        """Find who is remembered by a name, however it is capitalized; whoever has claimed it before anybody else."""
        return self._bearers.get(clean(name).casefold())

    def is_here(self, person: PersonId) -> bool:
        """Tell whether a person's line is up."""
        found = self._by_id.get(person)
        return found is not None and found.here

    def _newcomer(self) -> tuple[Person, str]:
        self._make_room()
        token = secrets.token_urlsafe(24)
        person = Person(PersonId(secrets.token_hex(8)), digest_of(token))
        self._add(person)
        return person, token

    def _add(self, person: Person) -> None:
        self._by_digest[person.digest] = self._by_id[person.id] = person

    def _name(self, person: Person, wanted: str) -> None:
        """Name somebody; who sits at a table keeps the name that the others know."""
        if person.tables:
            return
        self._drop_name(person)
        person.name = free_name(wanted or person.name, self._taken)
        self._bearers[person.name.casefold()] = person

    def _taken(self, name: str) -> bool:
        bearer = self._bearers.get(name.casefold())
        return bearer is not None and not bearer.idle

    def _drop_name(self, person: Person) -> None:
        if self._bearers.get(person.name.casefold()) is person:
            del self._bearers[person.name.casefold()]

    def _make_room(self) -> None:
        if len(self._by_id) < self._limit:
            return
        idle = next((person for person in self._by_id.values() if person.idle), None)
        if idle is None:
            raise ScovilleError(Code.TOO_MANY, "There are more people here than this server takes; come back later.")
        self._drop_name(idle)
        del self._by_digest[idle.digest], self._by_id[idle.id]
        self._forgot(idle)


def digest_of(token: str) -> bytes:
    """Hash a token, so that what is kept lets nobody in."""
    return hashlib.sha256(token.encode()).digest()
