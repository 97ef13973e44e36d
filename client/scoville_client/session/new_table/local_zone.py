"""The time zone of this machine by its name in the IANA database."""

import os
from pathlib import Path
from typing import Final

UNKNOWN: Final = "UTC"
_LINK: Final = Path("/etc/localtime")
_FOLDER: Final = "zoneinfo/"


def find_local_zone(link: Path = _LINK) -> str:
    """Return the time zone of this machine, such as `Europe/Berlin`; `UTC` where the system does not name it."""
    named = os.environ.get("TZ", "").lstrip(":")
    # Elsewhere TZ may be a rule, such as CET-1CEST.
    if "/" in named and not named.startswith("/"):
        return named
    try:
        target = os.readlink(link)  # noqa: PTH115 - a path would be shortened
    except OSError:
        return UNKNOWN
    return target.partition(_FOLDER)[2] or UNKNOWN
