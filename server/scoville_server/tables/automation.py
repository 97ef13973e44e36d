"""Automatic commands of a table: bots move, clocks run out, countdowns end. After a failure all are delayed."""

from collections.abc import Callable

from scoville_outside.guard import GameFailed
from scoville_runtime.back_off import BackOff
from scoville_runtime.clock import Alarm, CallLater
from scoville_server.tables.actions.close import Close
from scoville_server.tables.actions.pause import EndPause
from scoville_server.tables.actions.plan import FollowPlan
from scoville_server.tables.actions.play import PlayForSeat
from scoville_server.tables.actions.start import AutoStart
from scoville_server.tables.actions.vote import ExpireVote
from scoville_server.tables.actions.warn import WarnOfClock
from scoville_server.tables.bots import Ask, SeatBots, no_answer, pause_ms
from scoville_server.tables.model import clock
from scoville_server.tables.model.action import Command
from scoville_server.tables.model.table import Table, list_due_plans
from scoville_shared.ids import Seat


def close_after(error: GameFailed) -> Close:
    """Return the command that closes a table whose game has failed where no player can try anything else."""
    if error.timed_out:
        return Close(reason=f"The game {error.slug} did not answer, so the table was closed.", cause="game_failed")
    return Close(reason=f"{error.message} So the table was closed.", cause="game_failed")


def close_without_fallback(table: Table) -> Close:
    """Return the command that closes a table whose game refuses its own fallback move."""
    sentence = f"The game {table.opened.game} refuses its own fallback move, so the table was closed."
    return Close(reason=sentence, cause="game_failed")


class Automation:
    """Sends the commands that are due at one table.

    Args:
        table: Returns the table as it is now.
        send: Puts a command into the table's inbox.
        now: The table's time in milliseconds since 1970.
        later: Sets timers.
        new_back_off: Returns the waits after failures in a row, such as those of a full disk.
        ask: Has the questions of searching bots answered.
    """

    def __init__(
        self,
        table: Callable[[], Table],
        send: Callable[[Command], None],
        now: Callable[[], int],
        later: CallLater,
        new_back_off: Callable[[], BackOff],
        ask: Ask = no_answer,
    ) -> None:
        self._table = table
        self._send = send
        self._now = now
        self._later = later
        self._new_back_off = new_back_off
        self._bots = SeatBots(ask, self._close_failed_table)
        self._thinking: set[Seat] = set()
        self._following: set[Seat] = set()
        self._pauses: dict[Seat, Alarm] = {}
        self._alarm: Alarm | None = None
        self._waits: BackOff | None = None
        """Those since the last success; None if nothing has failed since."""
        self._retry: Alarm | None = None
        self._holds_start = False
        self._stopped = False

    def send_due_commands(self) -> None:
        """Let bots move, and set the timer for the next due event. After a failure both wait for the back-off."""
        if self._retry is None and not self._stopped:
            self._call_bots()
            self._follow_plans()
            self._set_alarm()

    def note_begun(self, command: Command) -> None:
        """Note that a command has left the inbox: its bot may think again, the next planned move may follow."""
        if isinstance(command, PlayForSeat) and command.mover == "bot":
            self._thinking.discard(command.seat)
        elif isinstance(command, FollowPlan):
            self._following.discard(command.seat)

    def hold_start(self) -> None:
        """Stop starting games by countdown: the server drains."""
        self._holds_start = True

    def still_due(self, command: Command) -> bool:
        """Whether a bot or a clock would repeat a refused command at once."""
        table = self._table()
        match command:
            case PlayForSeat(mover="bot"):
                # With another number the seat has moved meanwhile, and the refused move is settled.
                return command.seat in table.bots_due and command.nth == table.played[command.seat]
            case PlayForSeat() | WarnOfClock() | AutoStart() | ExpireVote() | EndPause():
                due = self._due_ms(table)
                return due is not None and due <= self._now()
            case _:
                return False

    def hold_until_retry(self) -> None:
        """Stop bots and clocks until the back-off is over; however many commands failed, there is one retry."""
        if self._retry is None and not self._stopped:
            self._cancel_alarm()
            self._waits = self._waits or self._new_back_off()
            self._retry = self._later(self._waits.next_wait(), self._try_again)

    def release_hold(self) -> None:
        """Let bots and clocks run again: the journal works."""
        self._waits = None
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def stop_sending(self) -> None:
        self._stopped = True

    def close(self) -> None:
        """Stop all timers and drop the callbacks, for good: they refer to the actor, which a cycle would keep."""
        self._cancel_alarm()
        for alarm in filter(None, (self._retry, *self._pauses.values())):
            alarm.cancel()
        del self._table, self._send, self._bots

    def _close_failed_table(self, error: GameFailed) -> None:
        """Close the table: nobody but its bots and clocks could move for these seats."""
        if not self._stopped:
            self._send(close_after(error))

    def _try_again(self) -> None:
        self._retry = None
        self.send_due_commands()

    def _set_alarm(self) -> None:
        self._cancel_alarm()
        if (due := self._due_ms(self._table())) is not None:
            self._alarm = self._later(max(0, due - self._now()) / 1000, self._send_commands_if_due)

    def _due_ms(self, table: Table) -> int | None:
        """Return when the next timeout, warning, automatic start, or end of a vote or pause is due (ms since 1970)."""
        dues = [table.ballot.until_ms] if table.ballot is not None else []
        dues += filter(None, [table.pause_ends_ms])
        if table.clocks is not None:
            dues += filter(None, [clock.next_due_ms(table.clocks)])
        # A game with clocks has started, so the next start is not asked for there.
        elif not self._holds_start and table.next_start_ms is not None:
            dues.append(table.next_start_ms)
        return min(dues, default=None)

    def _cancel_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _send_commands_if_due(self) -> None:
        self._alarm = None
        table, now = self._table(), self._now()
        due = self._due_ms(table)
        if due is None:
            return
        # The timer fired slightly early.
        if now < due:
            self.send_due_commands()
            return
        if table.ballot is not None and table.ballot.until_ms <= now:
            self._send(ExpireVote())
        if table.pause_ends_ms is not None and table.pause_ends_ms <= now:
            self._send(EndPause())
        if table.clocks is not None:
            self._check_clocks(table, table.clocks, now)
        elif table.next_start_ms is not None:
            self._send(AutoStart())

    def _check_clocks(self, table: Table, clocks: clock.Clocks, now: int) -> None:
        """Warn players whose time is nearly over, and let a bot move for those whose time is over."""
        for seat in clock.seats_to_warn(clocks, now):
            self._send(WarnOfClock(seat=seat))
        for seat in clock.overdue_seats(clocks, now):
            self._bots.choose_move(table, seat, self._send, by="clock")

    def _call_bots(self) -> None:
        table = self._table()
        for seat in table.bots_due:
            # `send_due_commands` runs after every command; a bot that thinks already would move twice.
            if seat not in self._thinking and not self._stopped:
                self._thinking.add(seat)
                self._bots.choose_move(table, seat, self._send_in_time)

    def _follow_plans(self) -> None:
        for seat in list_due_plans(self._table()):
            if seat not in self._following and not self._stopped:
                self._following.add(seat)
                self._send(FollowPlan(seat=seat))

    def _send_in_time(self, command: PlayForSeat) -> None:
        if self._stopped:
            return
        # Measured now and not when the bot was called: its thinking time counts towards its pause.
        pause = pause_ms(self._table(), command.seat, self._now())
        if not pause:
            self._send(command)
            return

        def send() -> None:
            del self._pauses[command.seat]
            self._send(command)

        self._pauses[command.seat] = self._later(pause / 1000, send)
