"""The loop of the line mode: a line in, sentences out."""

import asyncio
import io
import sys
from collections.abc import Callable, Sequence
from signal import Signals
from typing import TextIO

from scoville_client.i18n.errors import said
from scoville_client.output import write_line
from scoville_client.plain.app import LineModeApp
from scoville_client.plain.command_table import obey
from scoville_client.plain.output import TextOutput
from scoville_client.plain.signals import ENDING, handling
from scoville_client.plain.stdin import LineReader
from scoville_client.session.start_options import Start
from scoville_client.transport.base import LinkError
from scoville_shared.errors import ScovilleError

FAILED = 1


def run(start: Start) -> int:
    """Run the line mode on stdin and stdout; returns the exit status."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        return asyncio.run(converse(start, sys.stdin, write_line, ENDING))
    except KeyboardInterrupt:
        return 0


async def converse(start: Start, source: TextIO, write: Callable[[str], None], signals: Sequence[Signals] = ()) -> int:
    """Obey the lines of `source` until it ends, the person quits, the connection is lost or one of `signals` comes.

    Returns:
        The exit status.
    """
    desk = LineModeApp(start, TextOutput(write), LineReader(source))
    task = asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"

    def stop() -> None:
        desk.hurry() if desk.stopping else task.cancel()

    with handling(signals, stop, desk.hurry) as received:
        try:
            return await _conversation(desk)
        except asyncio.CancelledError:
            if not received:
                raise
            task.uncancel()
            return received.status


async def _conversation(desk: LineModeApp) -> int:
    try:
        return await _begin(desk) or await _obey_all(desk)
    finally:
        await desk.end()


async def _begin(desk: LineModeApp) -> int:
    if desk.start.kind == "menu":
        desk.voice.say("Scoville, a card table. Type practice, host, or join and an address; ? for help.")
        return 0
    try:
        await desk.begin(desk.start)
        if desk.place == "lobby":
            await obey(desk, "tables")
    except LinkError as error:
        desk.voice.say("{message}", message=error.message)
        return FAILED
    except ScovilleError as error:
        desk.voice.say("{message}", message=said(error))
        return FAILED
    return 0


async def _obey_all(desk: LineModeApp) -> int:
    while not desk.done:
        line, due = await desk.ahead.next()
        if desk.done or line is None:
            break
        try:
            await obey(desk, line.strip(), due=due)
        except ScovilleError as error:
            desk.voice.say("{message}", message=said(error))
        except (LinkError, ValueError) as error:
            desk.voice.say("{message}", message=str(error))
    return desk.status
