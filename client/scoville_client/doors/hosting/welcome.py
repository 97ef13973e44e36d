"""First page of a hosted user: the logo while the connection to the server is opened."""

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.start.start import StartScreen
from scoville_client.tui.widgets.menu import Item


class WelcomeScreen(StartScreen):
    """Offers to connect again, but neither to practise nor to host: the computer is the server's."""

    OFFERS_RETRY = True

    def items(self) -> list[Item]:
        return [
            Item("join", f"j  {tr('Connect')}", tr("to this server")),
            Item("rules", f"r  {tr('Rules')}", tr("of the three games")),
            Item("help", f"?  {tr('Help')}", tr("the keys")),
            Item("quit", f"q  {tr('Quit')}"),
        ]

    def action_join(self) -> None:
        self.post_message(self.Chosen(self._start))

    def action_practise(self) -> None:
        """Do nothing: the game would run in the door's process."""

    def action_host(self) -> None:
        """Do nothing: the server would run in the door's process."""
