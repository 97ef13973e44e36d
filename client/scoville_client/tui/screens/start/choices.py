"""What the first screen offers: to practise, to host a table, to join a server; each asks before it begins."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from scoville_client.i18n.language import words
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address
from scoville_client.tui.screens.dialogs.game_picker import ask_for_game
from scoville_client.tui.screens.dialogs.join import Destination, JoinDialog

if TYPE_CHECKING:
    from scoville_client.tui.app import ScovilleApp


class Beginnings:
    """Asks by dialogs of the `app`, and lets it begin; what was played last is offered first."""

    def __init__(self, app: "ScovilleApp", start: Start) -> None:
        self._app = app
        self._start = start
        went = Destination(Address(start.host, start.port), start.name)
        self._last = went if start.kind == "join" else None

    def practise(self) -> None:
        """Ask for a game, and play it against bots."""
        self._app.ask(self._ask_for_game(words("Practise"), replace(self._start, kind="practice")))

    def host(self) -> None:
        """Ask for a game, and open a table that others can reach."""
        self._app.ask(self._ask_for_game(words("Host a table"), replace(self._start, kind="host", host="")))

    def join(self) -> None:
        """Ask for an address, and go there."""
        self._app.push_screen(JoinDialog(self._last), self._go)

    async def _ask_for_game(self, heading: str, start: Start) -> None:
        chosen = await ask_for_game(self._app, heading, start)
        if chosen is not None:
            self._start = replace(self._start, game=chosen.game)
            self._app.begin(chosen)

    def _go(self, destination: Destination | None) -> None:
        if destination is not None:
            host, port = destination.address
            self._last = destination
            self._app.begin(replace(self._start, kind="join", host=host, port=port, name=destination.name))
