"""Process of a door: what Textual and Python share between all sessions of one process."""

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, MutableMapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from scoville_client.doors.hosting.events import DoorReady, DoorStop
from scoville_client.i18n.language import tr
from scoville_client.output import complain, write_line
from scoville_runtime.clock import SYSTEM
from scoville_runtime.events import EventLog, Events
from scoville_runtime.log_setup import Format, Level, format_json, set_up_log
from scoville_runtime.service_manager import ServiceManager, ServiceReports, loop_runs

_log = logging.getLogger(__name__)

FAILED: Final = 1
"""Exit status of a door that cannot open."""

_READ_BY_TEXTUAL: Final = ("NO_COLOR", "COLORTERM", "ESCDELAY", "TERM", "COLUMNS", "LINES", "FORCE_COLOR")


# Decision 046: many apps in one process, 3 MB each instead of 26, and never in the server's: a layout takes too long.
class LogOptions(NamedTuple):
    """Options of a door's log: its lowest level, its format, and its file, None for standard error."""

    level: Level = "info"
    form: Format = "text"
    file: Path | None = None

    @property
    def arguments(self) -> list[str]:
        """The same options on a command line."""
        file = [] if self.file is None else [f"--log-file={self.file}"]
        return [f"--log-level={self.level}", f"--log-format={self.form}", *file]


def run_door(
    module: str, missing: str, program: str, log: LogOptions, serve: Callable[[Events], Coroutine[Any, Any, int]]
) -> int:
    """Run a door until a signal ends it, with its log on standard error or in a file.

    Args:
        module: The module of an extra that the door needs.
        missing: Names the package to install if there is none.
        program: The name of the door in its log.
        log: Options of the log.
        serve: Opens the door, and serves; gets the events of the door and returns the exit status.

    Returns:
        The exit status.
    """
    if find_spec(module) is None:
        complain(missing)
        return FAILED
    forget_environment()
    try:
        set_up_log(log.level, log.form, program, log.file)
    except OSError as error:
        complain(tr("The log file {file} cannot be opened: {reason}.", file=str(log.file), reason=error.strerror))
        return FAILED
    events = Events(EventLog())

    async def serve_to_the_end() -> int:
        try:
            return await serve(events)
        finally:
            events.close_sinks()

    try:
        return asyncio.run(serve_to_the_end())
    except KeyboardInterrupt:
        return 0


class OpenDoor(Protocol):
    """A door that users can come in by."""

    @property
    def sessions(self) -> int:
        """The number of users inside."""

    async def close(self) -> None:
        """Tell all users, and close; their seats wait."""


async def serve_until_end(
    door: OpenDoor, ready: DoorReady, events: Events, tending: Iterable[Coroutine[Any, Any, Any]], *, supervised: bool
) -> None:
    """Serve until a signal, or the end of the process that supervises this one; then close the door.

    Args:
        door: It is open.
        ready: Says so.
        events: The events of the door.
        tending: The work that runs as long as the door is open.
        supervised: Whether another process has started this one, which alone reports to the service manager.
    """
    from scoville_client.processes import wait_for_end

    began = SYSTEM.seconds()
    events.report_event(ready)
    tasks = [asyncio.ensure_future(each) for each in tending]
    for task in tasks:
        task.add_done_callback(_log_failure)
    try:
        with contextlib.nullcontext() if supervised else reported_to_manager(lambda: count_sessions(door.sessions)):
            await wait_for_end(supervised=supervised)
    finally:
        for task in tasks:
            task.cancel()
        # Awaited: cancelled work may still have files and connections to close.
        await asyncio.gather(*tasks, return_exceptions=True)
        await door.close()
    events.report_event(DoorStop(seconds=round(SYSTEM.seconds() - began, 3)))


def _log_failure(task: asyncio.Future[Any]) -> None:
    """Log at once why something has ended that should run as long as the door; users stay all the same."""
    if not task.cancelled() and task.exception() is not None:
        _log.error("A task of this door has failed, and does not run until the next start", exc_info=task.exception())


@contextlib.contextmanager
def reported_to_manager(describe: Callable[[], str]) -> Iterator[None]:
    """Report a door that is open to the service manager, with a line about it, until the end of the body."""
    reports = ServiceReports(ServiceManager.from_environment(), SYSTEM, describe, loop_runs)
    reports.report_ready()
    try:
        yield
    finally:
        reports.report_stopping()


def count_sessions(number: int) -> str:
    """Describe a door by its sessions."""
    return "1 session" if number == 1 else f"{number} sessions"


def announce_door(sentence: str, program: str, log: LogOptions) -> None:
    """Print how to reach a door; as a line of its log if that is JSON."""
    if log.form == "json":
        sentence = format_json(SYSTEM.date_ms() / 1000, "notice", program, "message", {"message": sentence})
    write_line(sentence)


def forget_environment(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove variables about the server's terminal that Textual and rich would read; before they are imported."""
    for name in [*environment]:
        if name in _READ_BY_TEXTUAL or name.startswith("TEXTUAL"):
            del environment[name]


def share_process() -> None:
    """Keep Textual from replacing stdout and stderr: the App that ends last would leave those of a dead one."""
    import textual.app

    for name in ("redirect_stdout", "redirect_stderr"):
        assert hasattr(textual.app, name), f"Textual has no {name} any more"
        setattr(textual.app, name, contextlib.nullcontext)


def restore_task_factory() -> None:
    """Give the loop its plain task factory back, which Textual replaces on Python 3.12 and later."""
    asyncio.get_running_loop().set_task_factory(None)
