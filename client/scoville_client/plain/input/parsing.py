"""Parsing of command arguments: numbers and names."""

from collections.abc import Iterable, Sequence

from scoville_client.i18n.language import tr
from scoville_client.session.session import Session

_LONGEST_NUMBER = 9
"""Most digits of a number; the protocol has no longer ones."""
_LONGEST_SHOWN = 60


def number(word: str) -> int:
    """Parse a whole number. Raises ValueError with a sentence."""
    if not (word.isascii() and word.isdigit()) or len(word) > _LONGEST_NUMBER:
        raise ValueError(tr("{typed} is not a number.", typed=repr(word[:_LONGEST_SHOWN])))
    return int(word)


def one(after: Sequence[str], sentence: str) -> str:
    """Return the only argument. Raises ValueError with the sentence if there are none or several."""
    if len(after) != 1:
        raise ValueError(sentence)
    return after[0]


def named(session: Session, after: Sequence[str]) -> tuple[str, str]:
    """Split a name from the text after it: the longest known name, else the first word.

    Raises ValueError when there is none.
    """
    if not after:
        raise ValueError(tr("Type a name; who and users list them."))
    known = {name.casefold(): name for name in known_names(session) if name}
    for count in range(len(after), 0, -1):
        typed = " ".join(after[:count]).casefold()
        if typed in known:
            return known[typed], " ".join(after[count:])
    return after[0], " ".join(after[1:])


def whole_name(session: Session, after: Sequence[str]) -> str:
    """Return a name that takes up all arguments. Raises ValueError when there is none."""
    name, more = named(session, after)
    return f"{name} {more}".rstrip()


def seat_of(session: Session, name: str) -> int:
    """Return the seat of a player, by name or number. Raises ValueError with a sentence."""
    seats = session.table.info.seats if session.table is not None else []
    for seat, info in enumerate(seats):
        if (info.name or "").casefold() == name.casefold() or name == str(seat + 1):
            return seat
    raise ValueError(tr("No player called {name} is at this table; type who.", name=name))


def known_names(session: Session) -> Iterable[str]:
    """Yield all names that this client knows."""
    yield from session.lobby.users
    yield from session.chat.ignored
    for table in session.lobby.tables:
        yield from (seat.name for seat in table.seats if seat.name)
    if session.table is not None:
        yield from (seat.name for seat in session.table.info.seats if seat.name)
        yield from session.table.spectators
