"""One's own data: all of them in an export, and none of them left where an account was deleted."""

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.background.tasks import RetryLimits
from scoville_server.chat.model.messages import LOBBY, ChatMessage
from scoville_server.daily.model.attempts import Attempt
from scoville_server.journal.backups.copying import back_up
from scoville_server.journal.base import Change, JournalError, StoredUser
from scoville_server.journal.books import LOSABLE, PROTECTING
from scoville_server.journal.sqlite import SqliteJournal
from scoville_server.journal.store import Store
from scoville_server.puzzles.model import PuzzlePlayer, Tried
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_server.tables.digests import Digest
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import (
    ClaimNameRequest,
    DeleteAccountRequest,
    ExportAccountReply,
    ExportAccountRequest,
    IgnoreRequest,
    ReportRequest,
    SaveSettingsRequest,
    SayRequest,
)
from tests.support.idle import wait_until_idle
from tests.support.server import Caller, toy_shelf

SECRET, WHISPER, SAID = "correct horse battery", "the safe is behind the picture", "good evening to all"
ADDRESS = "203.0.113.77"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    cheap = AccountLimits(hashing=Hashing(memory_kib=8, passes=1))
    server = Server(Settings(data=tmp_path / "data", accounts=cheap), toy_shelf())
    await server.start()
    yield server
    await server.close()


async def active_user(server: Server) -> Caller:
    """Return a user who does everything of which something is kept."""
    anna = Caller(server, f"{ADDRESS}:5000")
    anna.peer.secure = True
    await anna.hello("Annegret")
    ben = await Caller(server).hello("Ben")
    await anna.call(ClaimNameRequest(password=SECRET))
    await anna.call(SaveSettingsRequest(client_settings={"theme": "sunset-of-anna"}))
    await anna.call(SayRequest(text=SAID))
    await ben.call(SayRequest(text=WHISPER, to="Annegret"))
    await anna.call(IgnoreRequest(name="Ben"))
    await anna.call(ReportRequest(name="Ben", text="He is rude."))
    return anna


async def test_export_has_everything(server: Server) -> None:
    anna = await active_user(server)
    export: ExportAccountReply = await anna.call(ExportAccountRequest())
    assert export.claimed
    assert export.client_settings == {"theme": "sunset-of-anna"}
    assert {message.text for message in export.messages} == {SAID, WHISPER}
    assert (export.ignored_names, [report.text for report in export.reports]) == (["Ben"], ["He is rude."])


async def test_export_has_no_secret(server: Server) -> None:
    anna = await active_user(server)
    assert anna.welcome is not None
    text = msgspec.json.encode(await anna.call(ExportAccountRequest())).decode()
    for secret in (SECRET, anna.welcome.token, "argon2", ADDRESS):
        assert secret not in text


async def test_export_has_nothing_of_others(server: Server) -> None:
    await active_user(server)
    ben = Caller(server)
    await ben.hello("Berta")
    export: ExportAccountReply = await ben.call(ExportAccountRequest())
    assert (export.messages, export.reports, export.ignored_names) == ([], [], [])


async def test_deleted_account_leaves_only_what_the_page_lists(server: Server, tmp_path: Path) -> None:
    anna = await active_user(server)
    journal = server._services.journal
    user = server._services.sessions.find_by_name("Annegret")
    assert user is not None
    hashed = server._services.users.claims.known_account(user.id).password
    gone = [each.encode() for each in (SECRET, hashed, "sunset-of-anna", ADDRESS)]
    assert isinstance(journal, SqliteJournal)
    await anna.call(DeleteAccountRequest())
    await server._services.background.finish_tasks()  # the last deletions, which nobody waits for
    back_up(tmp_path / "data", tmp_path / "backup")
    await server.close()
    for folder in ("data", "backup"):
        found = {
            (path.name, trace) for path, content in contents(tmp_path / folder) for trace in gone if trace in content
        }
        assert found == set()
    rows = list(rows_with(tmp_path / "data", "Annegret", user.id))
    # docs/accounts.md, Deletion: the name is kept for a while, and what others have of the user.
    assert {book for book, _ in rows} <= {"claims", "names.retired", "reports"}


NAMELESS = {
    "audit.latest": "a number",
    "clock": "a time",
    "clubs.names": "names of clubs",
    "daily.days": "deals",
    "maintenance": "a sentence of an admin",
    "puzzles.days": "puzzles",
    "puzzles.figures": "numbers of a puzzle",
}
"""Books that hold no user, and what they hold instead."""
LASTING = {
    "admins.named": "names from the settings of the host",
    "audit": "what admins did, for as long as the host keeps it",
    "bans": "a ban outlives the account that it is for",
    "games": "who has played a finished game, by the number of the former account alone",
    "names.retired": "nobody may take the name for 30 days",
    "reports": "what others reported, until an admin has resolved it",
    "claims": "a deleted account's look, with names.retired",
    "recoveries": "a code for an hour, with the name of the admin who made it",
}
"""Books that may keep the name of a deleted account, and why (docs/accounts.md, Deletion)."""


async def test_every_book_with_users_is_erased_or_listed(server: Server, tmp_path: Path) -> None:
    """A new book needs a line above, or an act here that writes to it and a deletion that leaves no trace in it."""
    anna = await active_user(server)
    core = server._services
    ben = await Caller(server).hello("Bernd")
    await ben.call(ClaimNameRequest(password=SECRET))
    user = core.sessions.known_user("Annegret")
    for act in (everything_of_clubs, everything_of_games, everything_of_one_alone, everything_of_an_admin):
        await act(server, anna, ben)
    await wait_until_idle()
    await core.background.finish_tasks()
    held = {book for book, _ in rows_with(tmp_path / "data", "Annegret", user.id)}
    exercised = held & (LOSABLE | PROTECTING)
    untried = (LOSABLE | PROTECTING) - exercised - NAMELESS.keys() - LASTING.keys()
    assert untried == set(), "nothing here writes to these books"
    export: ExportAccountReply = await anna.call(ExportAccountRequest())
    assert [field for field in EXPORTED if not getattr(export, field)] == [], "kept, but not exported"
    await anna.call(DeleteAccountRequest())
    await wait_until_idle()
    await core.background.finish_tasks()
    back_up(tmp_path / "data", tmp_path / "backup")
    left = {book for book, _ in rows_with(tmp_path / "data", "Annegret", user.id)} - {"records"}
    assert left <= LASTING.keys()
    assert {book for book, _ in rows_with(tmp_path / "backup", "Annegret", user.id)} - {"records"} <= LASTING.keys()


async def everything_of_clubs(server: Server, anna: Caller, ben: Caller) -> None:
    """Found a club, lead it, invite and ban, and talk there."""
    carl = await Caller(server).hello("Carla")
    await carl.call(ClaimNameRequest(password=SECRET))
    club = (await anna.call(m.CreateClubRequest(name="Peppers"))).info_of_club.club
    await anna.call(m.InviteToClubRequest(club=club, name="Bernd"))
    await ben.call(m.AcceptClubRequest(club=club))
    await anna.call(m.InviteToClubRequest(club=club, name="Carla"))
    await anna.call(m.AddDateRequest(club=club, name="Friday", starts_in_ms=86_400_000))
    await anna.call(m.SayRequest(text="at eight?", club=club))
    dora = await Caller(server).hello("Dorothea")
    await dora.call(ClaimNameRequest(password=SECRET))
    await anna.call(m.BanFromClubRequest(club=club, name="Dorothea"))


async def everything_of_games(server: Server, anna: Caller, ben: Caller) -> None:
    """Play with others, invite, mute, call and enter a tournament, and begin the daily deal."""
    table = (await anna.call(m.CreateRequest(game="high_card", seat_count=2))).info.table
    for user in (anna, ben):
        await user.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    for _ in range(40):
        for user in (anna, ben):
            moves = (await user.call(m.MovesRequest(table=table))).moves
            if moves:
                await user.call(m.PlayRequest(table=table, move=moves[0]))
    await anna.call(m.LeaveRequest(table=table))
    called = m.CallTournamentRequest(
        name="Evening", format="swiss", game="high_card", seat_count=2, starts_in_ms=86_400_000,
        clock=m.ClockParams(move_ms=30_000),
    )  # fmt: skip
    number = (await anna.call(called)).tournament_info.id
    await anna.call(m.EnterTournamentRequest(tournament=number))


async def everything_of_an_admin(server: Server, anna: Caller, _: Caller) -> None:
    """Appoint an admin and a moderator, and warn."""
    core = server._services
    await core.moderation_records.admins.add_admin(core.sessions.known_user("Annegret"), "Otto")
    await anna.call(m.AppointRequest(name="Carla"))
    await anna.call(m.AppointModeratorRequest(name="Bernd"))
    await anna.call(m.WarnUserRequest(name="Bernd", reason="Be kind."))


async def everything_of_one_alone(server: Server, anna: Caller, ben: Caller) -> None:
    """What is kept for one user: calendar, vacation, and by the hand of the test what toy games do not have."""
    core, now = server._services, server._services.time.now_ms()
    user, other = core.sessions.known_user("Annegret"), core.sessions.known_user("Bernd")
    await anna.call(m.OpenCalendarRequest())
    await anna.call(m.BeginVacationRequest(days=3))
    await anna.call(m.EndVacationRequest())
    attempt = Attempt(
        id="a1", day=20_000, deal="20000-0", table=TableId("t1"), user=user.id, name=user.name, claimed=True,
        begun_ms=now, state="unfinished",
    )  # fmt: skip
    await core.daily.attempts.create_attempt(attempt)
    await core.daily.attempts.players.count_day(user.id, 20_000)
    tried = Tried(place=0, before=1500, after=1510, puzzle=1500, ms=now)
    await core.puzzles._players.put_row(user.id, PuzzlePlayer(tried={"p1": tried}))
    digest = Digest(url="https://hooks.example/annegret", signing_key="k", since_ms=now)
    await core.digests._book.put_row(user.id, digest)
    core.users.warnings.warn_user(user, "moderator")
    table = (await ben.call(m.CreateRequest(game="high_card", seat_count=3))).info.table
    await ben.call(m.JoinRequest(table=table))
    await anna.call(m.JoinRequest(table=table))
    await ben.call(m.MuteRequest(table=table, name="Annegret"))
    await ben.call(m.IgnoreRequest(name="Annegret"))
    away = await Caller(server).hello("Egon")
    await away.call(ClaimNameRequest(password=SECRET))
    egon = core.sessions.known_user("Egon").id
    core.invitations._connections = NoUsersHere()  # type: ignore[assignment]
    core.invitations.invite_user(egon, core.tables.find_table(table), "Annegret")
    await anna.call(m.LeaveRequest(table=table))
    assert other.id != user.id


class NoUsersHere:
    """Connections of which none is left, so that an invitation is missed."""

    def is_here(self, _: UserId) -> bool:
        return False


EXPORTED = (
    *("memberships", "tournaments", "past_daily", "daily_days", "past_puzzles", "vacations", "calendar_since_ms"),
    *("digest_url", "warnings", "messages", "recent", "sessions", "ignored_names", "reports", "client_settings"),
)
"""Fields of an export that those acts fill."""


async def test_what_a_full_disk_does_not_delete_is_deleted_later(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, core = await active_user(server), server._services
    ben = await Caller(server).hello("Bernd")
    await ben.call(ClaimNameRequest(password=SECRET))
    for act in (everything_of_games, everything_of_one_alone):
        await act(server, anna, ben)
    books, write = ["calendars", "careers", "client_settings", "digests", "vacations"], core.journal.write
    refused: list[str] = []

    async def refuse_once(changes: Sequence[Change]) -> None:
        for change in changes:
            if change.value is None and change.book in books and change.book not in refused:
                refused.append(change.book)
                raise JournalError("The disk is full.")
        await write(changes)

    user = core.sessions.known_user("Annegret").id
    monkeypatch.setattr(core.journal, "write", refuse_once)
    monkeypatch.setattr(core.background, "_retries", RetryLimits(first_seconds=0.01))
    await anna.call(DeleteAccountRequest())
    await wait_until_idle()
    await core.background.finish_tasks()
    assert sorted(refused) == books
    kept = [core.calendars._list_of(user), *(user in each for each in (core.careers._book, core.digests._book))]
    assert [*kept, user in core.vacations._book, user in core.client_settings._book] == [[], *[False] * 4]


async def test_names_that_a_killed_server_left_in_chat_go_at_the_next_start(server: Server, tmp_path: Path) -> None:
    await active_user(server)
    message = ChatMessage(n=2, channel=LOBBY, at_ms=1, by=UserId("gone"), name="Zelda", text="hello", claimed=True)
    await server._services.chat._book.write_rows({message.key: message})
    await server.close()
    again = Server(Settings(data=tmp_path / "data"), toy_shelf())
    await again.start()
    await wait_until_idle()
    shown = again._services.chat.channels.messages_since(LOBBY)
    assert [(each.name, each.text) for each in shown] == [("Annegret", SAID), ("–", "hello")]
    await again._services.background.finish_tasks()
    await again.close()


async def test_the_club_of_one_who_was_alone_keeps_no_name(server: Server) -> None:
    anna = await active_user(server)
    await anna.call(m.CreateClubRequest(name="Peppers"))
    await anna.call(DeleteAccountRequest())
    await wait_until_idle()
    await server._services.background.finish_tasks()
    [(_, club)] = server._services.clubs.list_clubs()
    assert (club.is_open, club.closed_by) == (False, "–")


async def test_tournaments_keep_no_name_in_reasons_and_of_partners(server: Server, tmp_path: Path) -> None:
    anna, core = await active_user(server), server._services
    ben = await Caller(server).hello("Bernd")
    await ben.call(ClaimNameRequest(password=SECRET))
    called = m.CallTournamentRequest(
        name="Evening", format="duplicate", game="high_card", seat_count=2, starts_in_ms=86_400_000,
        clock=m.ClockParams(move_ms=30_000), team_size=2,
    )  # fmt: skip
    cancelled = (await anna.call(called)).tournament_info.id
    await anna.call(m.CancelTournamentRequest(tournament=cancelled, reason="No time"))
    silent = (await anna.call(called)).tournament_info.id
    await anna.call(m.CancelTournamentRequest(tournament=silent))
    number = (await ben.call(called)).tournament_info.id
    await ben.call(m.EnterTournamentRequest(tournament=number, partners=["annegret"]))
    await anna.call(m.EnterTournamentRequest(tournament=number))
    before = core.tournaments.book.list_tournaments()
    await anna.call(DeleteAccountRequest())
    await wait_until_idle()
    await core.background.finish_tasks()
    after = core.tournaments.book.list_tournaments()
    assert {each.reason for each in after} == {"–: No time", "–", ""}
    assert b"nnegret" not in msgspec.json.encode(after)
    # As if the server had been killed before it wrote the tournaments, and after it had written the account.
    await core.tournaments.book.rows.write_rows({each.id: each for each in before})
    await server.close()
    again = Server(Settings(data=tmp_path / "data"), toy_shelf())
    await again.start()
    again._services.background.begin_tidying()
    await wait_until_idle()
    await again._services.background.finish_tasks()
    assert b"nnegret" not in msgspec.json.encode(again._services.tournaments.book.list_tournaments())
    await again.close()


async def test_ignore_lists_that_a_killed_server_left_go_at_the_next_start(server: Server, tmp_path: Path) -> None:
    anna = await active_user(server)
    dora = await Caller(server).hello("Dora")
    await dora.call(IgnoreRequest(name="Annegret"))
    await dora.call(IgnoreRequest(name="Ben"))
    book = server._services.chat.ignores.book
    before = dict(book.items())
    await anna.call(DeleteAccountRequest())
    await wait_until_idle()
    await server._services.background.finish_tasks()
    assert [kept.name for _, kept in book.items()] == ["Ben"]
    # As if the server had been killed before it wrote the lists, and after it had written the account.
    await book.write_rows(before)
    await server.close()
    again = Server(Settings(data=tmp_path / "data"), toy_shelf())
    await again.start()
    again._services.background.begin_tidying()
    await wait_until_idle()
    await again._services.background.finish_tasks()
    assert [kept.name for _, kept in again._services.chat.ignores.book.items()] == ["Ben"]
    await again.close()


async def test_names_that_a_killed_server_left_in_clubs_go_at_the_next_start(server: Server, tmp_path: Path) -> None:
    anna = await active_user(server)
    ben = await Caller(server).hello("Bernd")
    await ben.call(ClaimNameRequest(password=SECRET))
    await everything_of_clubs(server, anna, ben)
    [(number, before)] = server._services.clubs.list_clubs()
    assert {*before.invited.values()} == {"Annegret"}
    await anna.call(DeleteAccountRequest())
    await server._services.background.finish_tasks()
    # As if the server had been killed before it wrote the club, and after it had written the account.
    await server._services.clubs._book.put_row(number, before)
    await server.close()
    again = Server(Settings(data=tmp_path / "data"), toy_shelf())
    await again.start()
    again._services.background.begin_tidying()
    await wait_until_idle()
    await again._services.background.finish_tasks()
    [(_, club)] = again._services.clubs.list_clubs()
    assert {*club.invited.values(), *(ban.by for ban in club.banned.values())} == {"–"}
    assert [known.leads for known in club.members.values()] == [True], "the member who is left leads"
    await again.close()


def test_quiet_journal_has_no_trace_of_a_deleted_user(tmp_path: Path) -> None:
    store = Store(tmp_path / "data")
    store.load_rows()
    known = StoredUser(user=UserId("u-traceable-id"), name="Annegret")
    store.commit_writes([lambda statements: statements.put_user(known)])
    store.commit_writes([lambda statements: statements.delete_user(known.user)])
    store.fold_log()
    files = dict(contents(tmp_path / "data"))
    assert [path.name for path, content in files.items() if b"Annegret" in content] == []
    store.close()


def contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield every file of a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()


def rows_with(folder: Path, *texts: str) -> Iterator[tuple[str, bytes]]:
    """Yield the rows of the journal in which a text is, by the name of their book or table."""
    import sqlite3

    [path] = folder.rglob("journal.sqlite3")
    with sqlite3.connect(path) as db:
        for table in ("users", "records", "books"):
            for row in db.execute(f"SELECT * FROM {table}"):
                packed = b"\n".join(each if isinstance(each, bytes) else str(each).encode() for each in row)
                if any(text.encode() in packed for text in texts):
                    yield str(row[0]) if table == "books" else table, packed


async def test_names_that_a_killed_server_left_in_appointments_go_at_the_next_start(
    server: Server, tmp_path: Path
) -> None:
    anna = await active_user(server)
    records = server._services.moderation_records
    ben = await Caller(server).hello("Bernd")
    await ben.call(ClaimNameRequest(password=SECRET))
    await records.admins.add_admin(server._services.sessions.known_user("Annegret"), "Otto")
    await anna.call(m.AppointModeratorRequest(name="Bernd"))
    before = dict(records.moderators.appointments.items())
    await anna.call(DeleteAccountRequest())
    await wait_until_idle()
    await server._services.background.finish_tasks()
    assert records.moderators.appointments.list_names() == {"–"}
    # As if the server had been killed before it wrote the appointment, and after it had written the account.
    await records.moderators.appointments.write_rows(before)
    await server.close()
    again = Server(Settings(data=tmp_path / "data"), toy_shelf())
    await again.start()
    again._services.background.begin_tidying()
    await wait_until_idle()
    await again._services.background.finish_tasks()
    assert again._services.moderation_records.moderators.appointments.list_names() == {"–"}
    await again.close()


async def test_names_that_a_killed_server_left_in_careers_go_at_the_next_start(server: Server, tmp_path: Path) -> None:
    anna = await active_user(server)
    ben = await Caller(server).hello("Bernd")
    await ben.call(ClaimNameRequest(password=SECRET))
    await everything_of_games(server, anna, ben)
    await wait_until_idle()
    careers = server._services.careers._book
    before = dict(careers.items())
    assert [past.names for past in before[server._services.sessions.known_user("Bernd").id].recent] == [
        ["Annegret", "Bernd"]
    ]
    await anna.call(DeleteAccountRequest())
    await server._services.background.finish_tasks()
    assert len(careers.keys) == 1
    # As if the server had been killed before it wrote the careers, and after it had written the account.
    await careers.replace_rows(before)
    await server.close()
    again = Server(Settings(data=tmp_path / "data"), toy_shelf())
    await again.start()
    again._services.background.begin_tidying()
    await wait_until_idle()
    await again._services.background.finish_tasks()
    [(_, left)] = again._services.careers._book.items()
    assert [past.names for past in left.recent] == [["–", "Bernd"]]
    await again.close()


async def test_career_outlives_its_name_in_others(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = await active_user(server)
    ben = await Caller(server).hello("Bernd")
    await ben.call(ClaimNameRequest(password=SECRET))
    await everything_of_games(server, anna, ben)
    await wait_until_idle()
    core, replace_rows = server._services, server._services.careers._book.replace_rows
    deleted = core.sessions.known_user("Annegret").id

    async def refuse(values: object) -> None:
        raise JournalError(f"The disk refuses {values}.")

    monkeypatch.setattr(core.careers._book, "replace_rows", refuse)
    await anna.call(DeleteAccountRequest())
    await wait_until_idle()
    assert deleted in core.careers._book, "the next start finds in it where the name is"
    monkeypatch.setattr(core.careers._book, "replace_rows", replace_rows)
