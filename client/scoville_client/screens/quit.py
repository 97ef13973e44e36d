"""Asks before a game is left."""

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.language import told, words
from scoville_client.screens.page import Dialog, TooSmall, keys
from scoville_shared.kit.phrases import Phrase

Leaving = Literal["stay", "leave", "give up", "lobby"]

_WHAT_BECOMES = {
    "practice": Phrase("It is not over, and practice is kept nowhere: nobody can go on with it."),
    "join": Phrase(
        "It is not over. If you leave, a bot plays on for you; if you only look at the lobby, your seat waits for you."
        " You can come back either way."
    ),
    "lost": Phrase(
        "It is not over. While the line is down your seat waits for you, or a bot plays on until you are back."
    ),
    "host": Phrase(
        "The server ends with you. The table is kept: when you host again, everybody goes on where they were."
    ),
}


class LeaveDialog(Dialog[Leaving]):
    """Whether to leave the game: only who hosts it may do so for good, only a guest may keep the seat meanwhile.

    `kind` is that of the `Start`, or "lost" for who joined a server to which the line is down.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter,q", "answer('leave')", "leave", show=False),
        Binding("g", "answer('give up')", "give up", show=False),
        Binding("l", "answer('lobby')", "lobby", show=False),
        Binding("n,escape", "answer('stay')", "stay", show=False),
    ]

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind

    def compose(self) -> ComposeResult:
        """Put the question."""
        with Vertical(classes="box"):
            yield Static(words("Leave this game?"), classes="heading")
            yield Static(told(_WHAT_BECOMES[self._kind]))
            yield Static(keys(*self._keys()), classes="keys")
        yield TooSmall()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let only the host give the seat up for good, and only a guest look at the lobby meanwhile."""
        wanted = {"give up": "host", "lobby": "join"}.get(str(*parameters)) if action == "answer" else None
        return wanted in (None, self._kind)

    def action_answer(self, answer: Leaving) -> None:
        """Give the answer."""
        self.dismiss(answer)

    async def action_quit(self) -> None:
        """Quit for good: who asks twice means it."""
        self.dismiss("leave")

    def _keys(self) -> list[tuple[str, str]]:
        give_up = [("g", words("give my seat up"))] * (self._kind == "host")
        lobby = [("l", words("to the lobby"))] * (self._kind == "join")
        return [("y", words("leave")), *give_up, *lobby, ("n", words("stay"))]
