"""Finished games as files: which are kept, for how long, and who may read them."""

import asyncio
import os
import stat
from pathlib import Path
from random import Random

import msgspec
import pytest

from scoville_server.background.tasks import RetryLimits
from scoville_server.journal.base import Change, JournalError
from scoville_server.journal.contents import JournalContents
from scoville_server.journal.memory import MemoryJournal
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.archive.archive import BOOK, Creator, find_game_faults
from scoville_server.tables.archive.index import GameLimits
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from tests.support import virtual_time
from tests.support.core import code_of, connect_user, seat_users
from tests.support.idle import wait_until_idle
from tests.support.journals import kept_records, read_rows
from tests.support.server import Caller, core_of, toy_server, until


async def started(folder: Path, journal: MemoryJournal | None = None, **settings: object) -> Server:
    server = toy_server(Settings(data=folder, table_creations=0, **settings), journal or MemoryJournal())  # type: ignore[arg-type]
    await server.start()
    return server


async def play(table: str, users: list[Caller]) -> None:
    while (shot := await users[0].call(m.PollRequest(table=table))).info.status == "playing":
        user = users[shot.pending[0] % len(users)]
        moves = (await user.call(m.MovesRequest(table=table))).moves
        await user.call(m.PlayRequest(table=table, move=moves[0]))


async def played(server: Server, *users: Caller, leave: bool = True) -> str:
    """Play a game to its end."""
    table = await users[0].create("heap", max(2, len(users)))
    for user in users:
        await user.call(m.JoinRequest(table=table))
    await users[0].call(m.StartRequest(table=table, bots="random"))
    await play(table, [*users])
    for user in users[: len(users) * leave]:
        await user.call(m.LeaveRequest(table=table))
    await core_of(server).background.finish_tasks()
    return table


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "games").glob("*"))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_a_game_that_bots_played_on_alone_is_not_kept(tmp_path: Path) -> None:
    server = await started(tmp_path, grace_seconds=0.001, finished_seconds=0.001)
    anna = await connect_user(server, "Anna")
    table = await anna.create("heap", 2)
    await anna.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table, bots="random"))
    await anna.call(m.LeaveRequest(table=table))
    await until(lambda: table not in core_of(server).tables)
    await core_of(server).background.finish_tasks()
    assert files(tmp_path) == []
    assert await kept_records(core_of(server).journal, table) == []  # type: ignore[arg-type]
    await server.close()


async def test_a_game_with_bots_lasts_while_its_user_stays(tmp_path: Path) -> None:
    server = await started(tmp_path)
    table, (anna,) = await seat_users(server, "Anna", game="heap")
    await anna.call(m.StartRequest(table=table, bots="random"))
    while (await anna.call(m.PollRequest(table=table))).info.status == "playing":
        moves = (await anna.call(m.MovesRequest(table=table))).moves
        if moves:
            await anna.call(m.PlayRequest(table=table, move=moves[0]))
        await asyncio.sleep(0)
    await core_of(server).background.finish_tasks()
    assert files(tmp_path) == [f"{table}.jsonl"]
    await server.close()


async def test_the_cap_takes_the_largest_creators_oldest(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal, games=GameLimits(files=4))
    anna, ben, cleo = [await connect_user(server, name) for name in ("Anna", "Ben", "Cleo")]
    first = await played(server, ben, cleo)
    mine = [await played(server, anna, cleo) for _ in range(2)]
    await server.close()
    server = await started(tmp_path, journal, games=GameLimits(files=4))
    assert anna.welcome is not None
    anna, ben, cleo = (
        await connect_user(server, token=anna.welcome.token),
        await connect_user(server),
        await connect_user(server),
    )
    mine += [await played(server, anna, cleo) for _ in range(2)]
    assert files(tmp_path) == sorted(f"{table}.jsonl" for table in [first, *mine[1:]])
    assert {*await read_rows(journal, BOOK)} == {*files(tmp_path)}
    await server.close()


async def test_a_lower_cap_holds_from_the_next_start_on(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal)
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    tables = [await played(server, *users) for _ in range(4)]
    await server.close()
    server = await started(tmp_path, journal, games=GameLimits(files=2))
    await core_of(server).background.finish_tasks()
    assert files(tmp_path) == sorted(f"{table}.jsonl" for table in tables[2:])
    await server.close()


async def test_a_game_whose_table_still_stands_is_not_removed(tmp_path: Path) -> None:
    server = await started(tmp_path, games=GameLimits(files=1))
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    stands = await played(server, *users, leave=False)
    gone = await played(server, *users)
    archive = core_of(server).archive
    assert archive is not None
    archive.trim_to_bounds()  # the game may have been saved while its table still stood, too
    await core_of(server).background.finish_tasks()
    assert files(tmp_path) == [f"{stands}.jsonl"]
    assert (await users[0].call(m.ExportRequest(table=stands))).lines
    assert gone != stands
    await server.close()


async def test_guests_of_an_address_share_a_part(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal, games=GameLimits(files=3))
    ben, cleo = [await connect_user(server, name) for name in ("Ben", "Cleo")]
    first = [await played(server, ben, cleo) for _ in range(2)]
    for number in range(4):
        guest = Caller(server)
        guest.peer.address = "192.0.2.7:4000"
        await guest.hello(f"Guest{number}")
        await played(server, guest, cleo)
    assert {f"{table}.jsonl" for table in first} < {*files(tmp_path)}
    assert len(files(tmp_path)) == 3
    assert b"192.0.2" not in b"".join(row.value for row in (await read_rows(journal, BOOK)).values())
    await server.close()


async def forget_checksum(journal: MemoryJournal) -> str:
    """Make the only row one of an older version; returns the name of its file."""
    ((name, row),) = (await read_rows(journal, BOOK)).items()
    creator = msgspec.msgpack.decode(row.value, type=Creator)
    assert len(creator.checksum) == 8
    older = [creator.user, creator.network, creator.players]
    await journal.write([Change(BOOK, name, msgspec.msgpack.encode(older))])
    return name


def damage_game(content: bytes, luck: Random) -> bytes:
    """Damage a file in one of the ways of disks, editors and copies."""
    lines, place = content.splitlines(keepends=True), luck.randrange(len(content))
    one, other = luck.sample(range(len(lines)), 2)
    match luck.randrange(11):
        case 0 | 1 | 2:
            return content[:place] + bytes([content[place] ^ 1 << luck.randrange(8)]) + content[place + 1 :]
        case 3:
            return content[:place]
        case 4:
            return content[:place] + b"\xff" * 16 + content[place + 16 :]
        case 5:
            lines[one], lines[other] = lines[other], lines[one]
        case 6:
            del lines[one]
        case 7:
            lines.insert(one, lines[other])
        case 8:
            lines[-1] = b""
        case 9:
            return content.replace(b"\n", b"\r\n")
        case _:
            lines[one] = lines[one].replace(b":", b": ", 1)
    return b"".join(lines)


@pytest.mark.skipif(os.name == "nt", reason="the paths of events are those of POSIX")
@pytest.mark.parametrize("has_checksum", [True, False])
async def test_a_damaged_game_is_refused_or_exported_as_it_was(
    tmp_path: Path, has_checksum: bool, caplog: pytest.LogCaptureFixture
) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal)
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    table = await played(server, *users)
    await until(lambda: table not in core_of(server).tables)
    whole = (await users[0].call(m.ExportRequest(table=table))).lines
    path = tmp_path / "games" / f"{table}.jsonl"
    if not has_checksum:
        await forget_checksum(journal)
    archive = core_of(server).archive
    assert archive is not None
    ((_, row),) = (await read_rows(journal, BOOK)).items()
    games = archive.find_games_of(table, msgspec.msgpack.decode(row.value, type=Creator).players[0])
    content, refused = path.read_bytes(), 0
    other = await played(server, *users)
    of_other = (tmp_path / "games" / f"{other}.jsonl").read_bytes()
    for seed in range(60):
        path.write_bytes(damage_game(content, Random(seed)) if seed else of_other)
        caplog.clear()
        kept = JournalContents({}, [], {BOOK: [*(await read_rows(journal, BOOK)).items()]})
        if path.name in find_game_faults(tmp_path / "games", kept).changed:  # the doctor names it as well
            with pytest.raises(ScovilleError) as refusal:
                await archive.read_game(games)
            assert refusal.value.code == "damaged_game"
            assert f"damage path={path}" in caplog.text
            refused += 1
        else:
            assert await archive.read_game(games) == whole, f"seed {seed}"
    assert refused > 40
    path.write_bytes(content)
    assert (await users[1].call(m.ExportRequest(table=table))).lines == whole
    path.unlink()
    path.mkdir()  # as good as a file on a damaged disk
    assert await code_of(users[1], m.ExportRequest(table=table)) == "damaged_game"
    assert find_game_faults(tmp_path / "games", kept).changed == [path.name]
    await server.close()


async def test_older_files_are_exported_without_checksum(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal)
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    table = await played(server, *users)
    await forget_checksum(journal)
    tokens = [user.welcome.token for user in users if user.welcome]
    await server.close()
    server = await started(tmp_path, journal)
    anna = await connect_user(server, token=tokens[0])
    assert (await anna.call(m.ExportRequest(table=table))).line_count > 3
    await server.close()


async def test_game_filed_by_another_version_is_not_rewritten(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal)
    table, anna = await played_with_bot(server)
    whole = await export_of(anna, table)
    older = [whole[0].replace(',"level":"random"', ""), *whole[1:-1]]
    assert older[0] != whole[0], "older versions did not record it"
    filed = [*older, core_of(server).signer.sign_result(older)]
    name = await forget_checksum(journal)
    assert anna.welcome
    token = anna.welcome.token
    await server.close()
    (tmp_path / "games" / name).write_text("".join(f"{line}\n" for line in filed))
    journal._key = journal._key.next_key()
    server = await started(tmp_path, journal)
    await core_of(server).background.finish_tasks()
    anna = await connect_user(server, token=token)
    assert table in core_of(server).tables
    assert await export_of(anna, table) == filed, "two signed results of one game would accuse the server"
    assert files(tmp_path) == [name], "nor is it filed twice"
    ((_, row),) = (await read_rows(journal, BOOK)).items()
    assert msgspec.msgpack.decode(row.value, type=Creator).checksum, "from now on damage is noticed by it"
    await server.close()


async def test_a_damaged_game_whose_table_still_stands_is_filed_again(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal)
    table, anna = await played_with_bot(server)
    whole = await export_of(anna, table)
    assert anna.welcome
    token = anna.welcome.token
    await server.close()
    path = tmp_path / "games" / f"{table}.jsonl"
    path.write_bytes(path.read_bytes()[:-200])
    for _ in range(2):
        server = await started(tmp_path, journal)
        await core_of(server).background.finish_tasks()
        anna = await connect_user(server, token=token)
        assert await export_of(anna, table) == whole
        assert files(tmp_path) == [f"{table}-2.jsonl", f"{table}.jsonl"]
        await server.close()
    server = await started(tmp_path, journal)
    anna = await connect_user(server, token=token)
    await anna.call(m.LeaveRequest(table=table))
    await until(lambda: table not in core_of(server).tables)
    assert await export_of(anna, table) == whole
    await server.close()


async def played_with_bot(server: Server) -> tuple[str, Caller]:
    """Let two users play with a bot between them; returns the table, where the first one stays, and that one."""
    anna, cleo = [await connect_user(server, name) for name in ("Anna", "Cleo")]
    table = await anna.create("heap", 3)
    for user, seat in ((anna, 0), (cleo, 2)):
        await user.call(m.JoinRequest(table=table, seat=seat))
    await anna.call(m.StartRequest(table=table, bots="random"))
    await play_beside_a_bot(server, table, anna, cleo)
    await cleo.call(m.LeaveRequest(table=table))
    await core_of(server).background.finish_tasks()
    return table, anna


async def test_an_exported_game_keeps_the_names_of_its_end(tmp_path: Path) -> None:
    server = await started(tmp_path)
    table, (anna, ben, cleo) = await seat_users(server, "Anna", "Ben", "Cleo", game="heap")
    await anna.call(m.StartRequest(table=table))
    await ben.call(m.LeaveRequest(table=table))
    await play_beside_a_bot(server, table, anna, cleo)
    whole = await export_of(anna, table)
    await ben.call(m.ClaimNameRequest(password="correct horse battery"))
    await ben.call(m.JoinRequest(table=table))
    seats = (await anna.call(m.PollRequest(table=table))).info.seats
    assert [seat.claimed for seat in seats] == [False, True, False], "who returns to see the result owns a name by now"
    assert await export_of(cleo, table) == whole, "two signed results of one game would accuse the server"
    await server.close()


async def test_archive_files_are_private_despite_former_modes(tmp_path: Path) -> None:
    games = tmp_path / "games"
    games.mkdir(mode=0o755)
    games.chmod(0o755)
    old = games / "old.jsonl"
    old.write_text("a game\n")
    old.chmod(0o644)
    (games / "half.jsonl.part").write_text("hal")
    server = await started(tmp_path)
    assert (mode(games), mode(old)) == (0o700, 0o600)
    games.chmod(0o755)
    umask = os.umask(0)
    try:
        table = await played(server, *[await connect_user(server, name) for name in ("Anna", "Ben")])
    finally:
        os.umask(umask)
    assert (mode(games), mode(games / f"{table}.jsonl")) == (0o700, 0o600)
    assert files(tmp_path) == sorted(["old.jsonl", f"{table}.jsonl"])
    await server.close()


async def test_files_that_nobody_knows_count_as_those_of_one_creator(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    for number in range(4):
        path = tmp_path / "games" / f"old{number}.jsonl"
        path.write_text("a game\n")
        os.utime(path, (1000 + number, 1000 + number))
    server = await started(tmp_path, games=GameLimits(files=3))
    table = await played(server, *[await connect_user(server, name) for name in ("Anna", "Ben")])
    assert files(tmp_path) == sorted(["old2.jsonl", "old3.jsonl", f"{table}.jsonl"])
    await server.close()


async def test_a_file_that_somebody_removed_is_no_longer_counted(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal)
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    table = await played(server, *users)
    await server.close()
    (tmp_path / "games" / f"{table}.jsonl").unlink()
    server = await started(tmp_path, journal)
    await core_of(server).background.finish_tasks()
    assert await read_rows(journal, BOOK) == {}
    await server.close()


async def test_a_refused_game_is_written_later(tmp_path: Path) -> None:
    games = tmp_path / "games"
    server = await started(tmp_path, retries=RetryLimits(first_seconds=0.001, longest_seconds=0.001))
    games.write_text("in the way")
    users = [await connect_user(server, name) for name in ("Anna", "Ben")]
    table = await played(server, *users)
    journal = core_of(server).journal
    assert await kept_records(journal, table) != []  # type: ignore[arg-type]
    games.unlink()
    while not games.is_dir() or await kept_records(journal, table):  # type: ignore[arg-type]
        await wait_until_idle()
    assert files(tmp_path) == [f"{table}.jsonl"]
    assert await kept_records(journal, table) == []  # type: ignore[arg-type]
    await server.close()


class NoCreators(MemoryJournal):
    """A journal that refuses to note whose files they are."""

    refused = 0

    async def write(self, changes: object) -> None:
        assert isinstance(changes, list)
        if isinstance(changes[0], Change) and changes[0].book == BOOK:
            self.refused += 1
            raise JournalError("The disk is full.")
        await super().write(changes)


def test_an_unnoted_creator_is_retried_with_back_off(tmp_path: Path) -> None:
    async def main() -> None:
        journal = NoCreators()
        server = toy_server(Settings(data=tmp_path), journal, virtual_time.make_clock())
        await server.start()
        await played(server, *[await connect_user(server, name) for name in ("Anna", "Ben")])
        await asyncio.sleep(3600)
        assert 10 < journal.refused < 100
        await server.close()

    virtual_time.run_virtually(main())


async def export_of(caller: Caller, table: str) -> list[str]:
    """Export a game page by page."""
    lines: list[str] = []
    count = 1
    while len(lines) < count:
        page = await caller.call(m.ExportRequest(table=table, since=len(lines)))
        lines, count = [*lines, *page.lines], page.line_count
    return lines


async def test_every_player_exports_a_kept_game(tmp_path: Path) -> None:
    journal = MemoryJournal()
    server = await started(tmp_path, journal)
    anna, ben, cleo, zoe = [await connect_user(server, name) for name in ("Anna", "Ben", "Cleo", "Zoe")]
    users = (anna, ben, cleo)
    table = await anna.create("heap", 3)
    for user in users:
        await user.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    for user in (anna, cleo):
        await user.call(m.VoteRequest(table=table, against=1))
    assert await code_of(ben, m.ExportRequest(table=table)) == "kicked", "not while it runs"
    await play_beside_a_bot(server, table, anna, cleo)
    whole = await export_of(anna, table)
    assert len(whole) > 2
    for user in users:
        assert await export_of(user, table) == whole
    for user in (cleo, anna):
        await user.call(m.LeaveRequest(table=table))
    await core_of(server).background.finish_tasks()
    await until(lambda: table not in core_of(server).tables)
    for user in users:
        assert await export_of(user, table) == whole
    assert await code_of(zoe, m.ExportRequest(table=table)) == "unknown_table"
    tokens = [user.welcome.token for user in users if user.welcome]
    await server.close()
    again = await started(tmp_path, journal)
    back = [await connect_user(again, token=token) for token in tokens]
    for user in back:
        assert await export_of(user, table) == whole
    (tmp_path / "games" / f"{table}.jsonl").unlink()
    assert await code_of(back[0], m.ExportRequest(table=table)) == "unknown_table"
    await again.close()


async def play_beside_a_bot(server: Server, table: str, *users: Caller) -> None:
    """Continue a game of two users with a bot between them."""
    actor = core_of(server).tables.find_table(table)
    while actor.table.status == "playing":
        await until(lambda: actor.table.pending != [1])
        for user in users:
            seen = await user.call(m.PollRequest(table=table))
            if seen.seat in seen.pending:
                moves = (await user.call(m.MovesRequest(table=table))).moves
                await user.call(m.PlayRequest(table=table, move=moves[0]))
