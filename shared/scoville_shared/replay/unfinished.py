"""A game that is not over, as a file that grows with its moves: an exported game whose first line says how to go on.

A process may end at any moment, so a last line that was written in part is passed over.
"""

import hashlib
import re
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct

from scoville_shared.replay.file import BrokenFile, ExportedGame, Header, read_game
from scoville_shared.values import Plain

_SAFE: Final = re.compile(r"[0-9a-z-]{1,64}")


class Terms(Struct, frozen=True, kw_only=True):
    """How a game goes on: the user's `seat`, and the table's thinking time and settings as a request names them."""

    seat: Annotated[int, Meta(ge=0)]
    clock: Plain = {}
    settings: Plain = {}


class UnfinishedGame(NamedTuple):
    """A game that is not over, and how it goes on."""

    exported: ExportedGame
    terms: Terms


class _UnfinishedHeader(Header, frozen=True, kw_only=True):
    unfinished: Terms


class _OnlyTerms(Struct, frozen=True):
    unfinished: Terms


def file_name_of(table: str) -> str:
    """Return the name of the file of a table's game; an exported file may have brought the table's name."""
    safe = table if _SAFE.fullmatch(table) else hashlib.sha256(table.encode()).hexdigest()[:12]
    return f"{safe}.jsonl"


def write_first_line(header: Header, terms: Terms) -> str:
    """Write the first line; readers of exported games take it for a header."""
    fields = {name: getattr(header, name) for name in header.__struct_fields__}
    return msgspec.json.encode(_UnfinishedHeader(**fields, unfinished=terms)).decode()


def read_unfinished(content: bytes) -> UnfinishedGame:
    """Read a whole file. Raises BrokenFile, also for a game without terms."""
    lines = content.split(b"\n")[:-1]  # what follows the last line feed was written in part
    exported = read_game(lines)
    try:
        terms = msgspec.json.decode(content.partition(b"\n")[0], type=_OnlyTerms).unfinished
    except msgspec.MsgspecError:
        raise BrokenFile(1, "expected how the game goes on") from None
    if terms.seat >= len(exported.header.seats):
        raise BrokenFile(1, f"expected a seat from 0 to {len(exported.header.seats) - 1}, found {terms.seat}")
    return UnfinishedGame(exported, terms)
