"""Dialogs that ask the server: what it refuses is said in them, where it was asked for."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from scoville_client.tui.screens.dialogs.answers import Answered
from scoville_client.tui.screens.page import Dialog
from scoville_client.tui.widgets.notice import Notice

T = TypeVar("T")
A = TypeVar("A")


class AskingDialog(Dialog[T]):
    """A dialog with a Notice of its own."""

    def ask(self, asked: Awaitable[object]) -> None:
        """Ask, unhurried."""
        self.fetch(asked, lambda _: None)

    def fetch(self, asked: Awaitable[A], show: Callable[[A], object]) -> None:
        """Ask, unhurried, and show the answer; nothing is shown in a dialog that is closed by then."""

        def show_if_open(answer: A) -> None:
            if self.is_open:
                show(answer)

        Answered(asked, show_if_open, self.tell).begin(self)

    def tell(self, sentence: str, *, bad: bool = True) -> None:
        """Say something in the dialog; nothing where it is closed by now."""
        for notice in self.query(Notice):
            notice.tell(sentence, bad=bad)
