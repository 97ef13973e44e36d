"""Asks before a game is left."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.language import words
from scoville_client.screens.page import Dialog, TooSmall, keys


class LeaveDialog(Dialog[bool]):
    """True when the game may be left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter,q", "answer(True)", "leave", show=False),
        Binding("n,escape", "answer(False)", "stay", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Put the question."""
        with Vertical(classes="box"):
            yield Static(words("Leave this game?"), classes="heading")
            yield Static(words("It is not over; your seat may be lost."))
            yield Static(keys(("y", words("leave")), ("n", words("stay"))), classes="keys")
        yield TooSmall()

    def action_answer(self, leave: bool) -> None:
        """Give the answer."""
        self.dismiss(leave)

    async def action_quit(self) -> None:
        """Quit for good: who asks twice means it."""
        self.dismiss(True)
