"""Set-up of the log of a process: where it goes, from which level, in which format. Server and doors share it.

Every record is a line of ASCII. Events and sentences have the same schema:

    2026-11-25T18:02:11.053Z info server[412]: hello user=Anna address=192.0.2.7:50412 …
    2026-11-25T18:02:11.053Z warning server[412]: message "The clock of this machine is trusted again."
    {"time": 1795629731.053, "level": "info", "program": "server", "process": 412, "event": "hello", "user": "Anna", …}

When standard error is the journal of systemd, a line begins with `<N>`, its priority, in place of what the journal
writes itself.
"""

import json
import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from queue import Full, Queue
from select import select
from threading import Thread
from typing import Any, Final, Literal

from scoville_runtime.atomic_files import give_to_owner
from scoville_runtime.clock import SYSTEM
from scoville_runtime.events import NOTICE_LEVEL, Field, format_fields

WAITING_LINES: Final = 10_000
"""Lines that wait for a slow disk or reader, of a few hundred bytes each."""
_FLUSH_SECONDS: Final = 1.0

Level = Literal["warning", "notice", "info", "debug"]
Format = Literal["text", "json"]

_LEVELS: Final = {"warning": logging.WARNING, "notice": NOTICE_LEVEL, "info": logging.INFO, "debug": logging.DEBUG}
_OURS: Final = ("scoville", "scoville_server", "scoville_client", "scoville_runtime", "scoville_thinking")


class LineFormatter(logging.Formatter):
    """Formats records as lines.

    Args:
        form: Text or JSON.
        program: The name of the program in every line.
        journal: Whether systemd's journal reads the lines, which adds time, program and process itself.
    """

    def __init__(self, form: Format, program: str, *, journal: bool = False) -> None:
        super().__init__()
        self._form = form
        self._program = program
        self._journal = journal

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line; in text an exception follows in lines of its own."""
        event, fields = describe_record(record)
        if record.exc_info:
            fields = {**fields, "exception": self.formatException(record.exc_info)}
        level = record.levelname.lower()
        if self._form == "json":
            return format_json(record.created, level, self._program, event, fields)
        exception = str(fields.pop("exception", ""))
        text = event if not fields else f"{event} {_format_text(event, fields)}"
        # Indented, so that no line of it begins like an event.
        lines = [text, *(f"    {_escape_text(line)}" for line in exception.splitlines())]
        if self._journal:
            start = f"<{priority_of(record.levelno)}>"
            return "\n".join(start + line for line in lines)
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return f"{time} {level} {self._program}[{os.getpid()}]: " + "\n".join(lines)


def describe_record(record: logging.LogRecord) -> tuple[str, dict[str, Field]]:
    """Return the kind of a record and its fields; a sentence is of the kind `message`."""
    kind: str | None = getattr(record, "event", None)
    if kind is None:
        return "message", {"message": record.getMessage(), "logger": record.name}
    return kind, dict(getattr(record, "fields", {}))


def format_json(created: float, level: str, program: str, event: str, fields: Mapping[str, Any]) -> str:
    """Return a line as a JSON object in ASCII."""
    common = {"level": level, "program": program, "process": os.getpid(), "event": event}
    # Always three decimals: programs that search for a time count them.
    return f'{{"time": {created:.3f}, {json.dumps({**common, **fields})[1:]}'


def priority_of(level: int) -> int:
    """Return the priority of journald for a level of Python."""
    for least, priority in ((logging.ERROR, 3), (logging.WARNING, 4), (NOTICE_LEVEL, 5), (logging.INFO, 6)):
        if level >= least:
            return priority
    return 7


def _format_text(event: str, fields: Mapping[str, Field]) -> str:
    if event == "message":  # a sentence is read by people: no names of fields around it
        return _escape_text(str(fields["message"]))
    return format_fields(fields)


def _escape_text(text: str) -> str:
    """Escape everything but printable ASCII."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isascii() and c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class LogWriter(logging.Handler):
    """Writes lines to standard error or to a file, in a thread of its own.

    Whoever reads standard error may stop reading, and a disk may hang: neither may hold the event loop, and with it all
    players. At most `WAITING_LINES` lines wait; further ones are counted, and the count is written later.
    """

    def __init__(self, file: Path | None = None) -> None:
        super().__init__()
        self._file = file
        self._stream = _open_stderr() if file is None else _open_file(file)
        self._lines: Queue[str] = Queue(WAITING_LINES)
        self._left_out = 0
        Thread(target=self._write_lines, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a line."""
        try:
            line = self.format(record)
            if self._left_out:
                note = logging.makeLogRecord({"name": __name__, "levelno": logging.WARNING, "levelname": "WARNING"})
                note.msg = f"{self._left_out} lines of this log were left out: nothing took them"
                self._lines.put_nowait(self.format(note))
                self._left_out = 0
            self._lines.put_nowait(line)
        except Full:
            self._left_out += 1
        except Exception:  # noqa: BLE001 - as every handler: a record that cannot be formatted harms nobody
            self.handleError(record)

    def flush(self) -> None:
        """Wait a moment until everything is written; called at the end of the process, too."""
        give_up_at = SYSTEM.seconds() + _FLUSH_SECONDS
        with self._lines.all_tasks_done:
            while self._lines.unfinished_tasks and (left := give_up_at - SYSTEM.seconds()) > 0:
                self._lines.all_tasks_done.wait(left)

    def close(self) -> None:
        """Write waiting lines, and close the file."""
        self.flush()
        self._stream.close()
        super().close()

    def reopen_file(self) -> None:
        """Write to a new file at the path from now on. Raises OSError, and then the former file stays in use."""
        if self._file is not None:
            # The new one first: where it cannot be opened the former one stays in use.
            former, self._stream = self._stream, _open_file(self._file)
            # The thread may still write a line to the former file.
            self.flush()
            former.close()

    def _write_lines(self) -> None:
        while True:
            line, stream = self._lines.get(), self._stream
            # A full disk, or a reader that is gone: the line is lost, and nothing else.
            with suppress(OSError, ValueError):
                rest = memoryview(f"{line}\n".encode("ascii", "backslashreplace"))
                while rest:
                    written = stream.write(rest)
                    rest = rest[written or 0 :]
                    if written is None:  # somebody else has made standard error non-blocking
                        select([], [stream], [], _FLUSH_SECONDS)
            self._lines.task_done()


def _open_file(path: Path) -> FileIO:
    # Without a buffer, which would keep what a full disk did not take, and grow.
    file = path.open("ab", buffering=0)
    with suppress(OSError):
        give_to_owner(file.fileno(), path.parent)
    return file


def _open_stderr() -> FileIO:
    if _has_number(sys.stderr):
        return FileIO(sys.stderr.fileno(), "wb", closefd=False)
    return _open_file(Path(os.devnull))


def set_up_log(level: Level, form: Format, program: str, file: Path | None = None) -> None:
    """Send the log of this process to standard error or to a file. Raises OSError if the file cannot be opened.

    Libraries of others stay at warnings, whatever the level. A log that cannot be written, for instance on a full
    disk, is left out; nothing else changes.
    """
    handler = LogWriter(file)
    journal = file is None and is_journal(sys.stderr.fileno() if _has_number(sys.stderr) else -1)
    handler.setFormatter(LineFormatter(form, program, journal=journal))
    _replace_handler(handler)
    logging.raiseExceptions = False  # a log on a full disk would get a traceback for each lost line
    for name in _OURS:
        logging.getLogger(name).setLevel(_LEVELS[level])


def _replace_handler(handler: logging.Handler) -> None:
    """Log by one handler from now on: that of an earlier set-up is closed, while those of a test runner stay."""
    root = logging.getLogger()
    former = [each for each in root.handlers if isinstance(each.formatter, LineFormatter)]
    # The new one first, so that no line between the two is lost.
    if former or not root.handlers:
        root.addHandler(handler)
    for each in former:
        root.removeHandler(each)
        each.close()


def reopen_log_file() -> None:
    """Open the file of the log again, if there is one. Raises OSError."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, LogWriter):
            handler.reopen_file()


def is_journal(descriptor: int, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether systemd's journal reads what is written to an open file; systemd names its device and inode."""
    device, _, inode = environment.get("JOURNAL_STREAM", "").partition(":")
    try:
        status = os.fstat(descriptor)
    except OSError:
        return False
    return (device, inode) == (str(status.st_dev), str(status.st_ino))


def _has_number(stream: object) -> bool:
    try:
        return isinstance(stream.fileno(), int)  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):  # replaced by a test or a terminal program
        return False
