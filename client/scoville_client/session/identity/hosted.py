"""Identity of a user whom a door hosts: what the door tells the server about them, and what the server answers."""

import base64
import binascii
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final, NamedTuple

from scoville_client.i18n.errors import error_text
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import HelloReply, HostedUser
from scoville_shared.protocol.messages.doors import DoorTransport

_RESUME: Final = {Code.WRONG_CODE}
_KEY: Final = {Code.BAD_KEY}


class Origin(NamedTuple):
    """How a user came to a door: from which IP address and port, and whether their connection is encrypted."""

    transport: DoorTransport
    address: str
    port: int | None = None
    secure: bool = True


class HostedIdentity:
    """Who a hosted user is.

    Args:
        credential: Returns the credential of the door.
        origin: How they came to the door.
        key: SSH public key that they have proved, as one line; empty for none.
        resume: Resume code as they typed it; empty for none.

    Attributes:
        resume_code: The code that brings them back to their seats; empty where a key does, or a claimed name.
        settings: Their settings as the server keeps them; empty for none.
        complaint: Why something that they showed was not accepted.
    """

    def __init__(
        self,
        credential: Callable[[], str],
        origin: Origin,
        *,
        key: str = "",
        resume: str = "",
        clock: Clock = SYSTEM,
    ) -> None:
        self._credential = credential
        self._origin = origin
        self._key = key
        self._resume = resume
        self._clock = clock
        self._proved = clock.seconds()
        self.resume_code = ""
        self.settings: dict[str, Any] = {}
        self.complaint: Phrase | None = None

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key, as OpenSSH and the server write it; empty without a key."""
        try:
            blob = base64.b64decode(self._key.split(" ")[1], validate=True)
        except (IndexError, binascii.Error):
            return ""
        return "SHA256:" + base64.b64encode(sha256(blob).digest()).decode().rstrip("=")

    def describe_user(self) -> HostedUser:
        """Return the user's identity and proof for `hello`."""
        return HostedUser(
            credential=self._credential(),
            transport=self._origin.transport,
            address=self._origin.address,
            port=self._origin.port,
            secure=self._origin.secure,
            key=self._key or None,
            # An age and no time: the clocks of door and server need not agree.
            key_age_ms=round(1000 * (self._clock.seconds() - self._proved)) if self._key else 0,
            resume=self._resume or None,
        )

    def drop_refused(self, error: ScovilleError) -> bool:
        """Forget a proof that the server has refused; returns whether `hello` may be sent again."""
        if error.code in _RESUME and self._resume:
            self._resume = ""
        elif error.code in _KEY and self._key:
            self._key = ""
        else:
            return False
        self.complaint = Phrase("{message}", {"message": error_text(error)})
        return True

    def accept_welcome(self, welcome: HelloReply) -> None:
        """Keep the server's answer; on a reconnect the former resume code stays valid."""
        self.resume_code = welcome.resume_code or self.resume_code
        if welcome.client_settings is not None:
            self.settings = dict(welcome.client_settings)
