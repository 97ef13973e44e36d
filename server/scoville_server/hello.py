"""Hello: how the server describes itself, and users who come and go with their connections."""

from collections.abc import Awaitable, Callable, Sequence
from importlib.util import find_spec
from typing import Any, Final

from scoville_outside.catalogs import written_language
from scoville_runtime.events import Events
from scoville_server.accounts.connection import Answer, ConnectedClient, Handlers, proofs_on
from scoville_server.accounts.doors.client_settings import ClientSettings
from scoville_server.accounts.doors.hosted import HostedUsers
from scoville_server.accounts.sessions import GivenName, Greeted, User
from scoville_server.accounts.users import Users
from scoville_server.errors import node_behind
from scoville_server.events import Hello, Takeover, TokenReused
from scoville_server.identity import ServerIdentity
from scoville_server.journal.base import Journal, JournalError, Shared
from scoville_server.limits.live import Live
from scoville_server.limits.throttle import Rate
from scoville_server.lobby.feed import MOST_SHOWN
from scoville_server.moderation.model.community import describe_server, introduce_server
from scoville_server.moderation.permits import ServerPermits
from scoville_server.net.peer import Peer
from scoville_server.nodes.nodes import Nodes
from scoville_server.settings.model import Settings
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.watching.sentences import describe_game
from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.decoding import version_error

_ALWAYS: Final = (
    "account_recovery",
    "accounts",
    "away",
    "chat",
    "commentary",
    "correspondence",
    "delayed_spectating",
    "game_texts",
    "kick_votes",
    "nonces",
    "quick_match",
    "ratings",
    "rematch",
    "rematch_bot_levels",
    "sentences",
)
"""Features of every server of this version."""


class UserArrivals:
    """Follows users who come and go through the features that observe them."""

    def __init__(
        self, users: Users, hosted: HostedUsers, permits: ServerPermits, events: Events, journal: Journal
    ) -> None:
        self._users = users
        self._hosted = hosted
        self._permits = permits
        self._events = events
        self._reach_present = journal.reach_present if isinstance(journal, Shared) else None

    def ask_others(self, hello: m.HelloRequest) -> Awaitable[GivenName | None] | None:
        """Ask other nodes for their data of a user who says hello, and for the name; None if nothing is missing.

        Raises ScovilleError `busy` while what they have kept cannot be read.
        """
        if self._reach_present is not None and self._is_perhaps_known(hello):
            return self._ask_in_present(hello, self._reach_present)
        return self._request_name(hello)

    def _is_perhaps_known(self, hello: m.HelloRequest) -> bool:
        """Whether only another node may know yet who a user is that shows a token, or has shown something to a door."""
        if hello.token:
            return self._users.sessions.find_by_token(hello.token, self._users.time.now_ms()) is None
        has_shown = hello.door is not None and bool(hello.door.key or hello.door.resume)
        return has_shown and not self._hosted.is_known_user(hello)

    async def _ask_in_present(
        self, hello: m.HelloRequest, reach_present: Callable[[], Awaitable[object]]
    ) -> GivenName | None:
        """Follow the writes of other nodes first: a user who is taken for a newcomer would lose their identity."""
        try:
            await reach_present()
        except JournalError as error:
            raise node_behind() from error
        naming = self._request_name(hello)
        return None if naming is None else await naming

    def _request_name(self, hello: m.HelloRequest) -> Awaitable[GivenName | None] | None:
        return self._users.sessions.request_name(hello, self._users.time.now_ms())

    def greet_connection(self, hello: m.HelloRequest, peer: Peer, given: GivenName | None = None) -> Greeted:
        """Greet a connection; a known user gets their seats back at once. Raises ScovilleError."""
        found = self._hosted.find_returning(hello, peer)
        self._permits.check_may_connect(hello, peer, None if found is None else found.user)
        known = self._users.sessions.find_by_token(hello.token or "", self._users.time.now_ms())
        away_since_ms = self._users.find_last_connected(known if found is None else found.user)
        # Only now, since it replaces the session that was found: a banned user keeps theirs.
        opened = None if found is None else self._hosted.open_session(found, hello.client or "")
        greeted = self._users.greet_connection(hello, peer, opened, given)
        user = greeted.user
        fresh_until = self._hosted.fresh_until(user, peer)
        resume_code = self._hosted.bind_guest(user, peer)
        greeted = greeted._replace(resume_code=resume_code, fresh_until=fresh_until, away_since_ms=away_since_ms)
        self._report_greeting(greeted, peer, hello.client or "")
        for observer in self._users.observers:
            observer.user_connected(user)
        return greeted

    def _report_greeting(self, greeted: Greeted, peer: Peer, client: str) -> None:
        address, number, user = peer.address, peer.number, greeted.user
        door = "" if peer.door is None else peer.door.transport
        report, name = self._events.report_event, user.name
        report(Hello(address=address, connection=number, user=name, claimed=user.claimed, door=door, client=client))
        if greeted.token_reused:
            report(TokenReused(address=address, connection=number, user=name, client=client))
        if greeted.took_over:
            report(Takeover(address=address, connection=number, user=name))

    def resume_connection(self, connection: ConnectedClient, user: User, key: str) -> None:
        """Continue a connection of a user that a former process has greeted, in the session `key`."""
        connection.known_user = user
        self._users.sessions.connect_user(user, connection.peer, key)
        for observer in self._users.observers:
            observer.user_connected(user)

    def is_known(self, hello: m.HelloRequest) -> bool:
        """Whether a hello, whose door has proved itself, comes from a user who is known."""
        return self._users.is_known_token(hello) or self._hosted.is_known_user(hello)

    def change_user(self, connection: ConnectedClient, user: User, key: str) -> None:
        """Make a connection that of another user, in the session `key`; it watches nothing then.

        Raises ScovilleError if it was taken over.
        """
        old, peer = connection.user, connection.peer
        self._separate_connection(old, peer)
        connection.known_user, connection.fresh_until = user, 0.0
        if self._users.sessions.connect_user(user, peer, key):
            self._events.report_event(Takeover(address=peer.address, connection=peer.number, user=user.name))
        for observer in self._users.observers:
            observer.user_connected(user)

    def release_connection(self, connection: ConnectedClient) -> None:
        """Release everything that belongs to a lost connection; the user and their seats stay."""
        self._separate_connection(connection.known_user, connection.peer)

    def _separate_connection(self, user: User | None, peer: Peer) -> None:
        """Separate a connection from its user, if it has one; the reconnect grace of their seats starts."""
        for observer in self._users.observers:
            observer.connection_released(peer)
        if user is not None and self._users.sessions.disconnect_user(user, peer):
            self._users.note_departure(user)
            for observer in self._users.observers:
                observer.user_disconnected(user)
            # Their last session may have ended while it was open, here or at another node.
            self._users.forget_if_lost(user)


class HelloHandlers:
    """Handlers of `hello`, `ping`, and requests for texts about the server and its games."""

    def __init__(
        self,
        settings: Live[Settings],
        arrivals: UserArrivals,
        catalog: GameCatalog,
        identity: ServerIdentity,
        client_settings: ClientSettings,
        nodes: Nodes[Any],
    ) -> None:
        self._nodes = nodes
        self._features = settings.select(list_features)
        self._limits = settings.select(describe_limits)
        self._community = settings.select(lambda s: introduce_server(s.community))
        self._described = settings.select(lambda s: describe_server(s.community))
        self._game_texts: dict[tuple[str, str], m.GameTexts] = {}
        self._arrivals = arrivals
        self._catalog = catalog
        self._identity = identity
        self._client_settings = client_settings
        self.by_request: Handlers = {m.HelloRequest: self._say_hello, m.PingRequest: self._answer_ping}
        self.by_request[m.DescribeServerRequest] = lambda *_: self._described.value
        self.by_request[m.DescribeGamesRequest] = self._describe_games

    def _say_hello(self, connection: ConnectedClient, p: m.HelloRequest) -> Answer:
        error = version_error(p.protocol)
        if error is not None:
            raise error
        _check_not_greeted(connection)
        naming = self._arrivals.ask_others(p)
        return self._greet_user(connection, p) if naming is None else self._greet_when_named(connection, p, naming)

    async def _greet_when_named(
        self, connection: ConnectedClient, p: m.HelloRequest, naming: Awaitable[GivenName | None]
    ) -> m.HelloReply:
        given = await naming
        _check_not_greeted(connection)
        return self._greet_user(connection, p, given)

    def _greet_user(
        self, connection: ConnectedClient, p: m.HelloRequest, given: GivenName | None = None
    ) -> m.HelloReply:
        greeted = self._arrivals.greet_connection(p, connection.peer, given)
        user = connection.known_user = greeted.user
        connection.fresh_until = greeted.fresh_until
        # A client with a disk of its own keeps its settings there; only doors ask the server for them.
        hosted = connection.peer.door is not None
        return m.HelloReply(
            protocol=m.PROTOCOL,
            server=f"scoville-server {__version__}",
            server_key=self._identity.key.public.hex(),
            name=user.name,
            token=greeted.token,
            games=self._catalog.describe_games(),
            features=self._features.value,
            limits=self._limits.value,
            claimed=user.claimed,
            proofs=proofs_on(connection.peer),
            name_claimed=greeted.name_claimed,
            name_refused=greeted.name_refused,
            resumed=greeted.resumed,
            token_reused=greeted.token_reused,
            resume_code=greeted.resume_code,
            client_settings=self._client_settings.settings_of(user.id) if hosted else None,
            community=self._community.value,
            nodes=[*self._nodes.addresses()],
            away_since_ms=greeted.away_since_ms,
        )

    def _describe_games(self, _: ConnectedClient, p: m.DescribeGamesRequest) -> m.DescribeGamesReply:
        known, language = self._catalog.list_slugs(), written_language(p.sentence_language)
        wanted = [slug for slug in dict.fromkeys(p.slugs) if slug in known]
        return m.DescribeGamesReply(game_texts=[self._texts_of(slug, language) for slug in wanted])

    def _texts_of(self, slug: str, language: str) -> m.GameTexts:
        """Return the texts of a game, which do not change: they are written once in each language that there is."""
        if (slug, language) not in self._game_texts:
            self._game_texts[slug, language] = describe_game(self._catalog.find_game(slug), language)
        return self._game_texts[slug, language]

    def _answer_ping(self, _: ConnectedClient, p: m.PingRequest) -> Answer:
        restored = self._nodes.restore_contact()
        return m.PingReply(payload=p.payload) if restored is None else _answer_when(restored, p)


def _check_not_greeted(connection: ConnectedClient) -> None:
    if connection.known_user is not None:
        raise ScovilleError(Code.BAD_PARAMS, "This connection has already sent hello.")


async def _answer_when(restored: Awaitable[bool], p: m.PingRequest) -> m.PingReply:
    """Answer a ping late: a node that is cut off answers all that needs no engine, and its users would stay with it."""
    await restored
    return m.PingReply(payload=p.payload)


def list_features(settings: Settings) -> list[str]:
    """Name the features of this server, in alphabetical order; docs/protocol.md says what each means."""
    with_keys = ("key_login",) if find_spec("cryptography") else ()
    with_doors = ("doors",) if settings.doors.enabled else ()
    on_disk = () if settings.data is None else ("storage",)
    by_port = () if settings.port is None else ("tls",)
    daily = ("daily",) if settings.daily.enabled and not settings.offered else ()
    shared = (
        ()
        if settings.offered
        else ("club_boards", "club_time_zones", "club_tournaments", "clubs", "puzzles", "tournaments")
    )
    digests = () if settings.digests == "off" or settings.offered else ("digests",)
    optional = (*daily, *digests, *shared)
    return sorted((*_ALWAYS, *optional, *with_keys, *with_doors, *on_disk, *by_port))


def describe_limits(settings: Settings) -> m.ServerLimits:
    """Return the limits that a program has to respect."""
    connections, chat = settings.connections, settings.chat
    return m.ServerLimits(
        message_bytes=connections.message_bytes,
        unread_bytes=connections.unsent_drop,
        pending_requests=connections.pending_requests,
        max_wait_ms=m.MAX_WAIT_MS,
        name_characters=m.NAME_CHARACTERS,
        password_min_characters=settings.accounts.password_shortest,
        message_characters=m.MESSAGE_CHARACTERS,
        listed_tables=MOST_SHOWN,
        opened_tables=settings.tables_hosted,
        joined_tables=settings.tables_seated,
        watched_tables=settings.tables_watched,
        absence_ms=_in_ms(settings.grace_seconds),
        table_creations=_rate_limit(settings.table_creations, settings.table_creations_seconds),
        table_actions=_rate_limit(settings.table_actions, settings.table_actions_seconds),
        invitations=_rate_limit(settings.invitations.sent, settings.invitations.seconds),
        chat_messages=_rate_limits(chat.messages),
        reactions=_rate_limits(chat.reactions),
    )


def _rate_limits(rates: Sequence[Rate]) -> list[m.RateLimit]:
    return [limit for rate in rates if (limit := _rate_limit(rate.allowed, rate.seconds)) is not None]


def _rate_limit(allowed: int, seconds: float) -> m.RateLimit | None:
    """Return a rate limit as the protocol has it; None for one that is off."""
    period_ms = _in_ms(seconds)
    return m.RateLimit(count=allowed, period_ms=period_ms) if allowed and period_ms else None


def _in_ms(seconds: float) -> int | None:
    """Return a time of the settings in milliseconds; None for 0, which is no limit there."""
    return max(1, round(1000 * seconds)) if seconds else None
