"""A text that is written again when the language changes, in place: nothing is unmounted meanwhile."""

from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static


class Live(Static):
    """Shows what `write` gives."""

    def __init__(self, write: Callable[[], str | Content], *, classes: str = "", id: str | None = None) -> None:  # noqa: A002 - as widgets call it
        super().__init__(write(), id=id, classes=classes, markup=False)
        self._write = write

    def reword(self) -> None:
        """Write it in the language that is spoken now."""
        self.update(self._write())
