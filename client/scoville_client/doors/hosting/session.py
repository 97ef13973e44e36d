"""Hosted session: one user's app on one channel, from the connection to its end."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from typing import Final, NamedTuple, cast

from scoville_client.doors.hosting.driver import FarTerminal, HostedDriver
from scoville_client.doors.hosting.events import VisitReport
from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.platform import DoorPlatform
from scoville_client.doors.hosting.reporting import DoorFigures
from scoville_client.doors.hosting.session_limits import (
    BYTES_AS_INPUT,
    END_SECONDS,
    IDLE_SECONDS,
    INPUT_BYTES,
    INPUT_RATE,
    STALLED_SECONDS,
)
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.hosting.terminal import Channel, Terminal, clamp_size
from scoville_client.doors.hosting.visitor import Visitor, open_client
from scoville_client.i18n.language import Translator, render, translator
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.textual_hooks.app import dismantle_app
from scoville_runtime.clock import SYSTEM, Alarm, Clock, EndingClock
from scoville_runtime.events import Events
from scoville_runtime.token_bucket import TokenBucket
from scoville_shared.engine.phrases import Phrase

LOG: Final = logging.getLogger("scoville.door")
CRASHED: Final = Phrase("Scoville crashed because of a bug; the log of the server has the details.")
IDLE: Final = Phrase(
    "You were disconnected after {n} minute without a key. Connect again to go on.",
    many="You were disconnected after {n} minutes without a key. Connect again to go on.",
)


def describe_idling(seconds: float) -> Phrase:
    """Say after how long without a key a user was disconnected."""
    minutes = round(seconds / 60)
    return IDLE.with_fields({"n": minutes}, minutes)


def own_language(terminal: Terminal) -> Context:
    """Return a context in which texts are written in the language and the letters of a terminal."""
    own = Translator()
    own.set_language(terminal.language)
    own.plainly = terminal.glyphs == "ascii"
    context = copy_context()
    context.run(translator.set, own)
    return context


class Shared(NamedTuple):
    """State that all sessions of a process share. Its gate belongs to one event loop."""

    gate: StartGate
    budgets: InputBudgets
    garbage: GarbageCollector
    clock: Clock = SYSTEM
    idle_seconds: float = IDLE_SECONDS
    stalled_seconds: float = STALLED_SECONDS
    events: Events = Events()
    figures: DoorFigures = DoorFigures()


class IdleLimit:
    """Calls `on_idle` once a session has had no input for so many seconds."""

    def __init__(self, clock: Clock, seconds: float, on_idle: Callable[[], object]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._on_idle = on_idle
        self._input_at = clock.seconds()
        self._alarm = clock.call_later(seconds, self._check_idle)

    def note_input(self) -> None:
        """Note that the user is there."""
        # Only the time: setting the alarm again at each key would cost more than the key.
        self._input_at = self._clock.seconds()

    def cancel(self) -> None:
        """Watch no more: the session is over."""
        self._alarm.cancel()

    def _check_idle(self) -> None:
        left = self._seconds - (self._clock.seconds() - self._input_at)
        if left >= 1:
            self._alarm = self._clock.call_later(left, self._check_idle)
        else:
            self._on_idle()


class StallLimit:
    """Cuts a channel that stays full for so many seconds."""

    def __init__(self, clock: Clock, seconds: float, channel: Channel) -> None:
        self._clock = clock
        self._seconds = seconds
        self._channel = channel
        self._alarm: Alarm | None = None

    @property
    def is_full(self) -> bool:
        """Whether the channel takes no bytes at present."""
        return self._alarm is not None

    def begin(self) -> None:
        """Note that the channel is full."""
        # Once: a further note that it is full must not give the terminal more time.
        if self._alarm is None:
            self._alarm = self._clock.call_later(self._seconds, self._channel.abort)

    def end(self) -> None:
        """Note that it takes bytes again, or that the session is over."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None


class HostedSession:
    """Runs the app of one user in a task. The owner of the channel calls `receive`, `resize`, `pause` and `resume`.

    Args:
        visitor: The visit.
        channel: The way to the terminal.
        terminal: Capabilities of the terminal.
        shared: State that all sessions share.
    """

    def __init__(self, visitor: Visitor, channel: Channel, terminal: Terminal, shared: Shared) -> None:
        self._visitor = visitor
        self._channel = shared.figures.count_channel(channel)
        self._terminal = terminal
        self._shared = shared
        self._clock = shared.clock
        self._budget = shared.budgets.open_budget(visitor.address)
        self._app: ScovilleApp | None = None
        self._is_gone = self._is_cancelled = False
        self._ending: Phrase | None = None
        self._input_bytes = TokenBucket(INPUT_BYTES, INPUT_RATE, self._clock.seconds())
        self._idle = IdleLimit(self._clock, shared.idle_seconds, self._end_idle)
        self._stalled = StallLimit(self._clock, shared.stalled_seconds, self._channel)
        self._last_resort: Alarm | None = None
        self._report = VisitReport(shared.events, shared.clock, visitor.label, "screens")
        shared.garbage.note_session()
        self.task = asyncio.get_running_loop().create_task(
            self._run_to_the_end(), name="hosted session", context=own_language(terminal)
        )

    @property
    def _driver(self) -> HostedDriver | None:
        """The driver of the app, once there is one."""
        return None if self._app is None else cast("HostedDriver | None", self._app.driver)

    # --- what comes from the terminal -----------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Take the user's input; of a flood only as much as the budget allows."""
        now = self._clock.seconds()
        # Also for input that is dropped: a flood has bounds of its own, and is no idle user.
        self._idle.note_input()
        self._shared.figures.count_read(len(data))
        taken = data[: int(self._input_bytes.count_tokens(now))]
        self._input_bytes.take_tokens(len(taken), now)
        if self._driver is not None and taken and self._budget.take_inputs(len(taken) // BYTES_AS_INPUT):
            self._driver.receive(taken)

    def resize(self, size: tuple[int, int]) -> None:
        """Draw on a terminal of another size. A session that sends them without end is disconnected."""
        if not self._budget.take_size():
            self._report.report_flood("sizes of the terminal")
            self._channel.abort()
            return
        self._terminal = self._terminal._replace(size=clamp_size(size))
        if self._driver is not None:
            self._driver.resize(self._terminal.size)

    def pause(self) -> None:
        """Draw nothing more: the channel is full. A terminal that stays that way is disconnected."""
        self._stalled.begin()
        if self._app is not None:
            self._app.output.pause_drawing()

    def resume(self) -> None:
        """Draw again: the channel takes bytes."""
        self._stalled.end()
        if self._app is not None:
            self._app.output.resume_drawing()

    # --- the end --------------------------------------------------------------------------------------------

    def lose_connection(self) -> None:
        """End after the connection was lost; the seat waits for the user."""
        self._is_gone = True
        self._cut_off()

    def end(self, reason: Phrase) -> None:
        """End the session, and tell the user why."""
        self._ending = self._ending or reason
        self._report.reason = self._report.reason or "closed"
        self._cut_off()

    def _cut_off(self) -> None:
        app = self._app
        # A running app restores the terminal as it exits; before it runs there is nothing to restore.
        if app is None or not app.is_running:
            self._cancel_task()
        else:
            app.exit(0)
            self._last_resort = self._last_resort or self._clock.call_later(END_SECONDS, self._cancel_task)

    def _cancel_task(self) -> None:
        # Once: a second time it would cut short what the first one has begun, and leave a connection open.
        if not self._is_cancelled:
            self._is_cancelled = True
            self.task.cancel()

    def _end_idle(self) -> None:
        # Before `end`, which calls it closed: the first reason counts.
        self._report.reason = self._report.reason or "idle"
        self.end(describe_idling(self._shared.idle_seconds))

    async def _run_to_the_end(self) -> None:
        """Run the app once there is a place at the start; write why it ended."""
        status = 1
        try:
            # `_last_resort` cancels an app that does not end by itself.
            with suppress(asyncio.CancelledError):
                status = await self._run_app()
        except Exception as error:  # noqa: BLE001 - one session must not end the others
            self._report_crash(error)
        finally:
            self._idle.cancel()
            self._stalled.end()
            if self._last_resort is not None:
                self._last_resort.cancel()
            self._shared.garbage.note_session()
            self._report.report_end(lost=self._is_gone)
            if not self._is_gone:
                self._say_farewell()
                self._channel.end(status)

    async def _run_app(self) -> int:
        # Before there is a place at the start: a server that takes its time holds up nobody else's first screen.
        async with open_client(self._visitor, self._clock) as client:
            self._write_lines(self._visitor.preamble)
            with await self._shared.gate.wait_for_place() as place:
                far = FarTerminal(
                    self._channel, self._terminal, self._budget.take_inputs, self._shared.garbage.note_input
                )
                make_driver = partial(HostedDriver, far=far, clock=self._clock)
                platform = DoorPlatform(
                    self._visitor, make_driver, self._terminal, client, place.leave_place, self._clock
                )
                clock = EndingClock(self._clock)
                app = self._app = ScovilleApp(self._visitor.start, platform, clock=clock)
                # The channel may have filled up while the session waited for its place.
                if self._stalled.is_full:
                    app.output.pause_drawing()
                try:
                    result = await app.run_async(mouse=app.settings.uses_mouse, size=self._terminal.size)
                    if app.fault is not None:
                        self._report_crash(app.fault)
                        return 1
                    return result or app.return_code or 0
                finally:
                    self._app = None
                    # An app that was cancelled has not come to that; of a client that connects its request takes care.
                    if app.is_connected:
                        await app.connection.close()
                    await dismantle_app([*platform.widgets_made, app])
                    # Last: the end of others may set some.
                    clock.cancel_alarms()

    def _report_crash(self, error: BaseException) -> None:
        self._ending = CRASHED
        self._report.report_crash(error)
        LOG.error("A session has crashed", exc_info=error)

    def _say_farewell(self) -> None:
        """Write the last lines, after the terminal has been restored."""
        lines = [] if self._ending is None else [render(self._ending)]
        self._write_lines([*lines, *self._visitor.farewell])

    def _write_lines(self, lines: Sequence[str]) -> None:
        """Write lines on the terminal while no screen is shown; they stay in what can be scrolled back."""
        if lines:
            self._channel.write("".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace"))
