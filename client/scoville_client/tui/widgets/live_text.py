"""Live text: a Static that is rewritten in place when the language changes."""

from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static


class LiveText(Static):
    """Shows the text that `write` returns."""

    def __init__(self, write: Callable[[], str | Content], *, classes: str = "", id: str | None = None) -> None:  # noqa: A002 - as widgets call it
        super().__init__(write(), id=id, classes=classes, markup=False)
        self._write = write

    def retranslate(self) -> None:
        """Write the text in the current language."""
        self.update(self._write())
