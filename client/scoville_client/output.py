"""Lines on stdout and stderr, safe for every terminal, encoding and closed pipe."""

import codecs
import errno
import io
import os
import sys
from contextlib import suppress

from scoville_client.i18n.language import tr, without_accents
from scoville_shared.text import visible_line

_PLAIN = {
    **dict.fromkeys("−–—·", "-"), **dict.fromkeys("“”„«»", '"'), "×": "x", "÷": "/", "±": "+-", "½": " 1/2", "…": "...",
    "→": "->", "←": "<-", "√": "root ", "°": " degrees", "\u202f": " ",
}  # fmt: skip
_ERRORS = "scoville.plain"
_HARMLESS = dict.fromkeys((*range(32), *range(127, 160)), "?")
"""Control characters, replaced because names from others may contain them."""


_READER_GONE = {errno.EPIPE, errno.EIO}
"""Errors of a pipe without a reader, and of a terminal that has vanished."""


_ascii = False
_refused: OSError | None = None


def write_ascii(*, only: bool) -> None:
    """Restrict the output to ASCII, or lift the restriction."""
    global _ascii  # noqa: PLW0603 - stdout is the process's as well
    _ascii = only


def write_line(line: str) -> None:
    """Write and flush one line. Characters that the stream cannot encode are replaced.

    Never raises, for it is called while events are handled: once the stream takes nothing more, lines vanish, and
    `is_read` and `failure` tell why.
    """
    if sys.stdout is None:  # closed before the process began
        return
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors != _ERRORS:
        codecs.register_error(_ERRORS, _replace_unencodable)
        sys.stdout.reconfigure(errors=_ERRORS)
    try:
        sys.stdout.write(f"{_make_writable(line)}\n")
        sys.stdout.flush()
    except OSError as error:
        _give_up(error)


def at_terminal() -> bool:
    """Whether stdin and stdout are terminals; either may have been closed before the process began."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def is_read() -> bool:
    """Whether stdout still takes lines."""
    return sys.stdout is not None and _refused is None


def describe_failure() -> str:
    """Return why lines were lost; empty if none were, or if their reader had simply seen enough."""
    if _refused is None or _refused.errno in _READER_GONE:
        return ""
    return tr("The output could not be written: {reason}.", reason=_refused.strerror or str(_refused))


def _give_up(error: OSError) -> None:
    """Discard further lines, and the rest of the stream's buffer."""
    global _refused  # noqa: PLW0603 - stdout is the process's as well
    _refused = error
    # Not closed: Python writes the buffer out when it ends, and would report that this fails.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _make_writable(line: str) -> str:
    return make_harmless(line, ascii_only=_ascii)


def make_harmless(line: str, *, ascii_only: bool = False) -> str:
    """Return a line without control characters and invisible ones, and only in ASCII if that is all there is."""
    line = visible_line(line.translate(_HARMLESS))
    return "".join(sign if sign.isascii() else spell_plainly(sign) for sign in line) if ascii_only else line


def complain(sentence: str) -> None:
    """Write one sentence to stderr, without control characters; an unwritable stderr is ignored."""
    with suppress(OSError, AttributeError):
        sys.stderr.write(f"{_make_writable(sentence)}\n")


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    """Replace the characters that an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError), "lines are only written here"
    return "".join(map(spell_plainly, error.object[error.start : error.end])), error.end


def spell_plainly(sign: str) -> str:
    """Return what stands for a sign where an encoding lacks it; may be several letters, or a question mark."""
    plain = _PLAIN.get(sign) or without_accents(sign)
    return plain if plain.isascii() else "?"
