"""One visit of a hosted user."""

from collections.abc import Callable
from typing import NamedTuple

from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link


class Visitor(NamedTuple):
    """One visit of a hosted user.

    Attributes:
        start: What to open; its kind is "join".
        link: Makes the link to the server, as this user.
        identity: What the door tells the server about them; None for an ordinary client.
        label: Name in the log, such as an address.
        how_to_return: Returns how to come back with a resume code, in a sentence.
    """

    start: Start
    link: Callable[[], Link]
    identity: HostedIdentity | None = None
    label: str = ""
    how_to_return: Callable[[str], str] = str

    @property
    def farewell(self) -> list[str]:
        """What to write once the screens are gone: how to come back without a key."""
        code = self.identity.resume_code if self.identity is not None else ""
        return [self.how_to_return(code)] if code else []
