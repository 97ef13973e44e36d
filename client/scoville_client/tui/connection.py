"""Connection of the client: opened, replaced and closed, and the pages that it opens with.

Imported with the first connection: it loads the session, which the first page does not need. What only servers of
others ask for is imported when they do: practice is at its board without it.
"""

from contextlib import suppress

from scoville_client.garbage import resuming_collection
from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import tr
from scoville_client.session.client import Client
from scoville_client.session.connection import SERVER_PASSWORDS
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address
from scoville_client.tui.navigation import Navigator
from scoville_client.tui.notifications import Notifier
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.session_changes import SessionChanges
from scoville_client.tui.shell import Shell
from scoville_client.tui.textual_hooks.app import HookedApp
from scoville_shared.errors import Code, ScovilleError


class Connection:
    """The current connection. Opening another one closes it first."""

    def __init__(
        self, app: HookedApp, shell: Shell, navigation: Navigator, platform: Platform, notifier: Notifier
    ) -> None:
        self._shell = shell
        self._navigation = navigation
        self._pages = navigation.pages
        self._platform = platform
        self._changes = SessionChanges(app, shell, navigation.pages, notifier)
        self.client: Client | None = None

    async def open_client(self, start: Start, opened: Client | None = None) -> None:
        """Connect, or adopt a client that has `opened` its connection, and show its first pages."""
        await self.close()
        progress = self._pages.page if self._pages.pages else None
        client = self.client = opened or self._platform.make_client(start, self._shell.clock)
        client.session.subscribe(self._changes.show_later)
        try:
            with resuming_collection():
                if opened is None:
                    await self._open_with_password(client)
                self._platform.note_connected(self._shell)
                await self._open_pages(client)
        except BaseException:
            if isinstance(progress, StartScreen):
                progress.offer_menu()
            raise
        if progress is not None and opened is None:  # not before: it would lay out a page that is covered in a moment
            progress.show_notice("")
        if client.running is not None and client.running.again and start.kind == "host" and client.in_game:
            reopened = tr("Your table has been reopened. To open another one, go to the lobby (Esc).")
            self._shell.show_notice(reopened, sticky=True)

    async def _open_with_password(self, client: Client) -> None:
        """Connect; a server that asks newcomers for its password gets what the user types."""
        while True:
            try:
                return await client.open()
            except ScovilleError as error:
                if error.code not in SERVER_PASSWORDS:
                    raise
                from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine

                fault = error_text(error) if error.code == Code.WRONG_SERVER_PASSWORD else ""
                about = tr("This server asks newcomers for its password. Its host knows it.")
                line = TextLine(hidden=True, fault=fault, max_length=128)
                typed = await self._shell.ask_user(
                    PromptDialog(tr("Password of the server"), about, tr("connect"), line)
                )
                if not typed:
                    raise
                client.session.connection.server_password = typed

    async def close(self) -> None:
        """Disconnect, and stop a hosted server."""
        if self.client is not None:
            await self.client.close()

    def _note_server(self, client: Client) -> None:
        """Remember a server that the user has joined by its address, and under which name."""
        start = client.start
        if start.kind == "join" and start.host and not start.watching and not self._shell.is_hosted:
            self._shell.settings.note_joined(Address(start.host, start.port, start.pin).short, client.session.name)

    async def _show_news(self, client: Client) -> None:
        """Say what has happened since the user was here last, if anything has."""
        if client.session.connection.away_since_ms is None:
            return
        from scoville_client.session.news import gather_news
        from scoville_client.tui.screens.lobby.away import show_news

        with suppress(ScovilleError):  # a server that is busy: what it would tell can be found elsewhere
            news = await gather_news(client.session)
            if news is not None and not news.is_empty:
                show_news(self._shell, news)

    async def _open_pages(self, client: Client) -> None:
        """Show the lobby, also beneath a table to which the user comes straight, and the table."""
        session, navigation = client.session, self._navigation
        self._note_server(client)
        if client.start.big:
            await navigation.open_big()
            return
        if client.is_multiplayer:
            await session.lobby.watch_lobby()
            lobby = navigation.make_lobby_page()
            if session.table is None:  # announced afterwards, it would be laid out twice
                lobby.opening = tuple(self._platform.greetings)
            await self._pages.show_page(lobby)
        if session.connection.name_claimed or (client.start.logging_in and not session.connection.claimed):
            from scoville_client.tui.screens.account.login_dialogs import explain_guest

            explain_guest(self._shell, client.start)
        if session.table is not None:
            await self._pages.show_page(navigation.make_table_page())
            for sentence in self._platform.greetings:
                self._shell.announce(sentence)
        elif client.start.code:
            from scoville_client.tui.screens.lobby.actions import LobbyActions

            actions = LobbyActions(self._shell)
            (actions.watch_code if client.start.watching else actions.enter_code)(client.start.code)
        if session.connection.name_refused is not None:
            self._shell.show_notice(session.connection.name_refused, sticky=True)
        if client.is_multiplayer and not client.start.watching:
            await self._show_news(client)
