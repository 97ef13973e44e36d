"""Event log: one structured line for each hello, takeover, refusal, game start and game end.

Lines are `KIND key=value …`, or JSON objects with `--log-format json`. Field names are stable and documented in
docs/hosting.md. Values that users choose are quoted, with everything but printable ASCII escaped, so that no name can
forge a line. Tokens, passwords, nonces, seeds and cards are never fields.
"""

import json
import logging
import re
from collections.abc import Callable
from typing import Final

from scoville_runtime.clock import SYSTEM

LOGGER: Final = logging.getLogger("scoville_server.events")

MOST: Final = 50
"""Lines of one kind in `SECONDS`; further ones are counted, and the next line of the kind has the count."""
SECONDS: Final = 10.0

Field = str | int | float | bool
_PLAIN = re.compile(r"[A-Za-z0-9_.:/\[\]+-]+")
_LONGEST = 100
"""Characters of a value that are written."""


class EventLog:
    """Writes events, of each kind at most `MOST` in `SECONDS`. `now` returns monotonic seconds."""

    def __init__(self, now: Callable[[], float] = SYSTEM.seconds) -> None:
        self._now = now
        self._began: dict[str, float] = {}
        self._written: dict[str, int] = {}

    def write_event(self, kind: str, **fields: Field) -> None:
        """Write one event. Fields that are empty texts are left out."""
        if not LOGGER.isEnabledFor(logging.INFO):
            return
        now = self._now()
        written = self._written.get(kind, 0)
        if now - self._began.get(kind, float("-inf")) >= SECONDS:
            if written > MOST:
                fields["suppressed"] = written - MOST
            self._began[kind], written = now, 0
        self._written[kind] = written + 1
        if written < MOST:
            shown = {name: _shorten_value(value) for name, value in fields.items() if value != ""}
            line = " ".join([kind, *(f"{name}={_quote_value(value)}" for name, value in shown.items())])
            LOGGER.info("%s", line, extra={"event": kind, "fields": shown})


def _shorten_value(value: Field) -> Field:
    return value[:_LONGEST] if isinstance(value, str) else value


def _quote_value(value: Field) -> str:
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else json.dumps(value)
