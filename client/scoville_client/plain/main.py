"""Main loop of the line mode: typed lines in, sentences out."""

import asyncio
import io
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from signal import Signals
from typing import Final, TextIO

from scoville_client.i18n.clock_text import day_and_time, speak_durations
from scoville_client.output import is_read, write_line
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command_table import run_line
from scoville_client.plain.commands.menu import find_kept_game
from scoville_client.plain.input.stdin import LineReader
from scoville_client.plain.output import TextOutput
from scoville_client.plain.welcome import choose_first_game, say_aims
from scoville_client.session.daily import FEATURE as DAILY
from scoville_client.session.daily import PUZZLES
from scoville_client.session.start_options import Start
from scoville_client.transport.base import LinkError
from scoville_client.transport.lan.browser import Browse
from scoville_client.transport.lan.mdns import mdns_browse
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.errors import ScovilleError

ENDING: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end the line mode."""


class Received(list[Signals]):
    """Received signals, in order."""

    @property
    def status(self) -> int:
        """The exit status that shells expect; Ctrl+C is a normal way to quit."""
        return 0 if self[0] == signal.SIGINT else 128 + self[0]


@contextmanager
def handle_signals(
    numbers: Sequence[Signals], stop: Callable[[], None], hurry: Callable[[], None]
) -> Iterator[Received]:
    """Call `stop` at the first signal and `hurry` at the second; a third one ends the process."""
    loop, received = asyncio.get_running_loop(), Received()
    handled: list[Signals] = []

    def receive(number: Signals) -> None:
        received.append(number)
        if len(received) == 1:
            stop()
            return
        hurry()
        # The next signal has its usual effect, for a client that does not end by itself.
        for each in handled:
            loop.remove_signal_handler(each)

    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup wants to survive
            with suppress(NotImplementedError):  # Windows: Ctrl+C is an exception there
                loop.add_signal_handler(number, receive, number)
                handled.append(number)
    try:
        yield received
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


FAILED: Final = 1


def run_line_mode(start: Start) -> int:
    """Run the line mode on stdin and stdout, and return the exit status."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    source = io.StringIO() if sys.stdin is None else sys.stdin  # closed before the process began
    try:
        return asyncio.run(obey_lines(start, source, write_line, ENDING, is_read, browse=mdns_browse()))
    except KeyboardInterrupt:
        return 0


async def obey_lines(
    start: Start,
    source: TextIO,
    write: Callable[[str], None],
    signals: Sequence[Signals] = (),
    is_read: Callable[[], bool] = lambda: True,
    clock: Clock = SYSTEM,
    browse: Browse | None = None,
) -> int:
    """Obey the lines of `source` until it ends, the user quits, the connection is lost or one of `signals` comes.

    It ends as well as soon as the output is no longer read (`is_read`): the seat then waits, instead of being held by a
    process without a user.

    Returns:
        The exit status.
    """
    speak_durations()
    typed = LineReader(source)

    def write_or_end(line: str) -> None:
        write(line)
        if not is_read():
            typed.end()

    app = LineModeApp(start, TextOutput(write_or_end), typed, clock, browse)
    task = asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"

    def stop() -> None:
        app.server.hurry_stop() if app.server.stopping else task.cancel()

    with handle_signals(signals, stop, app.server.hurry_stop) as received:
        try:
            return await run_conversation(app)
        except asyncio.CancelledError:
            if not received:
                raise
            task.uncancel()  # the signal is answered; the task would still count as cancelled
            return received.status


async def run_conversation(app: LineModeApp) -> int:
    """Begin as the app's start says, and obey typed lines to the end; returns the exit status."""
    try:
        return await _run_until_quit(app, _begin_session(app)) or await _obey_all(app)
    finally:
        app.later.cancel()
        app.announcer.release_held()
        await app.server.stop_server()


async def _begin_session(app: LineModeApp) -> int:
    if app.start.kind == "menu":
        say_aims(app)
        app.output.say("Scoville, a card table. Type tutorial, practice, host, or join and an address; ? for help.")
        if (kept := find_kept_game(app)) is not None:
            when = day_and_time(kept.played_ms)
            app.output.say("Your game against bots from {when} is not over. Type continue.", when=when)
    try:
        if app.start.kind == "menu":
            if app.start.searching:
                await run_line(app, "join")
            return 0
        if app.start.kind == "tutorial":
            await run_line(app, f"tutorial {app.start.game}")
            return 0
        if app.start.welcome and say_aims(app) and not await choose_first_game(app):
            return 0
        await app.begin_session(app.start)
        if app.context == "lobby" and app.start.code:
            line = f"{'watch' if app.start.watching else 'enter'} {app.start.code}"
            await app.session.connection.insist_on_answer(partial(run_line, app, line))
        elif app.context == "lobby":
            await run_line(app, "tables")
            _mention_daily_and_puzzles(app)
    except (LinkError, ScovilleError, ValueError) as error:
        app.output.write_error(error)
        # A connection that is lost during the first command comes back by itself.
        return FAILED if app.session.connection.offline else 0
    return 0


def _mention_daily_and_puzzles(app: LineModeApp) -> None:
    """Announce the offers of this server beside its tables."""
    has_daily, has_puzzles = (feature in app.session.connection.features for feature in (DAILY, PUZZLES))
    if has_daily and has_puzzles:
        app.output.say("Type daily for the daily deal, or puzzle daily for the puzzle of the day.")
    elif has_daily:
        app.output.say("Type daily for the daily deal.")
    elif has_puzzles:
        app.output.say("Type puzzle daily for the puzzle of the day.")


async def _obey_all(app: LineModeApp) -> int:
    while not app.done:
        line, due = await app.ahead.next_line()
        if app.done or line is None:
            break
        await _run_until_quit(app, _run_line(app, line.strip(" "), due=due))  # a Tab stays: it completes a name
    if not app.types_at_terminal:
        await app.later.finish()  # nobody waits at a prompt, and all questions are still answered
    return app.status


async def _run_line(app: LineModeApp, line: str, *, due: bool) -> int:
    try:
        await run_line(app, line, due=due)
    except (LinkError, ScovilleError, ValueError) as error:
        app.output.write_error(error)
    return 0


async def _run_until_quit(app: LineModeApp, work: Coroutine[None, None, int]) -> int:
    """Do some work, but end it when `quit` is typed: a user does not wait for a server that does not answer."""
    working = asyncio.ensure_future(work)
    quitting = asyncio.ensure_future(app.quit_typed())
    try:
        await asyncio.wait((working, quitting), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        working.cancel()
        # Its end is awaited but its error ignored: the user has given up the request.
        await asyncio.gather(working, return_exceptions=True)
        return 0
    finally:
        working.cancel()
        quitting.cancel()
