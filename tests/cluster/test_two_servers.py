"""What two servers that both serve do to each other on one journal and one bus."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_server.accounts import presence
from scoville_server.journal.files.generations import AUDIT, GAMES
from scoville_server.journal.memory import MemoryJournal
from scoville_server.moderation.audit_file import AuditFile
from scoville_server.players.model.career import FEWEST_OPPONENTS, Career, Opponent
from scoville_server.players.model.rating import Skill
from scoville_server.tables.archive.game_folder import GameFolder
from scoville_shared.errors import Code
from scoville_shared.ids import TableId, UserId
from scoville_shared.protocol import messages as m
from tests.cluster.pair import TwoServers, begun_game, outcome_of, play_first_move, taken_over_game
from tests.support.accounts import ed25519_keys
from tests.support.core import SSH, connect_hosted
from tests.support.server import Caller, core_of
from tests.support.virtual_time import in_virtual_time

PASSWORD = "a very long password"


@in_virtual_time
async def test_user_has_one_connection_at_two_servers() -> None:
    two, _, anna, _, anna_at_b = await taken_over_game()
    await asyncio.sleep(2)
    assert anna.peer.closed
    assert anna.peer.bye is not None
    assert anna.peer.bye.code == Code.TAKEN_OVER
    assert not anna_at_b.peer.closed
    anna.hang_up()
    assert not core_of(two.a).sessions.known_user("Anna").is_here
    # And back, whichever node's name comes later.
    assert anna_at_b.welcome is not None
    again = await Caller(two.a).hello("Anna", anna_at_b.welcome.token)
    await asyncio.sleep(2)
    assert (again.peer.closed, anna_at_b.peer.closed) == (False, True)


@in_virtual_time
async def test_of_two_connections_at_one_moment_one_stays() -> None:
    two = TwoServers()
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    vera.hang_up()
    assert vera.welcome is not None
    two.wire.seconds = 0.001
    tokens = [
        vera.welcome.token,
        core_of(two.b).users.new_session(core_of(two.b).sessions.known_user("Vera"), "", "guest")[0],
    ]
    both = [await Caller(server).hello("Vera", token) for server, token in zip((two.a, two.b), tokens, strict=True)]
    await asyncio.sleep(1)
    assert [caller.peer.closed for caller in both] == [True, False]


async def vera_at_both() -> tuple[TwoServers, Caller, str]:
    """Vera, who is connected to `a`, and a token of another session of hers for `b`."""
    two = TwoServers()
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    there = core_of(two.b)
    return two, vera, there.users.new_session(there.sessions.known_user("Vera"), "", "guest")[0]


@in_virtual_time
async def test_of_two_connections_made_in_a_gap_one_stays() -> None:
    two, vera, token = await vera_at_both()
    two.wire.is_cut = True
    at_b = await Caller(two.b).hello("Vera", token)
    await asyncio.sleep(1)
    assert not vera.peer.closed
    two.end_gap()
    await asyncio.sleep(1)
    assert (vera.peer.closed, at_b.peer.closed) == (True, False)


@in_virtual_time
async def test_user_who_came_and_left_in_a_gap_is_still_connected_to_the_other_server() -> None:
    two, _, token = await vera_at_both()
    two.wire.is_cut = True
    for _ in range(2):
        at_b = await Caller(two.b).hello("Vera", token)
        assert at_b.welcome is not None
        token = at_b.welcome.token
        at_b.hang_up()
    two.end_gap()
    await asyncio.sleep(1)
    assert core_of(two.b).sessions.known_user("Vera").elsewhere == "a"


@in_virtual_time
async def test_connection_that_is_closing_takes_no_newer_one_over() -> None:
    two = TwoServers()
    await two.start_a()
    vera = await Caller(await two.start_b()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    assert vera.welcome is not None
    at_a = await Caller(two.a).hello("Vera", vera.welcome.token)
    await asyncio.sleep(1)
    assert vera.peer.closed
    # Its client does not answer, so it is not released yet, and listed.
    two.end_gap()
    await asyncio.sleep(1)
    assert not at_a.peer.closed
    vera.hang_up()
    users = [core_of(server).sessions.known_user("Vera") for server in (two.a, two.b)]
    assert [(user.is_here, user.elsewhere) for user in users] == [(True, ""), (False, "a")]


@in_virtual_time
async def test_user_who_left_in_a_gap_is_connected_nowhere() -> None:
    two, vera, _ = await vera_at_both()
    two.wire.is_cut = True
    vera.hang_up()
    user = core_of(two.b).sessions.known_user("Vera")
    assert user.elsewhere == "a"
    two.end_gap()
    assert user.elsewhere == ""


@in_virtual_time
async def test_lists_of_many_visits_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "_PORTION", 2)
    two = TwoServers()
    await two.start_a()
    callers = [await Caller(two.a).hello(f"Guest{number}") for number in range(5)]
    for caller in callers:
        await caller.call(m.SayRequest(text="hi"))
    await two.start_b()
    users = [core_of(two.b).sessions.known_user(f"Guest{number}") for number in range(5)]
    assert [user.elsewhere for user in users] == ["a"] * 5
    two.wire.is_cut = True
    callers[0].hang_up()
    callers[4].hang_up()
    two.end_gap()
    assert [user.elsewhere for user in users] == ["", "a", "a", "a", ""]


@in_virtual_time
async def test_guest_connected_elsewhere_makes_room_when_that_node_is_gone() -> None:
    two = TwoServers(guests=2)
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    there = core_of(two.b).sessions
    assert there.known_user("Vera").elsewhere == "a"
    await Caller(two.b).hello("Guest")
    assert await outcome_of(Caller(two.b).hello("Other")) == Code.TOO_MANY
    there.is_running = lambda node: node == "b"
    assert await outcome_of(Caller(two.b).hello("Other")) == "ok"
    assert there.find_by_name("Vera") is None


async def two_of_one_name(two: TwoServers) -> list[Caller]:
    """Return guests to whom both servers have given one name, while neither heard of the other."""
    two.wire.is_cut = True
    guests = [await Caller(server).hello("Zoe") for server in (two.a, two.b)]
    two.end_gap()
    assert [guest.welcome and guest.welcome.name for guest in guests] == ["Zoe", "Zoe"]
    return guests


@in_virtual_time
async def test_name_has_one_owner() -> None:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    guests = await two_of_one_name(two)
    claims = [await outcome_of(guest.call(m.ClaimNameRequest(password=PASSWORD))) for guest in guests]
    assert claims == ["ok", Code.NAME_CLAIMED]


@in_virtual_time
async def test_name_that_two_servers_give_at_once_has_one_owner() -> None:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    guests = await two_of_one_name(two)
    claims = await asyncio.gather(*(outcome_of(guest.call(m.ClaimNameRequest(password=PASSWORD))) for guest in guests))
    assert sorted(claims) == [Code.NAME_CLAIMED, "ok"]
    assert len(two.journal._books["accounts"]) == 1


@in_virtual_time
async def test_name_claimed_elsewhere_is_nobody_else_s() -> None:
    two = TwoServers()
    anna = await Caller(await two.start_a()).hello("Anna")
    await two.start_b()
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    other = await Caller(two.b).hello("Anna")
    assert other.welcome is not None
    assert (other.welcome.name != "Anna", other.welcome.name_claimed) == (True, True)
    assert (await other.call(m.LoginRequest(name="Anna", password=PASSWORD))).name == "Anna"


@in_virtual_time
async def test_messages_of_two_servers_are_kept() -> None:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    zoe, yan = await Caller(two.a).hello("Zoe"), await Caller(two.b).hello("Yan")
    for guest in (zoe, yan):
        await guest.call(m.WatchLobbyRequest())
    for guest in (zoe, yan):
        await guest.call(m.SayRequest(text="one after the other"))
    texts = ("both", "at", "once")
    said = await asyncio.gather(*(guest.call(m.SayRequest(text=text)) for text in texts for guest in (zoe, yan)))
    assert sorted(reply.message.number for reply in said) == [*range(3, 9)]
    assert len(two.journal._books["chat"]) == 8
    await asyncio.sleep(1)
    for guest, other in ((zoe, "Yan"), (yan, "Zoe")):
        heard = [notice for notice in guest.peer.heard if isinstance(notice, m.SaidNotice)]
        numbers = [said.message.number for said in heard]
        assert numbers == sorted(set(numbers))
        assert [said.message.name for said in heard] == [other] * 4
    kept = [core_of(server).chat.channels.messages_since("lobby") for server in (two.a, two.b)]
    assert kept[0] == kept[1]
    assert [message.n for message in kept[0]] == [*range(1, 9)]


@in_virtual_time
async def test_messages_deleted_at_one_server_are_gone_at_the_other() -> None:
    two = TwoServers()
    zoe = await Caller(await two.start_a()).hello("Zoe")
    await two.start_b()
    for n in range(3):
        await zoe.call(m.SayRequest(text=f"{n}"))
        await asyncio.sleep(1)
    chats = [core_of(server).chat for server in (two.a, two.b)]
    latest = chats[1].channels.messages_since("lobby")[-1].at_ms
    chats[0].delete_older(latest)
    await asyncio.sleep(1)
    assert [[message.n for message in chat.channels.messages_since("lobby")] for chat in chats] == [[3], [3]]
    chats[0].delete_older(latest + 1)
    await asyncio.sleep(1)
    assert [chat.channels.messages_since("lobby") for chat in chats] == [[], []]
    yan = await Caller(two.b).hello("Yan")
    assert (await yan.call(m.SayRequest(text="next"))).message.number == 4


@in_virtual_time
async def test_ban_binds_at_every_server() -> None:
    two = TwoServers(admins=("Carla",))
    await two.start_a()
    await two.start_b()
    carla = await Caller(two.a).hello("Carla")
    await carla.call(m.ClaimNameRequest(password=PASSWORD))
    await carla.call(m.BecomeAdminRequest(code=two.a.admin_codes["Carla"]))
    here = await Caller(two.b).hello("Troll")
    await carla.call(m.BanRequest(kind="name", target="Troll", scope="server", reason="spam"))
    await asyncio.sleep(1)
    assert here.peer.closed
    assert await outcome_of(Caller(two.b).hello("Troll")) == Code.BANNED


@in_virtual_time
async def test_used_token_is_noticed_at_every_server() -> None:
    two, _, anna, _, anna_at_b = await taken_over_game()
    assert anna.welcome is not None
    assert anna_at_b.welcome is not None
    await Caller(two.b).hello("Anna", anna_at_b.welcome.token)
    again = await Caller(two.a).hello("Anna", anna.welcome.token)
    assert again.welcome is not None
    assert again.welcome.token_reused


@in_virtual_time
async def test_session_ended_at_one_server_closes_the_connection_at_the_other() -> None:
    two, _, _, _, anna_at_b = await taken_over_game()
    user = core_of(two.a).sessions.known_user("Anna")
    await core_of(two.a).users.end_sessions(user, [key for key, _ in core_of(two.a).users.tokens.sessions_of(user.id)])
    assert anna_at_b.peer.bye is not None
    assert anna_at_b.peer.bye.code == Code.REVOKED


@in_virtual_time
async def test_leaderboard_is_the_same_at_every_server() -> None:
    two = TwoServers()
    anna = await Caller(await two.start_a()).hello("Anna")
    await two.start_b()
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    user = core_of(two.a).sessions.known_user("Anna").id
    met = tuple(Opponent(UserId(f"u{n}"), n, 0, 1) for n in range(FEWEST_OPPONENTS))
    career = Career(since_ms=0, skills={"high_card": Skill(30.0, 2.0, 50)}, opponents={"high_card": met})
    await core_of(two.a).careers._book.replace_rows({user: career})
    leaders = [core_of(server).careers.list_leaders("high_card") for server in (two.a, two.b)]
    assert [[leader.name for leader in each] for each in leaders] == [["Anna"], ["Anna"]]


@in_virtual_time
async def test_ignores_and_mutes_hold_at_every_server() -> None:
    two = TwoServers()
    here, there = core_of(await two.start_a()).chat, core_of(await two.start_b()).chat
    table, anna, ben = TableId("t1"), UserId("anna"), UserId("ben")
    await here.ignores.add_ignored(anna, ben, "Ben")
    await here.mutes.mute_user(table, ben)
    assert not there.ignores.receives_from(anna, ben)
    assert there.mutes.is_muted(table, ben)
    await there.ignores.remove_ignored(anna, ben)
    await there.mutes.unmute_user(table, ben)
    assert here.ignores.receives_from(anna, ben)
    assert not here.mutes.is_muted(table, ben)


@in_virtual_time
async def test_warning_given_at_one_server_is_sent_at_the_other() -> None:
    two, _, anna, _, anna_at_b = await taken_over_game()
    anna.hang_up()
    core_of(two.a).users.warnings.warn_for(core_of(two.a).sessions.known_user("Anna"), "Be kind.")
    await asyncio.sleep(1)
    assert [notice.warning.reason for notice in anna_at_b.peer.heard if isinstance(notice, m.AccountWarnedNotice)] == [
        "Be kind."
    ]


@in_virtual_time
async def test_user_stored_at_one_server_returns_at_the_other() -> None:
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    vera = await Caller(two.a).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    vera.hang_up()
    await asyncio.sleep(1)
    assert vera.welcome is not None
    at_b = await Caller(two.b).hello("", vera.welcome.token)
    assert at_b.welcome is not None
    assert (at_b.welcome.name, at_b.welcome.resumed) == ("Vera", True)


@in_virtual_time
async def test_seat_of_a_lapsed_player_is_known_at_every_server() -> None:
    two = TwoServers()
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    here, there = (core_of(server).sessions.known_user("Vera") for server in (two.a, two.b))
    here.lapsed.add(TableId("t1"))
    await core_of(two.a).users.write_user(here)
    assert there.lapsed == {"t1"}
    # Both change something before either hears of the other: nobody goes back to what they wrote earlier.
    there.lapsed.add(TableId("t2"))
    here.lapsed.clear()
    await core_of(two.a).users.write_user(here)
    assert there.lapsed == {"t1", "t2"}
    await core_of(two.b).users.write_user(there)
    assert here.lapsed == {"t1", "t2"}


@in_virtual_time
async def test_user_forgotten_at_one_server_is_forgotten_at_the_other() -> None:
    two = TwoServers()
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    vera.hang_up()
    await two.start_b()
    core_of(two.a).sessions.forget_user(core_of(two.a).sessions.known_user("Vera"))
    await asyncio.sleep(1)
    assert [core_of(server).sessions.find_by_name("Vera") for server in (two.a, two.b)] == [None, None]
    assert not two.journal._users
    assert not two.journal._books["sessions"]


@pytest.mark.parametrize("leaves_late", [True, False])
@in_virtual_time
async def test_account_deleted_at_one_server_is_gone_at_the_other(leaves_late: bool) -> None:
    two = TwoServers()
    anna = await Caller(await two.start_a()).hello("Anna")
    await anna.call(m.ClaimNameRequest(password=PASSWORD))
    await two.start_b()
    assert anna.welcome is not None
    there = await Caller(two.b).hello("Anna", anna.welcome.token)
    if not leaves_late:
        anna.hang_up()
    await there.call(m.ConfirmRequest(password=PASSWORD))
    await there.call(m.DeleteAccountRequest())
    await asyncio.sleep(1)
    anna.hang_up()
    await asyncio.sleep(1)
    assert core_of(two.a).sessions.find_by_name("Anna") is None


@in_virtual_time
async def test_account_deleted_at_one_server_leaves_its_name_in_no_results_of_the_other() -> None:
    two = TwoServers()
    anna, ben = [await Caller(await two.start_a()).hello("Annegret"), await Caller(two.a).hello("Ben")]
    for user in (anna, ben):
        await user.call(m.ClaimNameRequest(password=PASSWORD))
    table = await anna.create("high_card", 2)
    for user in (anna, ben):
        await user.call(m.JoinRequest(table=table))
    await anna.call(m.StartRequest(table=table))
    for _ in range(10):
        for user in (anna, ben):
            if moves := (await user.call(m.MovesRequest(table=table))).moves:
                await user.call(m.PlayRequest(table=table, move=moves[0]))
    await anna.call(m.LeaveRequest(table=table))
    club = (await ben.call(m.CreateClubRequest(name="Peppers"))).info_of_club.club
    await ben.call(m.InviteToClubRequest(club=club, name="Annegret"))
    await anna.call(m.AcceptClubRequest(club=club))
    called = m.CallTournamentRequest(
        name="Evening", format="swiss", game="high_card", seat_count=2, starts_in_ms=86_400_000,
        clock=m.ClockParams(move_ms=30_000),
    )  # fmt: skip
    number = (await anna.call(called)).tournament_info.id
    await anna.call(m.EnterTournamentRequest(tournament=number))
    await two.start_b()
    assert anna.welcome is not None
    there = await Caller(two.b).hello("Annegret", anna.welcome.token)
    await there.call(m.ConfirmRequest(password=PASSWORD))
    await there.call(m.DeleteAccountRequest())
    await asyncio.sleep(5)
    for server in (two.a, two.b):
        core = core_of(server)
        [past] = core.careers.describe_user(core.sessions.known_user("Ben")).recent
        assert sorted(past.names) == ["Ben", "–"]
        assert core.tournaments.book.find_tournament(number).director_name == ""
        assert core.tournaments.book.find_tournament(number).entrants == ()
        assert len(core.clubs.list_members(club)) == 1
    kept = {book for book, rows in two.journal._books.items() if any(b"nnegret" in row.value for row in rows.values())}
    assert kept <= {"names.retired", "claims"}


@pytest.mark.parametrize("comes_later", [True, False])
@in_virtual_time
async def test_invitation_reaches_a_user_at_the_other_server(comes_later: bool) -> None:
    two = TwoServers()
    anna, vera = await Caller(await two.start_a()).hello("Anna"), await Caller(two.a).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    vera.hang_up()
    table = await anna.create("high_card", 2)
    await anna.call(m.JoinRequest(table=table))
    await two.start_b()
    assert vera.welcome is not None
    at_b = None if comes_later else await Caller(two.b).hello("", vera.welcome.token)
    await anna.call(m.InviteRequest(table=table, name="Vera"))
    await asyncio.sleep(1)
    at_b = at_b or await Caller(two.b).hello("", vera.welcome.token)
    await asyncio.sleep(1)
    invited = [notice for notice in at_b.peer.heard if isinstance(notice, m.InvitedNotice)]
    assert [(notice.info.table, notice.by) for notice in invited] == [(table, "Anna")]
    assert not two.journal._books.get("invitations.missed")
    await at_b.call(m.PingRequest())
    at_b.hang_up()
    again = await Caller(two.a).hello("", at_b.welcome.token)
    assert not [notice for notice in again.peer.heard if isinstance(notice, m.InvitedNotice)]


@in_virtual_time
async def test_new_guest_stays_new_at_every_server() -> None:
    two = TwoServers()
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    ben = await Caller(two.a).hello("Ben")
    await asyncio.sleep(100)
    await ben.call(m.SayRequest(text="hi"))
    await asyncio.sleep(1)

    def standings() -> list[int]:
        everybody = [core_of(server).sessions for server in (two.a, two.b)]
        return [each.standing_of(each.known_user(name)) for each in everybody for name in ("Vera", "Ben")]

    assert standings() == [0] * 4
    await asyncio.sleep(498)
    assert standings() == [1, 0, 1, 0], "Vera came a second before Ben"
    await asyncio.sleep(2)
    assert standings() == [1] * 4


@in_virtual_time
async def test_connected_guest_makes_no_room_elsewhere() -> None:
    two = TwoServers(guests=2)
    vera = await Caller(await two.start_a()).hello("Vera")
    await vera.call(m.SayRequest(text="hi"))
    await two.start_b()
    for number in range(3):
        await outcome_of(Caller(two.b).hello(f"Guest{number}"))
    await asyncio.sleep(1)
    assert "Vera" in [user.name for user in two.journal._users.values()]


@in_virtual_time
async def test_default_table_takes_users_of_both_servers() -> None:
    two = TwoServers(default_tables=("high_card",))
    await two.start_a()
    await two.start_b()
    tried: list[str] = []
    for server, name in ((two.a, "Anna"), (two.b, "Ben")):
        guest = await Caller(server).hello(name)
        tried.append(await outcome_of(guest.call(m.QuickMatchRequest(game="high_card"))))
    assert tried == ["ok", "ok"]


class JournalWithStores(MemoryJournal):
    """Keeps finished games and the audit log for all its nodes, as journals of several nodes do."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.games = GameFolder(folder / GAMES)
        self.audit = AuditFile(folder / AUDIT)


@in_virtual_time
async def test_start_elsewhere_leaves_archived_games(tmp_path: Path) -> None:
    two = TwoServers()
    two.journal = JournalWithStores(tmp_path)
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    table, anna, ben = await begun_game(await two.start_server(data=folders[0]))
    for _ in range(3):
        for user in (anna, ben):
            await play_first_move(table, user)
    for user in (anna, ben):
        await user.call(m.LeaveRequest(table=table))
    await asyncio.sleep(1)
    archived = [*two.journal._books["games"]]
    assert len(archived) == 1
    two.b = await two.start_server(data=folders[1])
    assert [*two.journal._books["games"]] == archived
    assert anna.welcome is not None
    at_b = await Caller(two.b).hello("", anna.welcome.token)
    assert (await at_b.call(m.ExportRequest(table=table))).lines


@in_virtual_time
async def test_guest_with_a_key_who_comes_to_another_node_stays_there() -> None:
    """Their new session replaces the former one, whose end the former node follows."""
    two = TwoServers()
    await two.start_a()
    await two.start_b()
    door = replace(SSH, key=ed25519_keys().line)
    anna = await connect_hosted(two.a, door, "Anna")
    await anna.call(m.JoinRequest(table=await anna.create()))
    await asyncio.sleep(1)
    anna.hang_up()
    again = await connect_hosted(two.b, door)
    assert again.welcome is not None
    assert again.welcome.resumed
    await asyncio.sleep(1)
    assert not again.peer.closed
