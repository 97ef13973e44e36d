"""First page of a hosted user: the logo while the connection to the server is opened."""

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.widgets.menu import Item

_IN_THIS_PROCESS = {"host", "log_in", "practise", "tutorial", "watch_replay"}
"""Actions that would run a game or a server in the door's process, or read its files."""


class WelcomeScreen(StartScreen):
    """Offers to connect again, but neither to practise nor to host: the computer is the server's."""

    OFFERS_RETRY = True

    def list_items(self) -> list[Item]:
        return [
            Item("join", f"j  {tr('Connect')}", tr("to this server")),
            Item("rules", f"r  {tr('Rules')}", tr("of the three games")),
            Item("help", f"?  {tr('Help')}", tr("the keys")),
            Item("quit", f"q  {tr('Quit')}"),
        ]

    def key_actions(self) -> KeyActions:
        return {**super().key_actions(), "join": lambda: self.choose_start(self._start)}

    def allows_action(self, action: str) -> bool:
        return action not in _IN_THIS_PROCESS and super().allows_action(action)
