"""Connection of a session: who the user is to the server, requests, and a new greeting after each loss."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar

from msgspec.structs import replace

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.name_text import name_refused
from scoville_client.session.changes import AccountWarned, Change, Connected, R
from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.identity.warnings import IDENTITY_UNKNOWN, OWN_TOKEN_REUSED
from scoville_client.session.link import TEMPORARY, ReconnectingLink
from scoville_client.transport.base import Link, LinkError
from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Clock
from scoville_shared import __version__
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import PROTOCOL, GameInfo, HelloReply, HelloRequest, LoginReply, Notice, Params
from scoville_shared.protocol.state import ConnectionState

A = TypeVar("A")

_INSISTING_SECONDS: Final = 60.0
"""Seconds after which an answer that may be another one later is final: a user who waits longer looks for a fault."""
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 4.0
"""Seconds before it is asked again."""
_NO_CONNECTION = {Code.UPGRADE_CLIENT, Code.UPGRADE_SERVER, Code.HELLO_FIRST, Code.SHUTTING_DOWN, Code.MAINTENANCE}
"""Refusals of `hello` that no other name or token would change."""


SERVER_PASSWORDS = frozenset({Code.SERVER_PASSWORD, Code.WRONG_SERVER_PASSWORD})
"""Refusals of a server that asks newcomers for its password: a front end asks for it and connects again."""
_OLDER_SERVER = "The server is older than this version of Scoville and must be updated."
"""For a method or a param of this version that the server does not know."""


class ConnectionOwner(Protocol):
    """The calls that a connection makes on its session."""

    @property
    def table(self) -> object | None:
        """The table where others may wait for the user."""

    def publish_change(self, change: Change) -> None:
        """Show a change to all subscribers."""

    def on_notice(self, notice: Notice) -> None:
        """Receive a notice of the server."""

    def on_connection_change(self, change: Change) -> None:
        """Receive Connected, ConnectionDown or ConnectionLost."""

    def check_welcome(self, welcome: HelloReply) -> None:
        """Raise ReconnectFailed when this welcome is of no use."""

    def forget_user(self) -> None:
        """Forget the data of the former user."""

    async def watch_again(self) -> None:
        """Request everything that is watched, on a connection that knows nothing of it yet."""


class UserConnection:
    """A user on a link that reconnects.

    Args:
        owner: Receives notices and changes, and restores what it watched.
        clock: Clock for back-off and heartbeat.

    Attributes:
        link: The link itself.
        name: The user's name, as the server gave it.
        token: Proves to the next connection who the user is.
        server_password: The password of the server, which only a newcomer needs.
        choose_token: Returns the token to show on a connection that was just opened, when the server's key is known.
        store_token: Stores the token and the name, and returns whether it could; `again` is set after a lost
            connection. A token is not used before it is stored: the server would take the stored one for a stolen one.
        games: The games of the server.
        features: The features that the server supports.
        hosted: Who the user of a door is; None for users who connect by themselves.
        has_door_key: Whether the server takes the SSH key that the user has proved to a door.
        claimed: Whether the user's own name was claimed when this connection began, or they logged in on it.
        name_claimed: Whether the requested name belongs to another user.
        name_refused: Why the user is not called as they requested, None if they are.
        away_since_ms: When the user was last connected before this session began, in milliseconds since 1970; None for
            newcomers, and where the server does not say.
    """

    def __init__(self, owner: ConnectionOwner, clock: Clock) -> None:
        self._owner = owner
        self._clock = clock
        self.name = ""
        self.token = self.server_password = ""
        self.choose_token: Callable[[], str] = lambda: self.token
        self.store_token: Callable[[str, str, bool], bool] = lambda *_: True
        self.hosted: HostedIdentity | None = None
        self.has_door_key = False
        self.games: list[GameInfo] = []
        self.features: frozenset[str] = frozenset()
        self._said_key = ""
        """The server's public key as `hello` names it."""
        self.claimed = self.name_claimed = False
        self.name_refused: Phrase | None = None
        self.away_since_ms: int | None = None
        self._wanted = ""
        self._warnings: list[Phrase] = []
        self.link = ReconnectingLink(
            owner.on_notice, self._log_in, owner.on_connection_change, clock, lambda: owner.table is None
        )

    @property
    def online(self) -> bool:
        """Whether the connection is open."""
        return self.link.state is ConnectionState.OPEN

    @property
    def reconnecting(self) -> bool:
        """Whether the connection was lost and is being opened again."""
        return self.link.reconnecting

    @property
    def offline(self) -> bool:
        """Whether there is no connection and no attempt to reconnect."""
        return not (self.online or self.reconnecting)

    @property
    def server_name(self) -> str:
        """The server's name in a sentence."""
        return self.link.server_name

    @property
    def server_key(self) -> str:
        """The server's public key in hex, as the connection proves it; empty if nothing proves it."""
        return next(iter(self.link.server_keys), "")

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The server's key, as the connection proves it, and those that it has replaced, newest first."""
        return self.link.server_keys

    @property
    def signing_keys(self) -> tuple[str, ...]:
        """The keys that may have signed this server's commitments: those it has proved, else the one it names."""
        return self.server_keys or (self._said_key,)

    @property
    def local(self) -> bool:
        """Whether the server is on this computer."""
        return self.link.local

    async def connect(self, link: Link, name: str = "") -> None:
        """Connect and log in.

        Args:
            link: The link to the server.
            name: The requested name; the server makes one up for an empty one.

        Raises:
            LinkError: The server cannot be reached, or cannot serve this client.
            ScovilleError: The server refuses this name or token.
        """
        self._wanted = name
        try:
            await self.link.open(link)
        except ScovilleError as error:
            if error.code in _NO_CONNECTION:
                raise LinkError(error_text(error)) from error
            raise

    async def switch_user(self, answer: Awaitable[LoginReply], *, to_guest: bool = False) -> None:
        """Become the user of a log-in or log-out request of `account`, and request everything again as that user."""
        user = await answer
        self.name = self._wanted = user.name
        self.token = user.token
        self.claimed = not to_guest
        self.store_token(user.token, user.name, False)
        self._owner.forget_user()
        await self._owner.watch_again()
        self._owner.on_connection_change(Connected())

    async def close(self) -> None:
        """Close the connection; the server keeps the seat for a while."""
        await self.link.close()

    async def send_request(self, params: Params, kind: type[R]) -> R:
        """Send a request and return its reply, which is of `kind`. Raises ScovilleError and LinkError."""
        try:
            reply = await self.link.send_request(params)
        except ScovilleError as error:
            if error.code == Code.UNKNOWN_METHOD or (error.code == Code.BAD_PARAMS and error.data.get("unknown")):
                raise ScovilleError(Code.UPGRADE_SERVER, _OLDER_SERVER) from error
            raise
        assert isinstance(reply, kind), f"a link answers {type(params).__name__} with {kind.__name__}"
        return reply

    def find_insisting_end(self) -> float:
        """Return until when to insist on answers from now on, in monotonic seconds."""
        return self._clock.seconds() + _INSISTING_SECONDS

    async def insist_on_answer(self, ask: Callable[[], Awaitable[A]], until: float | None = None) -> A:
        """Send a repeatable request: again after a lost connection, and after a refusal that may not come again.

        A user who comes to a table by its code would find themselves in the lobby else, with a sentence about a server.
        Several questions share one time `until` which they are asked: a server may be busy at each of them.

        Raises:
            LinkError: The connection is given up.
            ScovilleError: The server refuses it for good, or for a minute.
        """
        until = self.find_insisting_end() if until is None else until
        pauses = BackOff(_FIRST_PAUSE, _LONGEST_PAUSE, self._clock.chance, 0.5)
        while True:
            try:
                return await ask()
            except LinkError:
                await self.link.wait_until_open()
                if self._clock.seconds() > until:
                    raise
            except ScovilleError as error:
                if error.code not in TEMPORARY or self._clock.seconds() > until:
                    raise
            await self._clock.sleep(pauses.next_wait())

    def warn_user(self, sentence: Phrase) -> None:
        """Publish a sentence about the user's identity, once the server has answered `hello`."""
        self._warnings.append(sentence)

    async def _log_in(self) -> None:
        """Log in on a new connection, and watch the same things as before."""
        hello = HelloRequest(
            protocol=PROTOCOL,
            client=f"scoville {__version__}",
            name=self._wanted or None,
            token=self.choose_token() or None,
            server_password=self.server_password or None,
        )
        welcome = await self._say_hello(hello)
        self._owner.check_welcome(welcome)
        self._said_key = welcome.server_key
        self.has_door_key = "door_key" in welcome.proofs
        self.name, self.games, self.features = welcome.name, welcome.games, frozenset(welcome.features)

        # Stored before it is used, since the server would take the older one on the disk for a copied token.
        if self.store_token(welcome.token, welcome.name, self.link.losses > 0) or not welcome.resumed:
            self.token = welcome.token
        if not self.link.losses:  # a lost connection is no absence: the screens catch up by themselves
            self.away_since_ms = welcome.away_since_ms
        why, wanted = welcome.name_refused, self._wanted
        self.name_refused = name_refused(why, wanted, self.name) if why and wanted else None

        # From now on the given name is wanted: a reconnect must not ask again for one that was refused.
        self._wanted, self.claimed, self.name_claimed = self.name, welcome.claimed, welcome.name_claimed
        await self._owner.watch_again()
        if welcome.token_reused:
            self.warn_user(OWN_TOKEN_REUSED)
        elif hello.token and not welcome.resumed:
            self.warn_user(IDENTITY_UNKNOWN)

        warnings, self._warnings = self._warnings, []
        for sentence in warnings:
            self._owner.publish_change(AccountWarned(sentence))

    async def _say_hello(self, hello: HelloRequest) -> HelloReply:
        """Send `hello`; of a user of a door with what the door knows, and again without what was refused."""
        if self.hosted is None:
            return await self.send_request(hello, HelloReply)
        while True:
            try:
                welcome = await self.send_request(replace(hello, door=self.hosted.describe_user()), HelloReply)
            except ScovilleError as error:
                if not self.hosted.drop_refused(error):
                    raise
            else:
                self.hosted.accept_welcome(welcome)
                return welcome
