"""What the menu of the start screen does: it asks for a game, a server or a file, and chooses what to start."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from scoville_client.i18n.language import tr
from scoville_client.session.start_options import Start
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.page import Page

if TYPE_CHECKING:
    from scoville_client.transport.address import Address
    from scoville_client.tui.screens.dialogs.join import Destination


class StartMenu(Page):
    """A page whose actions end in `choose`. `start` are the options of the command line; last choices are filled in."""

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start
        self._last: Destination | None = None

    def choose(self, start: Start) -> None:
        """Start what the user has chosen."""
        raise NotImplementedError

    def practise(self, game: str) -> None:
        """Begin to practise a game."""
        self.choose(replace(self._start, kind="practice", game=game))

    def key_actions(self) -> KeyActions:
        return {
            **super().key_actions(),
            "host": self._choose_hosted_game,
            "join": self._ask_for_server,
            "log_in": self._ask_for_own_server,
            "practise": self._choose_practice_game,
            "tutorial": self._choose_tutorial,
            "watch_replay": lambda: self.shell.request(self._watch_replay()),
        }

    def _choose_practice_game(self) -> None:
        self.shell.request(self._choose_game(tr("Practise"), replace(self._start, kind="practice")))

    def _choose_tutorial(self) -> None:
        from scoville_client.tui.screens.dialogs.game_picker import choose_tutorial

        choose_tutorial(self.shell, self._start.game)

    def _choose_hosted_game(self) -> None:
        self.shell.request(self._choose_game(tr("Host a table"), replace(self._start, kind="host", host="")))

    def _ask_for_server(self, *, logging_in: bool = False) -> None:
        from scoville_client.transport.address import Address
        from scoville_client.tui.screens.dialogs.join import Destination, JoinDialog

        start = self._start
        if self._last is None and start.kind == "join":
            self._last = Destination(Address(start.host, start.port, start.pin), start.name, start.code)
        self.shell.open_dialog(JoinDialog(self._last, logging_in=logging_in), self._join)

    async def _watch_replay(self) -> None:
        from scoville_client.tui.screens.start.saved_games import choose_saved_game

        playback = await choose_saved_game(self.shell)
        if playback is not None:
            self.shell.navigation.open_replay(playback=playback)

    def _ask_for_own_server(self) -> None:
        """Enter the address of a server, and the name that was claimed there."""
        self._ask_for_server(logging_in=True)

    async def _choose_game(self, heading: str, start: Start) -> None:
        from scoville_client.tui.screens.dialogs.game_picker import ask_for_game

        chosen = await ask_for_game(self.shell, heading, start)
        if chosen is not None:
            self._start = replace(self._start, game=chosen.game)
            self.choose(chosen)

    def _join(self, destination: "Destination | None") -> None:
        if destination is not None:
            self._last = destination
            self.choose_destination(*destination)

    def choose_destination(
        self, address: "Address | None", name: str, code: str = "", logging_in: bool = False
    ) -> None:
        """Connect to a server, or to the one on the local network that knows `code`."""
        host, port, pin = address or ("", self._start.port, "")
        place = replace(self._start, kind="join", host=host, port=port, pin=pin)
        self.choose(replace(place, name=name, code=code, logging_in=logging_in))
