"""Connection of the client: opened, replaced and closed, and the pages that it opens with.

Imported with the first connection: it loads the session, which the first page does not need.
"""

from collections.abc import Sequence
from typing import Protocol

from scoville_client.garbage import resuming_collection
from scoville_client.i18n.language import tr
from scoville_client.session.client import Client
from scoville_client.session.start_options import Start
from scoville_client.tui.navigation import Navigator
from scoville_client.tui.page_stack import PageStack
from scoville_client.tui.screens.account.login_dialogs import explain_guest
from scoville_client.tui.screens.lobby.actions import LobbyActions
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.session_changes import SessionChanges
from scoville_client.tui.shell import Shell


class ClientOwner(Shell, Protocol):
    """The app, as far as connections differ between a process of the user's own and a door.

    Attributes:
        greetings: Sentences for the first page of a connection.
    """

    greetings: Sequence[str]

    @property
    def navigation(self) -> Navigator: ...

    def make_client(self, start: Start) -> Client:
        """Make the client of a new connection."""

    def note_connected(self) -> None:
        """Prepare the pages of a connection that has just been opened."""


class Connection:
    """The current connection. Opening another one closes it first."""

    def __init__(self, owner: ClientOwner, pages: PageStack, changes: SessionChanges) -> None:
        self._owner = owner
        self._pages = pages
        self._changes = changes
        self.client: Client | None = None

    async def open(self, start: Start, opened: Client | None = None) -> None:
        """Connect, or adopt a client that has `opened` its connection, and show its first pages."""
        await self.close()
        progress = self._pages.page if self._pages.pages else None
        client = self.client = opened or self._owner.make_client(start)
        client.session.subscribe(self._changes.add)
        try:
            with resuming_collection():
                if opened is None:
                    await client.open()
                self._owner.note_connected()
                await self._open_pages(client)
        except BaseException:
            if isinstance(progress, StartScreen):
                progress.offer_menu()
            raise
        if progress is not None and opened is None:  # not before: it would lay out a page that is covered in a moment
            progress.show_notice("")
        if client.running is not None and client.running.again and start.kind == "host" and client.in_game:
            reopened = tr("Your table has been reopened. To open another one, go to the lobby (Esc).")
            self._owner.show_notice(reopened, sticky=True)

    async def close(self) -> None:
        """Disconnect, and stop a hosted server."""
        if self.client is not None:
            await self.client.close()

    async def _open_pages(self, client: Client) -> None:
        """Show the lobby, also beneath a table to which the user comes straight, and the table."""
        session, navigation = client.session, self._owner.navigation
        if client.start.big:
            await navigation.open_big()
            return
        if client.is_multiplayer:
            await session.lobby.watch()
            lobby = navigation.make_lobby_page()
            if session.table is None:  # announced afterwards, it would be laid out twice
                lobby.opening = tuple(self._owner.greetings)
            await self._pages.show_page(lobby)
        if session.connection.name_claimed or (client.start.logging_in and not session.connection.claimed):
            explain_guest(self._owner, client.start)
        if session.table is not None:
            await self._pages.show_page(navigation.make_table_page())
            for sentence in self._owner.greetings:
                self._owner.announce(sentence)
        elif client.start.code:
            actions = LobbyActions(self._owner)
            (actions.watch if client.start.watching else actions.enter)(client.start.code)
        if session.connection.name_refused is not None:
            self._owner.show_notice(session.connection.name_refused, sticky=True)
