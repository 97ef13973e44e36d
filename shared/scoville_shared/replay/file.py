"""The lines of an exported game as types: a header, one line per move, the outcome, and the server's signature.

A table may continue from any of its positions. A game that is not over is such a file that grows with its moves: its
first line says how to go on. A process may end at any moment, so a last line that was written in part is passed over.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from scoville_shared.decoders import describe_fault, prepare_types
from scoville_shared.engine.dice import DealTerms
from scoville_shared.errors import ScovilleError
from scoville_shared.identity import MOST_FORMER
from scoville_shared.ids import MOST_SEATS, Seat
from scoville_shared.text import clean_text
from scoville_shared.untrusted import Excessive, is_harmless
from scoville_shared.values import Plain

FORMAT: Final = 1
"""Version of the format, the header's first key."""

MAX_LINES = 100_000
MAX_LINE_CHARS = 65_536
MAX_FILE_CHARS = 16 * 2**20
"""Bounds of a file that a stranger may have made: our longest game has 20,000 moves (`max_moves`)."""

Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""32 bytes in hex, lower case."""
Signature = Annotated[str, Meta(pattern=r"^[0-9a-f]{128}\Z")]
"""64 bytes in hex, lower case."""
Nonce = Annotated[str, Meta(pattern=r"^([0-9a-f]{2}){1,32}\Z")]
"""1 to 32 bytes in hex, lower case."""
Word = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f-\x9f]{1,64}\Z")]
"""A short text without control characters, which a terminal would obey."""
Name = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f-\x9f]{0,64}\Z")]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Whole = Annotated[int, Meta(ge=-(2**53), le=2**53)]


class Sitter(Struct, frozen=True, kw_only=True):
    """A player or bot of a recorded game.

    `claimed` says that the player owned the name, and is left out otherwise. `level` is that of a bot; it is left out
    for players, and in files that were written before it was recorded.
    """

    name: Name
    kind: Literal["human", "bot"]
    claimed: bool | UnsetType = UNSET
    level: Word | UnsetType = UNSET


class Header(Struct, frozen=True, kw_only=True):
    """The first line: the game, its players, and the source of all its randomness.

    `options` are all of the game's options. `commitment` hashes `server_seed` with the `terms`; `nonces` are the
    players' shares by seat, None for none; `nonce_hashes` are the hashes that committed to them. Bytes are in hex.
    `started` is a time with its zone. `dealer` is the seat that dealt, if an earlier game of the same players had
    determined that. `server_key` is the public key of the server that opened the table, and `commitment_signature` its
    signature of the commitment and the terms; a file without them proves nothing about any server.
    """

    scoville: Literal[1] = FORMAT
    game: Word
    rules_version: Count
    options: Plain
    table: Word
    seats: Annotated[list[Sitter], Meta(min_length=1, max_length=MOST_SEATS)]
    commitment: Hash
    nonces: list[Nonce | None]
    nonce_hashes: list[Hash | None]
    server_seed: Hash
    started: Annotated[datetime, Meta(tz=True)]
    dealer: Count | UnsetType = UNSET
    server_key: Hash | UnsetType = UNSET
    commitment_signature: Signature | UnsetType = UNSET

    @property
    def terms(self) -> DealTerms:
        """The terms that the commitment binds beside the seed."""
        return DealTerms(
            table=self.table,
            game=self.game,
            rules_version=self.rules_version,
            options=self.options,
            seats=len(self.seats),
            dealer=None if self.dealer is UNSET else self.dealer,
        )


class MoveLine(Struct, frozen=True, kw_only=True):
    """A move: the `n`th of the game, counted from 1; `at_ms` is milliseconds after `started`."""

    n: Annotated[int, Meta(ge=1)]
    seat: Count
    move: Plain
    mover: Literal["player", "clock", "bot"]
    at_ms: Count


class RecordedOutcome(Struct, frozen=True, kw_only=True):
    """The outcome: scores and places by seat (ties share the better place), and the reason."""

    scores: list[Whole]
    places: list[Annotated[int, Meta(ge=1)]]
    reason: Word


class FormerKeyLine(Struct, frozen=True, kw_only=True):
    """A public key that was replaced, and its signature of the key that replaced it."""

    server_key: Hash
    signature: Signature


class ResultSignature(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The last line: a server's signature of all lines before it.

    `former` are the keys, oldest first, that `server_key` has replaced since the commitment was signed.
    """

    server_key: Hash
    signature: Signature
    former: Annotated[list[FormerKeyLine], Meta(max_length=MOST_FORMER)] = []


class ExportedGame(Struct, frozen=True, kw_only=True):
    """A whole file. `outcome` is None for an unfinished game, `signature` for one that no server has signed.

    `digest` is the hash of the lines that the signature is about.
    """

    header: Header
    moves: list[MoveLine]
    outcome: RecordedOutcome | None
    signature: ResultSignature | None = None
    digest: bytes = b""


class BrokenFile(ScovilleError):
    """Not an exported game: the sentence names the line and what was expected there (`data["line"]`)."""

    def __init__(self, line: int, complaint: str) -> None:
        super().__init__("broken_file", f"Line {line}: {complaint}.", {"line": line})


class _Outcome(Struct, frozen=True):
    outcome: RecordedOutcome


class _Signed(Struct, frozen=True):
    signature: ResultSignature


T = TypeVar("T")


prepare_types(Header, MoveLine, _Outcome, _Signed)


def write_game(header: Header, moves: Iterable[MoveLine], outcome: RecordedOutcome | None) -> list[str]:
    """Write a game as the lines of its file, without line ends."""
    return write_lines([header, *moves, *([outcome] if outcome else ())])


def write_lines(parts: Iterable[Header | MoveLine | RecordedOutcome]) -> list[str]:
    """Write parts of a game as lines of its file, without line ends.

    >>> move = MoveLine(n=1, seat=2, move={"action": "take"}, mover="player", at_ms=4100)
    >>> end = RecordedOutcome(scores=[17, 22, 30], places=[1, 2, 3], reason="rounds_played")
    >>> for line in write_lines([move, end]):
    ...     print(line)
    {"n":1,"seat":2,"move":{"action":"take"},"mover":"player","at_ms":4100}
    {"outcome":{"scores":[17,22,30],"places":[1,2,3],"reason":"rounds_played"}}
    """
    values = (_Outcome(part) if isinstance(part, RecordedOutcome) else part for part in parts)
    return [msgspec.json.encode(value).decode() for value in values]


def signature_line(signature: ResultSignature) -> str:
    """Write the last line of a signed game."""
    return msgspec.json.encode(_Signed(signature)).decode()


def digest_of(lines: Iterable[str]) -> bytes:
    """Hash the lines that a signature is about: SHA-256 of each line, without blanks around it, and a line feed."""
    return hashlib.sha256("".join(f"{line.strip()}\n" for line in lines).encode()).digest()


def read_game(lines: Iterable[str | bytes]) -> ExportedGame:
    """Read the lines of a file, also one opened in binary mode; blank lines are ignored.

    Raises BrokenFile.
    """
    hasher = hashlib.sha256()
    maps = _read_maps(lines, hasher)
    first = next(maps, None)
    if first is None:
        raise BrokenFile(1, "expected a header, but the file is empty")
    header = _read_header(*first)
    moves: list[MoveLine] = []
    for number, data in maps:
        if "outcome" in data:
            outcome = _read_ending(number, data, header)
            signature, digest = _read_signature(maps, hasher)
            return ExportedGame(header=header, moves=moves, outcome=outcome, signature=signature, digest=digest)
        moves.append(_read_move(number, data, len(moves) + 1, len(header.seats)))
    return ExportedGame(header=header, moves=moves, outcome=None)


def _read_header(number: int, data: Plain) -> Header:
    if data.get("scoville") != FORMAT:
        raise BrokenFile(number, f'expected a header with "scoville": {FORMAT}, the version of the format')
    header = _convert_typed(number, data, Header, "the header")
    # Names are for show, and nothing is computed from them: cleaned, not refused.
    seats = [replace(seat, name=clean_text(seat.name)) for seat in header.seats]
    header = _check_harmless(number, replace(header, seats=seats), "the header")
    # Lists that belong together may not differ in length: `verify` goes through them side by side.
    for what, found in (("a nonce", len(header.nonces)), ("the hash of a nonce", len(header.nonce_hashes))):
        if found != len(header.seats):
            raise BrokenFile(number, f"expected {what} or null for each of {len(header.seats)} seats, found {found}")
    if header.dealer is not UNSET and header.dealer >= len(header.seats):
        raise BrokenFile(number, f"expected a dealer from 0 to {len(header.seats) - 1}, found {header.dealer}")
    return header


def _read_move(number: int, data: Plain, nth: int, seats: int) -> MoveLine:
    move = _check_harmless(number, _convert_typed(number, data, MoveLine, "a move or the outcome"), "a move")
    # Numbered though the order says it: a line that was lost or doubled is found here, and not some moves later.
    if move.n != nth:
        raise BrokenFile(number, f"expected move {nth}, found move {move.n}")
    if move.seat >= seats:
        raise BrokenFile(number, f"expected a seat from 0 to {seats - 1}, found {move.seat}")
    return move


def _read_ending(number: int, data: Plain, header: Header) -> RecordedOutcome:
    outcome = _check_harmless(number, _convert_typed(number, data, _Outcome, "the outcome").outcome, "the outcome")
    seats = len(header.seats)
    if not len(outcome.scores) == len(outcome.places) == seats:
        raise BrokenFile(number, f"expected a score and a place for each of {seats} seats")
    return outcome


def _read_signature(rest: Iterator[tuple[int, Plain]], hasher: "hashlib._Hash") -> tuple[ResultSignature | None, bytes]:
    """Read the line after the outcome, if there is one, and the hash of the lines before it."""
    number, data = next(rest, (0, {}))
    if not number:
        return None, b""
    if "signature" not in data:
        raise BrokenFile(number, "expected nothing after the outcome but a signature")
    signature, digest = _convert_typed(number, data, _Signed, "a signature").signature, hasher.digest()
    for beyond, _ in rest:
        raise BrokenFile(beyond, "expected nothing after the signature")
    return signature, digest


def _read_maps(lines: Iterable[str | bytes], hasher: "hashlib._Hash") -> Iterator[tuple[int, Plain]]:
    """Yield number and decoded map of each line that is not blank. Raises BrokenFile beyond the bounds of a file.

    Each line is hashed when the next one is read.
    """
    chars = 0
    for number, line in enumerate(lines, 1):
        chars += len(line)
        # Before the line is decoded: a decoder of JSON takes many times the size of a text.
        if len(line) > MAX_LINE_CHARS:
            raise BrokenFile(number, f"expected at most {MAX_LINE_CHARS} characters")
        if number > MAX_LINES or chars > MAX_FILE_CHARS:
            raise BrokenFile(number, f"expected at most {MAX_LINES} lines and {MAX_FILE_CHARS} characters in total")
        if line.strip():
            yield number, _read_map(number, line)
            # After the line was used: when the signature is read, the hash is still that of the lines before it. A text
            # with half of a surrogate pair must be refused for what is wrong with it, and not fail here.
            hasher.update((line.encode(errors="surrogatepass") if isinstance(line, str) else line).strip() + b"\n")


def _read_map(number: int, line: str | bytes) -> Plain:
    try:
        value = msgspec.json.decode(line, type=Plain)
        # Read a second time, since msgspec takes the last of two equal keys without a word.
        json.loads(line, object_pairs_hook=_refuse_repeated)
    except _Repeated as repeated:
        raise BrokenFile(number, f"the key {clean_text(str(repeated))!r} occurs twice in an object") from None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise BrokenFile(number, "expected one JSON object per line") from None
    return value


class _Repeated(Exception):
    """A key that an object has twice: readers differ in which of its values they take."""


def _refuse_repeated(pairs: list[tuple[str, object]]) -> None:
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            raise _Repeated(key)
        keys.add(key)


def _convert_typed(number: int, data: Plain, kind: type[T], what: str) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise BrokenFile(number, f"expected {what} ({clean_text(describe_fault(error).sentence)})") from None


def _check_harmless(number: int, value: T, what: str) -> T:
    """Return the value of a line without control or invisible characters. Raises BrokenFile."""
    try:
        harmless = is_harmless(value, MAX_LINE_CHARS)
    except Excessive as error:
        raise BrokenFile(number, f"expected {what} ({error})") from None
    if not harmless:
        raise BrokenFile(number, f"expected {what} without control characters and invisible characters")
    return value


class Opening(Struct, frozen=True):
    """Continue a game after its first `moves` moves, which are legal and do not end it; a player takes `seat`."""

    exported: ExportedGame
    moves: int
    seat: Seat


_SAFE: Final = re.compile(r"[0-9a-z-]{1,64}")
"""Names of tables that may be names of files: in lower case, so that no file system takes two of them for one."""


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
    lines = content.split(b"\n")[:-1]  # bytes after the last line feed were written in part
    exported = read_game(lines)
    try:
        terms = msgspec.json.decode(content.partition(b"\n")[0], type=_OnlyTerms).unfinished
    except msgspec.MsgspecError:
        raise BrokenFile(1, "expected how the game goes on") from None
    if terms.seat >= len(exported.header.seats):
        raise BrokenFile(1, f"expected a seat from 0 to {len(exported.header.seats) - 1}, found {terms.seat}")
    return UnfinishedGame(exported, terms)
