"""Line editor: what the terminal driver of an operating system does for programs that read lines.

A terminal behind a channel is in raw mode: it neither shows what is typed nor knows lines.
"""

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import Final

from rich.cells import cell_len

LONGEST: Final = 1_000
"""Characters of a line; further ones are not taken."""
_ENTER: Final = "\r\n"
_BACKSPACE: Final = "\x7f\b"
_CLEAR, _END, _INTERRUPT, _ESCAPE, _TAB = "\x15", "\x04", "\x03", "\x1b", "\t"


class LineEditor:
    """Makes lines of typed bytes, and echoes them through `write` unless `hidden` is set.

    Attributes:
        complete: Returns a line with its name completed, for Tab; None where there is nothing to complete.
        ended: Whether the user has ended the input, by Ctrl+C or, on an empty line, Ctrl+D.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self.complete: Callable[[str], str | None] = lambda _: None
        self._decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._typed = ""
        self._escape = ""
        self._after_return = False
        self.hidden = False
        self.ended = False

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the lines that are complete."""
        for char in self._decode(data):
            if self.ended:
                return
            if self._escape or char == _ESCAPE:
                self._skip(char)
            elif char in _ENTER:
                if not (char == "\n" and self._after_return):
                    yield self._finish()
            else:
                self._edit(char)
            self._after_return = char == "\r"

    def interleave(self, line: str) -> None:
        """Write a line above what is being typed."""
        shown = "" if self.hidden else self._typed
        self._write(f"{self._erased(shown)}{line}\r\n{shown}")

    def _finish(self) -> str:
        line, self._typed = self._typed, ""
        self._write("\r\n")
        return line

    def _edit(self, char: str) -> None:
        if char in _BACKSPACE:
            gone, self._typed = self._typed[-1:], self._typed[:-1]
            self._echo(self._erased(gone))
        elif char == _CLEAR:
            gone, self._typed = self._typed, ""
            self._echo(self._erased(gone))
        elif char == _TAB:
            self._complete()
        elif char == _INTERRUPT or (char == _END and not self._typed):
            self.ended = True
        elif char.isprintable() and len(self._typed) < LONGEST:
            self._typed += char
            self._echo(char)

    def _complete(self) -> None:
        completed = None if self.hidden else self.complete(self._typed)
        if completed is not None and len(completed) <= LONGEST:
            self._echo(f"{self._erased(self._typed)}{completed}")
            self._typed = completed

    def _skip(self, char: str) -> None:
        """Ignore an escape sequence, such as that of an arrow key."""
        self._escape += char
        begun = self._escape in (_ESCAPE, f"{_ESCAPE}[", f"{_ESCAPE}O")
        if not begun and (char.isalpha() or char == "~" or len(self._escape) > 16 or self._escape[1] not in "[O"):
            self._escape = ""

    def _echo(self, text: str) -> None:
        if not self.hidden:
            self._write(text)

    @staticmethod
    def _erased(text: str) -> str:
        return "\b \b" * cell_len(text)
