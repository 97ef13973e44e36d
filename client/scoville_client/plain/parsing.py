"""What people type after a command, read: a number, a name that may have several words, and what follows it."""

from collections.abc import Iterable, Sequence

from scoville_client.i18n.language import words
from scoville_client.session.session import Session

_LONGEST_NUMBER = 9
"""Digits: a longer number does not fit into a message of the protocol."""
_LONGEST_SHOWN = 60


def number(word: str) -> int:
    """Read a whole number. Raises ValueError with a sentence."""
    if not (word.isascii() and word.isdigit()) or len(word) > _LONGEST_NUMBER:
        raise ValueError(words("{typed} is no number.", typed=repr(word[:_LONGEST_SHOWN])))
    return int(word)


def one(after: Sequence[str], sentence: str) -> str:
    """Read the one word there must be. Raises ValueError with the sentence."""
    if len(after) != 1:
        raise ValueError(sentence)
    return after[0]


def named(session: Session, after: Sequence[str]) -> tuple[str, str]:
    """Read a name and what is said after it: the longest name that is known here, else the first word.

    Raises ValueError when there is none.
    """
    if not after:
        raise ValueError(words("Say whose name; type who or people to hear them."))
    known = {name.casefold(): name for name in _names(session) if name}
    for count in range(len(after), 0, -1):
        typed = " ".join(after[:count]).casefold()
        if typed in known:
            return known[typed], " ".join(after[count:])
    return after[0], " ".join(after[1:])


def whole_name(session: Session, after: Sequence[str]) -> str:
    """Read a name and nothing else. Raises ValueError when there is none."""
    name, more = named(session, after)
    return f"{name} {more}".rstrip()


def seat_of(session: Session, name: str) -> int:
    """Find where somebody sits at the table. Raises ValueError with a sentence."""
    seats = session.table.info.seats if session.table is not None else []
    for seat, info in enumerate(seats):
        if info.name.casefold() == name.casefold() or name == str(seat + 1):
            return seat
    raise ValueError(words("Nobody called {name} sits here; type who.", name=name))


def _names(session: Session) -> Iterable[str]:
    """Name everybody who is heard of here."""
    yield from session.lobby.people
    yield from session.chat.ignored
    for table in session.tables:
        yield from (seat.name for seat in table.seats)
    if session.table is not None:
        yield from (seat.name for seat in session.table.info.seats)
        yield from session.table.spectators
