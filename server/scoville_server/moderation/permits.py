"""Permission of users on this server: its password, bans, the shutdown, and seats that bind them."""

import hmac
from collections.abc import Callable
from typing import Final

from scoville_runtime.clock import Clock
from scoville_server.accounts.doors.hosted import keys_of, shown_keys
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.errors import server_moved, shutting_down, slow_down
from scoville_server.limits.live import Live
from scoville_server.limits.throttle import PenaltyThrottle
from scoville_server.moderation.model.ban_index import BanSubject
from scoville_server.moderation.model.community import CommunitySettings
from scoville_server.moderation.records import ModerationRecords
from scoville_server.net.peer import Peer
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.networks import host_of, networks_of
from scoville_shared.protocol.messages import HelloRequest, Scope

_FAILURES: Final = 5
_FIRST_WAIT: Final = 2.0
_LONGEST_WAIT: Final = 600.0
_FORGOTTEN: Final = 3_600.0
"""Wrong passwords of one network before each further one doubles the wait, the waits in seconds, and the seconds until
all are forgotten. The password is one for all, so it does not say who somebody is."""


class ServerPassword:
    """Checks the password that the settings name now; without one everybody may come in.

    Args:
        password: The password, empty for none.
        now: Returns monotonic seconds.
    """

    def __init__(self, password: Live[str], now: Callable[[], float]) -> None:
        self._password = password
        self._now = now
        self._failures = PenaltyThrottle(_FAILURES, _FORGOTTEN, first=_FIRST_WAIT, longest=_LONGEST_WAIT)

    def check_password(self, given: str | None, address: str) -> None:
        """Check the password of a newcomer; clients inside this process have no address, and need none.

        Raises ScovilleError `server_password`, `wrong_server_password` and `slow_down`.
        """
        password = self._password.value
        if not password or not address:
            return
        if not given:
            raise ScovilleError(Code.SERVER_PASSWORD, "This server asks newcomers for its password.")
        now, networks = self._now(), networks_of(address)
        # Before the comparison: while a network waits, a right guess must look like a wrong one.
        waits = [wait for each in networks if (wait := self._failures.seconds_to_wait(each, now)) is not None]
        if waits:
            raise slow_down("Too many wrong passwords of this server", max(waits))
        if not hmac.compare_digest(password.encode(), given.encode()):
            for network in networks:
                self._failures.count_use(network, now)
            raise ScovilleError(Code.WRONG_SERVER_PASSWORD, "This is not the password of this server.")


class ServerPermits:
    """The `Permits` of a server. Bans do not apply to admins, who could lift them anyway."""

    def __init__(
        self,
        records: ModerationRecords,
        users: Users,
        tables: Serving[TableActor],
        only_claimed: Live[bool] | None = None,
        password: ServerPassword | None = None,
    ) -> None:
        self._password = password
        self._only_claimed = only_claimed or Live(False)
        self._maintenance = records.maintenance
        self._admins, self._moderators = records.admins, records.moderators
        self._bans = records.bans
        self._users = users
        self._tables = tables
        self._draining = self._moved = False

    def start_draining(self) -> None:
        """Refuse everything new from now on: the server is about to stop."""
        self._draining = True

    @property
    def serves(self) -> bool:
        """Whether this node serves, and no other has taken over."""
        return not self._moved

    def send_users_on(self) -> None:
        """Greet nobody from now on: another node serves."""
        self._moved = True

    @property
    def draining(self) -> bool:
        """Whether the server is about to stop."""
        return self._draining

    def check_open(self) -> None:
        if self._draining:
            raise shutting_down()

    def check_may_connect(self, hello: HelloRequest, peer: Peer, hosted: User | None = None) -> None:
        """Check that a connection may be greeted; `hosted` is whom a door's proof names.

        While the server drains users may come back, since they may be in the middle of a move; new guests may not.

        Raises ScovilleError `banned`, `maintenance`, `shutting_down`, `moved` and those of the server's password.
        """
        if self._moved:
            raise server_moved()
        now_ms = self._users.time.now_ms()
        known = hosted or self._users.sessions.find_by_token(hello.token or "", now_ms)
        if known is None:
            self.check_open()
        # They could lift the ban, and must be able to come in for that.
        if known is not None and known in self._admins:
            return
        if known is None or not self._is_playing(known):
            self._maintenance.check_open()
        user, wanted = UserId("") if known is None else known.id, hello.name or ""
        # The owner of a name keeps it, whatever the hello asks for; a guest would be known under both names.
        names = [wanted] if known is None else [known.name] if known.claimed else [known.name, wanted]
        keys = keys_of(self._users, user) | shown_keys(peer)
        for name in dict.fromkeys(names):
            _raise_if(self._ban_of("server", BanSubject(user, name, host_of(peer.address), keys)))
        if known is None and self._password is not None:
            self._password.check_password(hello.server_password, peer.address)

    def check_may_log_in(self, user: User) -> None:
        _raise_if(self.find_ban("server", user))
        if user not in self._admins and not self._is_playing(user):
            self._maintenance.check_open()

    def check_may_talk(self, user: User) -> None:
        _raise_if(self.find_ban("chat", user))
        self._check_claimed(user)

    def check_may_play(self, user: User) -> None:
        self.check_open()
        _raise_if(self.find_ban("tables", user))
        self._check_claimed(user)

    def _check_claimed(self, user: User) -> None:
        """Refuse a guest where the host wants to know who plays and chats. Raises ScovilleError `not_claimed`."""
        if self._only_claimed.value and not user.claimed:
            sentence = "On this server only users with a claimed name play and chat; claim your name, or log in."
            raise ScovilleError(Code.NOT_CLAIMED, sentence, {"name": user.name})

    def check_not_playing(self, user: User) -> None:
        # Seats of finished games do not count: they show nothing secret to another user of the same client.
        if self._is_playing(user):
            raise ScovilleError(Code.SEATED, "You have a seat at a table; leave your tables first.")

    def _is_playing(self, user: User) -> bool:
        """Whether a user has a seat at a table whose game is not over."""
        if any(self._tables.find_table(table).table.status != "finished" for table in user.tables):
            return True
        return not all(self._users.sessions.seats.list_elsewhere(user.id).values())

    def is_staff(self, user: User) -> bool:
        """Whether a user is an admin or a moderator."""
        return user in self._admins or user in self._moderators

    def find_ban(self, scope: Scope, user: User) -> ScovilleError | None:
        """Return the error of a ban of a user from a scope, or None."""
        if user in self._admins:
            return None
        host = host_of(self._users.connections.address_of(user.id))
        return self._ban_of(scope, BanSubject(user.id, user.name, host, keys_of(self._users, user.id)))

    def is_banned_name(self, name: str) -> bool:
        """Whether a name is banned, so that it is never given to users who did not ask for it."""
        return self._bans.bans_name(name, self._users.time.now_ms())

    def _ban_of(self, scope: Scope, whom: BanSubject) -> ScovilleError | None:
        ban = self._bans.find_ban(scope, whom, self._users.time.now_ms())
        return None if ban is None else ban.as_error()


def _raise_if(error: ScovilleError | None) -> None:
    if error is not None:
        raise error


def make_permits(
    community: Live[CommunitySettings],
    records: ModerationRecords,
    users: Users,
    tables: Serving[TableActor],
    clock: Clock,
) -> ServerPermits:
    """Make the permits of a server."""
    password = ServerPassword(community.select(lambda c: c.password), clock.seconds)
    return ServerPermits(records, users, tables, community.select(lambda c: c.claimed_names_only), password)
