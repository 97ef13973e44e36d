"""The part of an export that people read: who was here, what they played, and what is still open."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from scoville_server.accounts.model.account import Account
from scoville_server.clubs.model.club import Club
from scoville_server.journal.snapshots import Snapshot
from scoville_server.players.model.career import Career
from scoville_server.tables.archive.archive import BOOK, Creator, is_whole
from scoville_server.tournaments.model.tournament import Tournament
from scoville_shared import __version__
from scoville_shared.ids import TableId
from scoville_shared.replay import BrokenFile, ExportedGame, read_game

T = TypeVar("T")


class _TableRecord(Struct, frozen=True):
    """Fields of a table's record that a summary needs, of any kind."""

    record: str
    game: str = ""
    name: str = ""


def describe_server(snapshot: Snapshot, games: Sequence[Path], audit: Path, pin: str, now: datetime) -> str:
    """Describe an exported server as plain text.

    Args:
        snapshot: Its journal.
        games: The files of its finished games, in any order.
        audit: The file of its audit log, which need not exist.
        pin: The pin of its key.
        now: When it was exported.
    """
    checksums = {name: creator.checksum for name, creator in _read_rows(snapshot, BOOK, Creator)}
    played = sorted(_read_played(path, checksums.get(path.name, b"")) for path in games)
    clubs = [_describe_club(club, snapshot) for _, club in _read_rows(snapshot, "clubs", Club)]
    names = {club_id: club.name for club_id, club in _read_rows(snapshot, "clubs", Club)}
    tournaments = [_describe_tournament(each, names) for _, each in _read_rows(snapshot, "tournaments", Tournament)]
    parts = [
        f"A Scoville server, exported at {_write_time(now)} by version {__version__}.\nPin of its key: {pin}",
        _describe_part("Users", _describe_users(snapshot)),
        _describe_part("Finished games", [line for _, line in played]),
        _describe_part("Clubs", clubs),
        _describe_part("Tournaments", tournaments),
        _describe_part("Open tables", [_describe_table(*table) for table in snapshot.tables.items()]),
        _describe_part("Books", [f"{book}: {len(rows)}" for book, rows in sorted(snapshot.books.items())]),
        f"Acts of admins in the audit log: {_count_lines(audit)}",
    ]
    return "\n\n".join(parts) + "\n"


def _describe_part(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{title}: {len(lines)}", *(f"  {line}" for line in lines)])


def _read_rows(snapshot: Snapshot, book: str, form: type[T]) -> Iterator[tuple[str, T]]:
    """Read the rows of a book; a damaged one is in the export as it is, and the next start names it."""
    for key, value in snapshot.books.get(book, ()):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            yield key, msgspec.msgpack.decode(value, type=form)


def _describe_users(snapshot: Snapshot) -> list[str]:
    accounts = dict(_read_rows(snapshot, "accounts", Account))
    careers = dict(_read_rows(snapshot, "careers", Career))
    lines: list[str] = []
    for user in snapshot.users:
        parts = [user.name]
        if account := accounts.get(user.user):
            parts.append(f"name claimed {_write_ms(account.since_ms)}")
        if career := careers.get(user.user):
            parts.append(f"{career.finished} of {career.begun} games finished, {career.won} won")
        lines.append(", ".join(parts))
    return sorted(lines, key=str.casefold)


def _describe_club(club: Club, snapshot: Snapshot) -> str:
    names = {user.user: user.name for user in snapshot.users}
    members = ", ".join(sorted((names.get(member, "(deleted)") for member in club.members), key=str.casefold))
    closed = "" if club.is_open else f", closed {_write_ms(club.closed_ms)}"
    return f"{club.name}, since {_write_ms(club.since_ms)}{closed}: {members}"


def _describe_tournament(tournament: Tournament, clubs: Mapping[str, str]) -> str:
    entrants = ", ".join(entrant.name for entrant in tournament.entrants)
    kind = f"{tournament.format}, {tournament.game}, {tournament.stage}"
    if tournament.club:
        kind += f", club {clubs.get(tournament.club, '(gone)')}"
    return f"{_write_ms(tournament.starts_ms)}  {tournament.name} ({kind}): {entrants}"


def _describe_table(table: TableId, records: Sequence[bytes]) -> str:
    game, names = "", list[str]()
    for packed in records:
        # An unreadable record is only missing in this line; the export has the records as they are.
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            record = msgspec.msgpack.decode(packed, type=_TableRecord)
            game = game or record.game
            if record.record == "joined" and record.name not in names:
                names.append(record.name)
    records_word = "record" if len(records) == 1 else "records"
    return f"{table}  {game}: {', '.join(names) or 'nobody yet'} ({len(records)} {records_word})"


def _read_played(path: Path, checksum: bytes) -> tuple[str, str]:
    """Return when a game began, to sort by, and its line."""
    content = path.read_bytes()
    try:
        game = read_game(content.split(b"\n"))
    except BrokenFile as error:
        return "", f"{path.name} is damaged: {error.message}"
    if not is_whole(path.name, content, checksum):
        return "", f"{path.name} is damaged: it has changed since it was written."
    began = _write_time(game.header.started)
    return began, f"{began}  {game.header.game}: {_describe_places(game)} ({path.name})"


def _describe_places(game: ExportedGame) -> str:
    names = [seat.name for seat in game.header.seats]
    if game.outcome is None:
        return ", ".join(names)
    ranked = sorted(zip(game.outcome.places, names, game.outcome.scores, strict=False))
    return ", ".join(f"{place}. {name} {score}" for place, name, score in ranked)


def _write_ms(ms: int) -> str:
    return _write_time(datetime.fromtimestamp(ms / 1000, UTC))


def _write_time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _count_lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())
