"""Registry of commands: each takes what its function does, and sends what it declares."""

import inspect
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.session.commands.command import AT_TABLE, ONLINE, Command, Context, Misuse, parse_number
from scoville_client.session.commands.registry import (
    COMMANDS,
    command_named,
    context_of,
    explain_command,
    find_command,
    help_line,
    is_offered,
    place_of_name,
)
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.session import Session
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    AdminClubInfo,
    ClubDate,
    ClubInfo,
    ClubReply,
    ClubsReply,
    ClubsRequest,
    CompareDailyReply,
    CompareDailyRequest,
    CreateClubRequest,
    DailyDeal,
    DailyResult,
    EnterReply,
    EnterRequest,
    ListClubsReply,
    ListClubsRequest,
    ListTournamentsReply,
    ListTournamentsRequest,
    LobbySnapshot,
    Params,
    ShowClubRequest,
    ShowClubToAdminRequest,
    ShowDailyReply,
    ShowDailyRequest,
    TableClock,
    TournamentInfo,
    UserInfo,
    WatchLobbyRequest,
)
from scoville_shared.protocol.messages.tables import ListTablesReply, ListTablesRequest
from tests.support.client import TABLE, ScriptedLink, make_info, make_snapshot

SAMPLES = {
    "NAME": "Paul",
    "DAYS": "7",
    "ADDRESS": "https://hooks.example/a",
    "[DAYS]": "7",
    "[MOVE if FIELD=VALUE; ...]": "stop",
    "[NAME]": "Paul",
    "[text]": "text",
    "from NAME": "from Paul",
    "NAME, yes or no": "Paul",
    "NAME or address=ADDRESS or key=KEY": "Paul",
    "[chat or tables] [30m, 12h or 7d] [REASON]": "chat 7d spam",
    "TEXT": "hello",
    "[REASON]": "rude",
    "[NOTE]": "done",
    "REASON": "insult",
    "TIME [weekly] NAME": "20:30 weekly Friday night",
    "NUMBER": "#7",
    "[NUMBER]": "1",
    "[PARTNERS]": "Ben, Chloe",
    "[ascii]": "ascii",
    "TABLE": TABLE,
    "GAME": "dicht_dran",
    "[GAME]": "dicht_dran",
    "[GAME] [PLAYERS] [OPTION=VALUE ...] [private] [...]": "dicht_dran 3 private",
    "[lobby or whispers] [NUMBER]": "lobby 5",
    "REACTION": "thanks",
    "ID": "all",
    "[CODE]": "k7t q2x",
    "CODE": "brave-otter",
    "[PASSWORD]": "secret",
    "KEY": "k7f2",
    "FORMAT GAME [PLAYERS] [at=20:30] [rounds=4] [minutes=45] [teams=2] [name=...]": "swiss dicht_dran 3 name=Friday",
    "[CLUB]": "Peppers",
    "CLUB": "Peppers",
    "on or off": "on",
}
"""What is typed for each argument."""


RESULT = DailyResult(id="r", name="Paul", score=3, place=1, scores=[3, 2], places=[1, 2])
DAILY = ShowDailyReply(
    today=20_000,
    next_in_ms=1,
    deals=[
        DailyDeal(
            day=20_000,
            date="2024-10-04",
            deal="daily-2024-10-04-1",
            game="dicht_dran",
            options={},
            levels=[None, "easy"],
            your_seat=0,
            commitment="0" * 64,
            state="finished",
            your_result=RESULT,
        )
    ],
    streak=1,
    best_streak=1,
    free_days_left=2,
    upcoming=[],
)


TOURNAMENT = TournamentInfo(
    id="7f03a1c2",
    name="Friday",
    format="swiss",
    game="dicht_dran",
    options={},
    seat_count=3,
    level="sensible",
    clock=TableClock(move_ms=30_000),
    stage="running",
    director="Anna",
    starts_ms=1_764_500_400_000,
    your_table=TABLE,
)


class FrontEnd:
    """A front end without a screen, on a server that records requests."""

    mark = "/"

    def __init__(self) -> None:
        self.session = Session()
        self.link = ScriptedLink()
        self.numbered: list[str] = []
        self.whispers = ""
        users = [UserInfo(name="Anna", admin=True), UserInfo(name="Paul"), UserInfo(name="Paul 2")]
        mine = replace(make_info(), your_seat=0, your_turn=True)
        other = replace(mine, table="other")
        club = ClubInfo(club="3f9a0c51", club_name="Peppers", member_count=1, leads=True, calls=True)
        date = ClubDate(date_id="5b21c07e", name="Friday", club=club.club, club_name="Peppers", starts_ms=1)
        reply = ClubReply(info_of_club=club, members=[], club_dates=[date] * 7)
        listed = AdminClubInfo(club=club.club, club_name="Peppers", member_count=1, leader_names=["Anna"], since_ms=1)
        invitation = replace(club, club="3f9a0c52", invited_by="Paul")
        self.link.answers |= {
            ListClubsRequest: ListClubsReply(clubs=[club, invitation]),
            ShowClubRequest: reply,
            ClubsRequest: ClubsReply(clubs_of_server=[listed] * 7),
            ShowClubToAdminRequest: reply,
            CreateClubRequest: reply,
        }
        self.link.answers |= {
            WatchLobbyRequest: LobbySnapshot(tables=[mine, other], users=users, online=3),
            ListTablesRequest: ListTablesReply(tables=[mine, other]),
            EnterRequest: EnterReply(info=make_info()),
            ShowDailyRequest: DAILY,
            ListTournamentsRequest: ListTournamentsReply(tournaments=[TOURNAMENT] * 7),
            CompareDailyRequest: CompareDailyReply(daily_deal=DAILY.deals[0], results=[RESULT] * 7),
        }

    def make_invitation(self) -> Invitation:
        return Invitation(())

    async def ask_password(self, question: str) -> str:
        raise Misuse(question)

    def open_whispers(self, name: str) -> None:
        self.whispers = name

    async def type(self, command: Command, typed: str) -> set[type[Params]]:
        """Run a command; returns the requests that it has sent."""
        before = len(self.link.asked)
        with suppress(ScovilleError, Misuse, AssertionError):  # this server answers most requests with nothing
            await command.run_typed(self, typed)
        return {type(asked) for asked in self.link.asked[before:]}


async def front_end(*, at_table: bool) -> FrontEnd:
    front = FrontEnd()
    await front.session.connect(front.link)
    await front.session.lobby.watch_lobby()
    if at_table:
        await front.session.join_table(TABLE)
        assert front.session.table is not None
        front.session.table.notes.next = TABLE
    return front


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join((command.names[0], command.contexts[0])))
def test_each_command_takes_its_arguments(command: Command) -> None:
    _, *parameters = inspect.signature(command.run).parameters.values()
    required = [each for each in parameters if each.default is inspect.Parameter.empty]
    assert len(required) <= len(command.takes) == len(parameters)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join((command.names[0], command.contexts[0])))
async def test_each_command_sends_what_it_declares(command: Command) -> None:
    typed = " ".join(SAMPLES[argument.label] for argument in command.takes)
    needed = " ".join(SAMPLES[argument.label] for argument in command.takes if argument.missing is not None)
    sent: set[type[Params]] = set()
    for text in (typed, needed):
        for spectates in (False, True):
            front = await front_end(at_table="lobby" not in command.contexts or "finished" in command.contexts)
            front.session.lobby.watched = False
            at = front.session.table
            if spectates and at is not None:
                at.seat, at.key, at.notes.next = None, "k7f2", None
            sent |= await front.type(command, text)
    assert set(command.sends) <= sent


def test_names_are_unique_in_every_context() -> None:
    meanings = [(name, context) for command in COMMANDS for name in command.names for context in command.contexts]
    assert len(meanings) == len(set(meanings))


@pytest.mark.parametrize(
    ("typed", "context", "admin", "name", "rest"),
    [
        ("say hello  there", "lobby", False, "say", "hello  there"),
        ("W Paul hi", "lobby", False, "whisper", "Paul hi"),
        ("admin ban Paul 7d", "lobby", False, "admin ban", "Paul 7d"),
        ("ban Paul 7d", "lobby", True, "admin ban", "Paul 7d"),
        ("kick Paul", "lobby", True, "admin kick", "Paul"),
        ("kick Paul", "waiting", True, "kick", "Paul"),
        ("admin kick Paul", "waiting", True, "admin kick", "Paul"),
        ("users", "lobby", True, "users", ""),
        ("admin", "lobby", False, "admin", ""),
    ],
)
def test_admins_may_leave_out_the_first_word(typed: str, context: Context, admin: bool, name: str, rest: str) -> None:
    found = find_command(typed, context, admin=admin)
    assert found is not None
    assert (found[0].names[0], found[1]) == (name, rest)


def test_other_users_have_no_short_admin_commands() -> None:
    assert find_command("ban Paul", "lobby") is None


async def test_admin_commands_are_offered_to_admins_only() -> None:
    front = await front_end(at_table=False)
    ban = command_named("admin ban")
    assert is_offered(ban, front.session)
    front.session.lobby.users["Anna"] = UserInfo(name="Anna")
    assert not is_offered(ban, front.session)


async def test_moderators_are_offered_what_they_may_do() -> None:
    front = await front_end(at_table=False)
    for user, may in ((UserInfo(name="Anna", moderator=True), True), (UserInfo(name="Anna"), False)):
        front.session.lobby.users["Anna"] = user
        assert is_offered(command_named("admin warn"), front.session) == may
        assert not is_offered(command_named("admin ban"), front.session)


async def test_the_context_follows_the_table() -> None:
    front = await front_end(at_table=False)
    assert context_of(front.session) == "lobby"
    await front.session.join_table(TABLE)
    assert context_of(front.session) == make_snapshot().info.status
    await front.session.close()
    assert context_of(front.session) == "menu"


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("whisper", "", r"The name is missing\. Type /whisper NAME TEXT"),
        ("report", "Paul", r"The text is missing\. Type /report NAME TEXT"),
        ("admin unban", "Paul", "'Paul' is not a number"),
        ("admin unban", "", r"The number is missing\. Type /admin unban NUMBER"),
        ("look", "Paul", "Type look from and a name"),
        ("host", "Zoe", r"No player called Zoe is at this table; type /who\."),
        ("react", "x", "Type /react and one of: "),
    ],
)
async def test_wrong_arguments_are_explained(name: str, typed: str, sentence: str) -> None:
    front = await front_end(at_table=True)
    with pytest.raises(Misuse, match=sentence):
        await command_named(name).run_typed(front, typed)


async def test_a_whisper_shows_its_conversation() -> None:
    front = await front_end(at_table=False)
    await command_named("whisper").run_typed(front, "paul 2")
    assert front.whispers == "Paul 2"


def test_help_names_the_command_and_its_arguments() -> None:
    assert help_line(command_named("whisper"), "/") == "/whisper or /w NAME TEXT: Send a private message to a user."
    assert explain_command("kick", "lobby", COMMANDS) == [
        "kick NAME [REASON]: Kick a user from this table for good.",
        "Only the host can do this.",
        "This command does not work here.",
    ]
    with pytest.raises(Misuse, match="There is no command 'dance'"):
        explain_command("dance", "lobby", COMMANDS)


@pytest.mark.parametrize(
    ("name", "last"), [("digest", "See also: digest set, digest try, digest clear."), ("digest set", None)]
)
def test_help_names_the_commands_that_begin_with_it(name: str, last: str | None) -> None:
    assert ([line for line in explain_command(name, "lobby", COMMANDS) if line.startswith("See also")] or [None]) == [
        last
    ]


def test_names_are_completed_after_commands_that_take_one() -> None:
    place = place_of_name(mark="/")
    assert [place(text) is not None for text in ("/w Pa", "/admin kick Pa", "/say Pa", "/admin unban 1")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("word", ["", "-1", "one", "9" * 10, "٣"])
def test_only_short_whole_numbers_are_numbers(word: str) -> None:
    with pytest.raises(Misuse):
        parse_number(word)


def test_contexts_begin_online() -> None:
    contexts: set[Any] = {context for command in COMMANDS for context in command.contexts}
    assert contexts <= {*ONLINE, *AT_TABLE}
