"""One SSH connection: who logs in, and the single session that they may open."""

from collections.abc import Callable
from typing import Any, Final, Protocol

import asyncssh
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from scoville_client.settings.file import ACCESSIBLE
from scoville_runtime.clock import Alarm

LOGIN_SECONDS: Final = 20
"""Seconds until a user must be logged in."""
ARRIVAL_SECONDS: Final = 20.0
"""Seconds after the log-in until a session must have been asked for."""
HANDSHAKES: Final = 256
"""Connections of a worker that have not logged in, at most."""
HANDSHAKES_PER_ADDRESS: Final = 8
"""The same of one address, or of one /64 of IPv6."""
SESSIONS: Final = 200
"""Sessions of a worker at most; 25 to 40 that play keep one core busy."""
SESSIONS_PER_ADDRESS: Final = 32
"""The same of one address; a whole household or school may share one."""
KEEPALIVE_SECONDS: Final = 15
KEEPALIVES: Final = 3
"""Unanswered keepalives after which a connection counts as lost."""
BUFFER_BYTES: Final = 65_536
"""Bytes of output that may wait before a session draws nothing more."""
LEAST_RSA_BITS: Final = 3_072
MOST_RSA_BITS: Final = 8_192
"""Bits of users' RSA keys: shorter ones are weak, and longer ones take long to check."""
VARIABLES: Final = ("LANG", "LANGUAGE", "COLORTERM", "NO_COLOR", ACCESSIBLE)
"""Environment variables that are taken from users, beside those that begin with LC_."""
VARIABLE_BYTES: Final = 64
"""Most bytes of a variable's name or value."""
MOST_VARIABLES: Final = 24


_LONGEST_USER = 128


class Environment(dict[bytes, bytes]):
    """Environment variables that a user has sent: a few known ones, and short. All others are forgotten at once."""

    def __setitem__(self, name: bytes, value: bytes) -> None:
        """Keep a variable if it is known."""
        text = name.decode("ascii", "replace")
        known = text in VARIABLES or text.startswith("LC_")
        if known and max(len(name), len(value)) <= VARIABLE_BYTES and len(self) < MOST_VARIABLES:
            super().__setitem__(name, value)


class Door(Protocol):
    """The door as its connections need it."""

    def note_connection(self, connection: "SshConnection") -> None:
        """Note a new connection, which has been admitted."""

    def logged_in(self, connection: "SshConnection") -> None:
        """Count a connection as one of a user."""

    def forget_connection(self, connection: "SshConnection") -> None:
        """Forget a connection that has ended."""

    def open_session(self, connection: "SshConnection") -> asyncssh.SSHServerSession[bytes]:
        """Make the session of a user."""

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Alarm:
        """Call a function after some seconds."""


class SshConnection(asyncssh.SSHServer):
    """Accepts any public key, which is then the identity, and users without one by an empty question.

    Attributes:
        address, port: Where the user comes from.
        user: The user name, which proves nothing.
        key: The public key that the user has proved, as one line; empty for none.
        has_typed_password: Whether their client has sent a password.
    """

    def __init__(self, door: Door) -> None:
        self._door = door
        self._connection: asyncssh.SSHServerConnection | None = None
        self._arrival: Alarm | None = None
        self._has_session = False
        self.address, self.port = "", 0
        self.user = ""
        self.key = ""
        self.is_logged_in = False
        self.has_typed_password = False

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Count a new connection by its address, before anything of SSH is read."""
        self._connection = conn
        self.address, self.port = (conn.get_extra_info("peername") or ("", 0))[:2]
        self._door.note_connection(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - all ends are alike
        """Free the place of the connection; a session on it has ended by itself."""
        if self._arrival is not None:
            self._arrival.cancel()
        self._door.forget_connection(self)

    def abort(self) -> None:
        if self._connection is not None:
            self._connection.abort()

    # --- log-in -----------------------------------------------------------------------------------------

    def begin_auth(self, username: str) -> bool:
        """Keep the user name: a command, never an identity."""
        self.user = username[:_LONGEST_USER]
        return True

    def public_key_auth_supported(self) -> bool:
        """Offer public keys: they are how a user is known again, never a condition."""
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:  # noqa: ARG002 - of the interface
        """Accept any key of a good length; asyncssh checks the signature before the user is logged in by it."""
        rsa = key.pyca_key
        if isinstance(rsa, RSAPublicKey) and not LEAST_RSA_BITS <= rsa.key_size <= MOST_RSA_BITS:
            return False
        line = key.export_public_key("openssh").decode("ascii", "replace")
        # Without the comment, which often names a person and their computer.
        self.key = " ".join(line.split()[:2])
        return True

    def kbdint_auth_supported(self) -> bool:
        """Let users without a key in."""
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> Any:  # noqa: ARG002 - of the interface
        """Ask nothing. A key that was offered before has not been proved."""
        self.key = ""
        return "", "", "", []

    def validate_kbdint_response(self, username: str, responses: Any) -> bool:  # noqa: ARG002 - of the interface
        """Accept the answer to no question."""
        self.key = ""
        return True

    def password_auth_supported(self) -> bool:
        """Let clients in that can only send a password."""
        return True

    def validate_password(self, username: str, password: str) -> bool:  # noqa: ARG002 - of the interface
        """Accept any password without reading it: like an empty question, it proves nothing."""
        self.key = ""
        self.has_typed_password = True
        return True

    def auth_completed(self) -> None:
        """Give the user some seconds to open a session: one who opens none would hold a place for nothing."""
        self.is_logged_in = True
        self._door.logged_in(self)
        self._arrival = self._door.call_later(ARRIVAL_SECONDS, self.abort)

    # --- the session ------------------------------------------------------------------------------------

    def session_requested(self) -> Any:
        """Open the one session of this connection. Everything else that SSH can open is refused by default."""
        if self._has_session or self._connection is None:
            return False
        self._has_session = True
        channel = self._connection.create_server_channel(encoding=None)
        channel._env = Environment()  # noqa: SLF001 - else it keeps whatever is sent
        return channel, self._door.open_session(self)

    def session_started(self) -> None:
        """Note that the session was asked for completely."""
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None
