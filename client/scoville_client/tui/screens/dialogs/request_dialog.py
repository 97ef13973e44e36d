"""Dialogs that send requests to the server, and show refusals in a notice of their own."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from scoville_client.tui.request import Request
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.widgets.notice import Notice

T = TypeVar("T")
A = TypeVar("A")


class RequestDialog(Dialog[T]):
    """A dialog with a Notice."""

    def send_request(self, awaited: Awaitable[A], on_answer: Callable[[A], object] = lambda _: None) -> None:
        """Await a request in the background, and pass its answer to `on_answer` unless the dialog is closed by then."""

        def pass_on(answer: A) -> None:
            if self.is_open:
                on_answer(answer)

        Request(awaited, pass_on, lambda sentence: self.show_notice(sentence, error=True)).start_worker(self)

    def show_notice(self, sentence: str, *, error: bool = False) -> None:
        """Show a sentence in the dialog; does nothing once it is closed."""
        for notice in self.query(Notice):
            notice.show_sentence(sentence, error=error)
