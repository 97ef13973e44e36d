"""The planned end of a server: its countdown, and the sentences for its users."""

from collections.abc import Callable
from math import ceil
from typing import Final, NamedTuple

from scoville_client.i18n.clock_text import minutes_and_seconds
from scoville_client.i18n.language import tr
from scoville_client.session.changes import Publish, ShutdownAnnounced
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import ShutdownNotice

_MINUTE: Final = 60
_WHOLE_MINUTES: Final = 90
"""Seconds from which on minutes are named."""
_LONGEST_REASON: Final = 200

CALLED_OFF: Final = Phrase("The server does not shut down after all.")


class PlannedEnd(NamedTuple):
    """When the server ends (monotonic seconds), and why, as its host wrote it."""

    ends_at: float
    reason: str = ""

    def left_seconds(self, now: float) -> int:
        """Return the whole seconds that are left."""
        return max(0, ceil(self.ends_at - now - 0.01))  # a notice takes some milliseconds: ten minutes stay ten

    def describe_countdown(self, now: float) -> str:
        """Return a line for a screen: minutes, and in the last one seconds."""
        left = self.left_seconds(now)
        time = tr("{n} min", n=ceil(left / _MINUTE)) if left > _WHOLE_MINUTES else minutes_and_seconds(left)
        if self.reason:
            return tr("The server shuts down in {time}: {reason}", time=time, reason=self.reason[:_LONGEST_REASON])
        return tr("The server shuts down in {time}.", time=time)

    def changes_in(self, now: float) -> float | None:
        """Return the seconds until the line says something else; None when it never does again."""
        left = self.left_seconds(now)
        if left == 0:
            return None
        shown = max(_WHOLE_MINUTES, (ceil(left / _MINUTE) - 1) * _MINUTE) if left > _WHOLE_MINUTES else left - 1
        # Never 0: a timer that rings a little early would find the same line, and be set again and again.
        return max(0.05, self.ends_at - now - shown)


def describe_end(seconds: int, reason: str) -> Phrase:
    """Return the sentence that announces the end in so many seconds."""
    if seconds >= _WHOLE_MINUTES:
        minutes = round(seconds / _MINUTE)
        sentence = Phrase(
            "The server shuts down in {n} minute. Everything is saved.",
            {"n": minutes},
            number=minutes,
            many="The server shuts down in {n} minutes. Everything is saved.",
        )
    else:
        sentence = Phrase(
            "The server shuts down in {n} second. Everything is saved.",
            {"n": seconds},
            number=seconds,
            many="The server shuts down in {n} seconds. Everything is saved.",
        )
    if not reason:
        return sentence
    return Phrase("{sentence} The reason: {reason}", {"sentence": sentence, "reason": reason[:_LONGEST_REASON]})


class ShutdownWatch:
    """Knows when the server ends. `publish` shows a change, `now` returns monotonic seconds.

    Attributes:
        planned: The planned end; None while there is none.
    """

    def __init__(self, publish: Publish, now: Callable[[], float]) -> None:
        self._publish = publish
        self._now = now
        self.planned: PlannedEnd | None = None

    def on_notice(self, notice: ShutdownNotice) -> None:
        """Note when the server ends, or that it does not, and publish it."""
        if notice.ends_in_ms is None:
            self.planned, sentence = None, CALLED_OFF
        else:
            seconds, reason = max(0, notice.ends_in_ms) / 1000, notice.reason or ""
            self.planned, sentence = PlannedEnd(self._now() + seconds, reason), describe_end(round(seconds), reason)
        self._publish(ShutdownAnnounced(sentence))
