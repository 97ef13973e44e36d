"""Set-up of the server's log on standard error: levels and formats."""

import json
import logging
from typing import Literal

Level = Literal["warning", "info", "debug"]
Format = Literal["text", "json"]


def set_up(level: Level, form: Format) -> None:
    """Send the log to standard error: warnings, with `info` also events, with `debug` also the debug log.

    Other libraries stay at warnings, whatever the level.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter("%(levelname)s: %(message)s"))
    logging.basicConfig(handlers=[handler])
    logging.raiseExceptions = False  # a log on a full disk would get a traceback for each lost line
    logging.getLogger("scoville_server").setLevel(level.upper())


class JsonFormatter(logging.Formatter):
    """Formats every log record as one JSON object in ASCII: `time`, `level`, and `event` with fields or `message`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        line: dict[str, object] = {"time": round(record.created, 3), "level": record.levelname.lower()}
        if hasattr(record, "event"):
            line |= {"event": record.event, **getattr(record, "fields", {})}
        else:
            line |= {"logger": record.name, "message": record.getMessage()}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)
