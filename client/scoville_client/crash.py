"""Crash report: the traceback goes to a file, the user gets one sentence."""

import os
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path

from scoville_client.i18n.language import tr
from scoville_client.output import complain
from scoville_shared import __version__
from scoville_shared.text import visible_line

_FILE = "last-error.txt"


def record_crash(error: BaseException, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Write the traceback of `error` to a file, over the previous one; None if nothing can be written."""
    whole = "".join([f"scoville {__version__}, Python {sys.version}\n\n", *traceback.format_exception(error)])
    text = "\n".join(map(visible_line, whole.split("\n")))  # a message may quote what a server sent
    # The second one for a user without a home, or whose folder cannot be written.
    for write in (_write_to_state, _write_temporary):
        try:
            return write(text, environment)
        # The next place: a report in the folder of temporary files is better than none.
        except OSError:
            continue
    return None


def report_crash(error: BaseException) -> None:
    """Record `error`, and write one sentence about it to stderr."""
    complain(crash_sentence(record_crash(error)))


def crash_sentence(file: Path | None) -> str:
    """Return the sentence about a crash, with the file of its traceback."""
    if file is None:
        return tr("Scoville crashed because of a bug, and the details could not be saved.")
    return tr("Scoville crashed because of a bug; the details are in {file}", file=str(file))


def find_state_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of this user's application state."""
    chosen = Path(environment.get("XDG_STATE_HOME") or environment.get("LOCALAPPDATA") or "")
    return (chosen if chosen.is_absolute() else Path.home() / ".local" / "state") / "scoville"


def _write_to_state(text: str, environment: Mapping[str, str]) -> Path:
    try:
        folder = find_state_folder(environment)
    except RuntimeError as error:  # nobody's home
        raise OSError(*error.args) from error
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / _FILE
    file.write_text(text, encoding="utf-8", errors="backslashreplace")
    return file


def _write_temporary(text: str, _: Mapping[str, str]) -> Path:
    handle, name = tempfile.mkstemp(prefix="scoville-error-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return Path(name)
