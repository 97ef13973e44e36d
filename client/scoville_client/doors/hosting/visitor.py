"""One visit of a hosted user."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link
from scoville_client.tui.actions import Action


class Visitor(NamedTuple):
    """One visit of a hosted user.

    Attributes:
        start: What to open; its kind is "join".
        link: Makes the link to the server, as this user.
        identity: What the door tells the server about them; None for an ordinary client.
        label: Name in the log, such as an address.
        how_to_return: Returns how to come back with a resume code, in a sentence.
        on_keys: Called with the actions whose keys work, whenever others do.
        on_theme: Called with whether the theme is light, whenever it changes; at first it is dark.
        offer_file: Offers the user a file to save, by its name and text; None where that is impossible.
    """

    start: Start
    link: Callable[[], Link]
    identity: HostedIdentity | None = None
    label: str = ""
    how_to_return: Callable[[str], str] = str
    on_keys: Callable[[Sequence[Action]], None] | None = None
    on_theme: Callable[[bool], None] = lambda _: None
    offer_file: Callable[[str, str], None] | None = None

    @property
    def farewell(self) -> list[str]:
        """What to write once the screens are gone: how to come back without a key."""
        code = self.identity.resume_code if self.identity is not None else ""
        return [self.how_to_return(code)] if code else []
