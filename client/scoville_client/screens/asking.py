"""Dialogs that ask the server: what it refuses is said in them, where it was asked for."""

from collections.abc import Awaitable
from typing import TypeVar

from scoville_client.faults import Fault
from scoville_client.link.base import LinkError
from scoville_client.refusals import said
from scoville_client.screens.page import Dialog
from scoville_client.widgets.notice import Notice
from scoville_shared.errors import ScovilleError

T = TypeVar("T")


class AskingDialog(Dialog[T]):
    """A dialog with a Notice of its own."""

    def ask(self, asked: Awaitable[object]) -> None:
        """Ask, unhurried."""
        self.run_worker(self._answered(asked), exit_on_error=True)

    def tell(self, sentence: str, *, bad: bool = True) -> None:
        """Say something in the dialog; nothing where it is closed by now."""
        for notice in self.query(Notice):
            notice.tell(sentence, bad=bad)

    async def _answered(self, asked: Awaitable[object]) -> None:
        try:
            await asked
        except Fault as fault:
            self.tell(str(fault))
        except LinkError as error:
            self.tell(error.message)
        except ScovilleError as error:
            self.tell(said(error))
