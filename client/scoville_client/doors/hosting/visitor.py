"""One visit of a hosted user, and their connection to the server, which is opened before any screen is drawn.

Most users then see the lobby as their first screen. To draw another one before it cost a third of a log-in.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from scoville_client.doors.hosting.session_limits import CONNECT_SECONDS
from scoville_client.i18n.language import InputError, render, tr
from scoville_client.session.client import Client
from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link, LinkError
from scoville_client.tui.actions import Action
from scoville_runtime.clock import Clock
from scoville_shared.errors import ScovilleError


class Visitor(NamedTuple):
    """One visit of a hosted user.

    Attributes:
        start: The page or table to open; its kind is "join".
        link: Makes the link to the server, as this user.
        identity: Their identity, for the server; None for an ordinary client.
        label: Name in the log, such as an address.
        address: Where the user comes from; empty if that is unknown.
        how_to_return: Returns how to come back with a resume code, in a sentence.
        on_keys: Called with the actions whose keys work, whenever others do.
        on_theme: Called with whether the theme is light, whenever it changes; at first it is dark.
        ignored_password: Whether they have typed a password, which the door does not read.
        offer_file: Offers the user a file to save, by its name and text; None where that is impossible.
    """

    start: Start
    link: Callable[[], Link]
    identity: HostedIdentity | None = None
    label: str = ""
    address: str = ""
    how_to_return: Callable[[str], str] = str
    on_keys: Callable[[Sequence[Action]], None] | None = None
    on_theme: Callable[[bool], None] = lambda _: None
    offer_file: Callable[[str, str], None] | None = None
    ignored_password: bool = False

    @property
    def preamble(self) -> list[str]:
        """Lines to write before the screens: a terminal keeps them where it can be scrolled back to."""
        return [
            *([tr("No password is needed here; what you typed was ignored.")] if self.ignored_password else []),
            *self.farewell,
        ]

    @property
    def farewell(self) -> list[str]:
        """Lines to write once the screens are gone: how to return without a key."""
        code = self.identity.resume_code if self.identity is not None else ""
        return [self.how_to_return(code)] if code else []

    @property
    def greetings(self) -> tuple[str, ...]:
        """Sentences to show first: names or codes that were refused, and how to return without a key."""
        complaint = None if self.identity is None else self.identity.complaint
        return (*(() if complaint is None else (render(complaint),)), *self.farewell)


def client_of(visitor: Visitor, clock: Clock) -> Client:
    """Return a client on a new link of a user."""
    return Client(visitor.start, clock, visitor.link(), hosted=visitor.identity)


@asynccontextmanager
async def open_client(visitor: Visitor, clock: Clock) -> AsyncIterator[Client | None]:
    """Yield a connected client; None where that fails or takes long, so that a page shows what happens."""
    client = client_of(visitor, clock)
    try:
        yield client if await _can_open(client, clock) else None
    finally:
        await client.close()


async def _can_open(client: Client, clock: Clock) -> bool:
    try:
        async with clock.limit(CONNECT_SECONDS):
            await client.open()
    except (TimeoutError, LinkError, ScovilleError, InputError):
        return False
    return True
