"""Parsing of typed table options: NAME=VALUE, clocks, nights in the time zone of this machine, dates, seeds."""

import os
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from scoville_client.i18n.language import tr
from scoville_shared.ids import MOST_SEATS

SEED_BYTES = 32
"""Bytes of a server seed. The engine's constant is not imported: the first screen loads no engine."""

MOST_SECONDS = 604_800
"""Longest time that the protocol allows: a week."""

MOST_DAYS = 60
"""Days until a date or a tournament that the protocol allows."""

_DAYS = ("1", "2", "3", "7")
"""The days for a move from which a game by correspondence is chosen."""
_DAY_SECONDS = 86_400
_NIGHT = re.compile(r"(\d{1,2})-(\d{1,2})(?:@(\S+))?")

_YES, _NO = ("yes", "on", "true"), ("no", "off", "false")


def parse_option(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE; a value is a whole number, yes or no, or a word. Raises ValueError with a sentence."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ValueError(tr("{text} is not an option; write NAME=VALUE, such as cycles=1.", text=repr(text)))
    return name, _parse_value(value)


def fault_of(game: str, options: dict[str, Any]) -> str | None:
    """Return why a game cannot be opened with these options; None if it can."""
    from scoville_outside import guard
    from scoville_shared.engine.codec import CodecError
    from scoville_shared.errors import ScovilleError

    try:
        guard.load_game(game).codec.decode_options(options)
    except ScovilleError as error:
        return error.message
    except CodecError as error:
        return tr("These options are not allowed: {why}.", why=str(error))
    return None


def parse_bots(text: str) -> dict[str, Any]:
    """Parse the levels of bots: one for all, then those of single seats from 1 on, as in `sensible,3:strong`.

    Returns fields of TableSettings. Raises ValueError with a sentence.

    >>> parse_bots("sensible,3:strong")
    {'bot_level': 'sensible', 'bot_levels': [None, None, 'strong']}
    """
    usual, *varied = text.split(",")
    own: dict[int, str] = {}
    for word in varied:
        seat, colon, level = word.partition(":")
        if not (colon and level and seat.isdecimal() and 1 <= int(seat) <= MOST_SEATS):
            raise ValueError(
                tr(
                    "{text} is not a level of bots; write sensible, or sensible,3:strong to vary seat 3.",
                    text=repr(text),
                )
            )
        own[int(seat)] = level
    levels = [own.get(seat) for seat in range(1, max(own, default=0) + 1)]
    return {"bot_level": usual, **({"bot_levels": levels} if levels else {})}


def parse_clock(text: str) -> dict[str, int | None]:
    """Parse a clock typed in seconds: `30` per move, `300+5` per game and increment, or `off`; `3d` in days per move.

    Returns fields of TableClock. Raises ValueError with a sentence.

    >>> parse_clock("300+5")
    {'bank_ms': 300000, 'increment_ms': 5000}
    """
    if text.casefold() in (*_NO, "0"):
        return {}
    if text.casefold().endswith("d") and text[:-1] in _DAYS:
        return {"move_ms": 1000 * _DAY_SECONDS * int(text[:-1])}
    bank, plus, increment = text.partition("+")
    try:
        if plus:
            return {"bank_ms": _parse_ms(bank) or None, "increment_ms": _parse_ms(increment)}
        return {"move_ms": _parse_ms(bank) or None}
    except ValueError:
        raise ValueError(
            tr(
                "{text} is not a thinking time; write 30 for seconds a move, 300+5 for a game plus each move, "
                "3d for days a move (1, 2, 3 or 7), or off.",
                text=repr(text),
            )
        ) from None


_UNKNOWN: Final = "UTC"
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
        return _UNKNOWN
    return target.partition(_FOLDER)[2] or _UNKNOWN


def parse_night(text: str, usual_zone: str) -> dict[str, Any]:
    """Parse the typed hours in which no clock runs: `22-7`, `22-7@Europe/Berlin`, or `off`.

    Returns fields of TableClock. Raises ValueError with a sentence.

    >>> parse_night("22-7", "Europe/Berlin")
    {'night': {'begins': 22, 'ends': 7, 'zone': 'Europe/Berlin'}}
    """
    if text.casefold() in (*_NO, "0"):
        return {}
    found = _NIGHT.fullmatch(text)
    if found is None or max(int(found[1]), int(found[2])) > 23:
        raise ValueError(
            tr(
                "{text} is not a night; write the hours from which and until which no clock runs, such as 22-7 or "
                "22-7@Europe/Berlin.",
                text=repr(text),
            )
        )
    return {"night": {"begins": int(found[1]), "ends": int(found[2]), "zone": found[3] or usual_zone}}


def parse_absence(text: str) -> dict[str, int | None]:
    """Parse the typed seconds that a seat is kept for a disconnected player; 0 is forever.

    Raises ValueError with a sentence.
    """
    try:
        return {"absence_ms": _parse_ms(text) or None}
    except ValueError:
        raise ValueError(
            tr("{text} is not a waiting time; write seconds, or 0 to wait forever.", text=repr(text))
        ) from None


def parse_seed(text: str) -> bytes:
    """Parse hex of any number of digits as a server seed, padded with zeros. Raises ValueError with a sentence."""
    try:
        seed = bytes.fromhex(text + "0" * (len(text) % 2))
    except ValueError:
        raise ValueError(
            tr("{text} is not a seed; write it in hexadecimal, such as c0ffee.", text=repr(text))
        ) from None
    if len(seed) > SEED_BYTES:
        raise ValueError(tr("A seed can have at most {most} bytes (got {n}).", most=SEED_BYTES, n=len(seed)))
    return seed.ljust(SEED_BYTES, b"\0")


def _parse_ms(text: str) -> int:
    """Return typed seconds in milliseconds. Raises ValueError."""
    if not (text.isascii() and text.isdigit() and int(text) <= MOST_SECONDS):
        raise ValueError(text)
    return 1000 * int(text)


def _parse_value(text: str) -> int | str | bool:
    word = text.casefold()
    if word in _YES or word in _NO:
        return word in _YES
    return int(text) if text.isascii() and text.isdigit() else text


def read_time_until(typed: str, now_ms: int) -> int:
    """Return the milliseconds until a time of day, today or tomorrow, or until a day and a time. Raises ValueError."""
    now = datetime.fromtimestamp(now_ms / 1000)
    found = re.fullmatch(r"(?:(\d{4})-(\d\d)-(\d\d)T)?(\d{1,2}):(\d\d)", typed)
    try:
        if found is None:
            raise ValueError(typed)
        year, month, day, hour, minute = found.groups()
        if year is not None:
            at = datetime(int(year), int(month), int(day), int(hour), int(minute))
        else:
            at = now.replace(hour=int(hour), minute=int(minute), second=0, microsecond=0)
            at += timedelta(days=1) if at <= now else timedelta()
    except ValueError:
        raise ValueError(tr("{typed} is not a time; type 20:30 or 2026-12-24T20:30.", typed=repr(typed))) from None
    # Not the difference of the two: the clock may be changed between them.
    wait_ms = round(at.timestamp() * 1000) - now_ms
    if wait_ms <= 0:
        raise ValueError(tr("{typed} is past.", typed=typed))
    if wait_ms > MOST_DAYS * _DAY_SECONDS * 1000:
        raise ValueError(tr("{typed} is more than {n} days from now.", typed=typed, n=MOST_DAYS))
    return wait_ms
