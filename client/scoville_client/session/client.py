"""Client of one server: how it was started, its session and chat, and the server that it hosts, if any."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scoville_client.i18n.language import tr
from scoville_client.session.conversations import Conversations
from scoville_client.session.hosting import (
    Running,
    begin_session,
    count_other_users,
    invitation_to,
    proved_pin,
    session_for,
)
from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.joining.invitation import Invitation, how_to_join_too
from scoville_client.session.joining.search import locate_table
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address
from scoville_client.transport.base import Link
from scoville_client.transport.lan.browser import Browse
from scoville_runtime.clock import SYSTEM, Clock

if TYPE_CHECKING:
    from scoville_client.session.commands.registry import SlashCommands


class Client:
    """Opens the page of `start` (its kind is not "menu"). `running` is None before `open` and after `close`.

    With a `link`, the client uses it and stores nothing; `browse` searches the local network for a table code; `hosted`
    is who the user of a door is.
    """

    def __init__(
        self,
        start: Start,
        clock: Clock = SYSTEM,
        link: Link | None = None,
        browse: Browse | None = None,
        hosted: HostedIdentity | None = None,
    ) -> None:
        self.start = start
        self._link = link
        self._browse = browse
        self.session = session_for(start, clock)
        self.session.connection.hosted = hosted
        self.conversations = Conversations(self.session)
        self.running: Running | None = None
        self._clock = clock

    @cached_property
    def slash_commands(self) -> "SlashCommands":
        """Runs commands that are typed in the chat or bound to keys."""
        from scoville_client.session.commands.registry import SlashCommands  # late: the board comes first

        return SlashCommands(self.conversations, self.make_invitation)

    async def open(self) -> None:
        """Connect and take a seat. Raises LinkError and ScovilleError, each with a sentence for the user."""
        self.start = await locate_table(self.start, self._browse, self._clock)
        self.running = await begin_session(self.session, self.start, self._clock, self._link)

    async def close(self) -> None:
        """Disconnect; a hosted server drains and stops."""
        running, self.running = self.running, None
        if running is not None:
            await running.close()

    @property
    def is_multiplayer(self) -> bool:
        """Whether other users can be on this server: not in practice."""
        return self.start.kind != "practice" and self.running is not None

    @property
    def is_hosting(self) -> bool:
        """Whether the server runs in this process and others can connect to it."""
        return self.start.kind == "host" and self.running is not None

    @property
    def folder(self) -> Path | None:
        """The folder in which the hosted server saves its tables."""
        return None if self.running is None else self.running.folder

    @property
    def suspension_refusal(self) -> str:
        """Why the client must not stand still: its server would, for other users; empty if it may."""
        if self.is_hosting and count_other_users(self.session, self.running):
            return tr("Scoville cannot be suspended while other users are connected to your server.")
        return ""

    @property
    def is_kept(self) -> bool:
        """Whether the practice game at the table is kept until the user comes back: from their first decision on."""
        at = self.session.table
        if self.running is None or self.running.unfinished is None or at is None:
            return False
        from scoville_shared.replay.file import file_name_of  # late: most clients never ask

        return (self.running.unfinished / file_name_of(at.id)).exists()

    @property
    def drain_seconds(self) -> float:
        """How many seconds the other players of the hosted server get to finish their moves when it stops."""
        return 0.0 if self.running is None else self.running.drain_seconds

    @property
    def in_game(self) -> bool:
        """Whether the user sits in a game that is not over."""
        at = self.session.table
        if self.running is None or self.session.connection.offline or at is None:
            return False
        return at.info.status == "playing" and at.seat is not None

    def make_invitation(self) -> Invitation:
        """Return every way in which others join the current table, or the server; no way in practice."""
        return invitation_to(self.start, self.session, self.running)

    def join_instructions(self) -> list[str]:
        """Return how others join this server, with the pin if this connection proves it; empty in practice."""
        if self.running is not None and self.running.address is not None:
            at = self.session.table
            return self.running.join_instructions("" if at is None else at.info.code or "")
        if (
            self.start.kind != "join" or self.session.connection.hosted is not None
        ):  # the door knows no address for others
            return []
        return how_to_join_too(Address(self.start.host, self.start.port, proved_pin(self.session)))
