"""Slash commands in the chat: their requests, and errors for wrong input."""

import pytest

from scoville_client.session.changes import Change
from scoville_client.session.chat_channels import LOBBY, WHISPERS
from scoville_client.session.commands.admin import seconds_in
from scoville_client.session.commands.command import Misuse, split_name
from scoville_client.session.commands.registry import SlashCommands, is_command
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.session import Session
from scoville_shared.protocol.messages import (
    AdminUserInfo,
    AnnounceRequest,
    AppointRequest,
    AuditEntry,
    AuditReply,
    BanInfo,
    BanReply,
    BanRequest,
    BansReply,
    BeginVacationRequest,
    CloseTableRequest,
    IgnoredReply,
    IgnoredRequest,
    IgnoreRequest,
    KickUserRequest,
    LobbySnapshot,
    MessageInfo,
    MuteRequest,
    Params,
    ReadChatReply,
    ReadChatRequest,
    RecoverAccountReply,
    RecoverAccountRequest,
    ReportInfo,
    ReportRequest,
    ReportsReply,
    ResolveReportRequest,
    SaidNotice,
    SayReply,
    SayRequest,
    ShowVacationRequest,
    UnbanRequest,
    UserInfo,
    UsersReply,
    VacationReply,
    WatchLobbyRequest,
)
from scoville_shared.protocol.messages.admin import AuditRequest, BansRequest, ReportsRequest, UsersRequest
from tests.support.client import TABLE, ScriptedLink

BAN = BanInfo(id=7, kind="name", target="Ben", scope="chat", reason="spam", by="Anna", since_ms=0, until_ms=None)
REPORT = ReportInfo(id=3, at_ms=0, by="Max", name="Ben", table=TABLE, text="rude", context=["Ben: ha"])
PERSON = AdminUserInfo(name="Ben", claimed=True, address="192.0.2.7", client="scoville", table_ids=[TABLE], muted=True)
AUDIT = AuditEntry(number=1, at_ms=0, by="Anna", action="ban", target="Ben", reason="spam")


def line(n: int, name: str, text: str = "hot!", to: str = "") -> MessageInfo:
    return MessageInfo(number=n, at_ms=n, channel="whisper" if to else "lobby", name=name, text=text, to=to)


class SlashServer:
    """Anna's session, and a server that records her requests."""

    def __init__(self) -> None:
        self.link = ScriptedLink()
        self.link.answers |= {
            WatchLobbyRequest: LobbySnapshot(
                tables=[],
                users=[UserInfo(name="Anna", admin=True), UserInfo(name="Ben"), UserInfo(name="Ben 2")],
                online=3,
            ),
            SayRequest: lambda say: SayReply(message=line(9, "Anna", say.text, say.to)),
            ReadChatRequest: ReadChatReply(messages=[]),
            IgnoredRequest: IgnoredReply(names=["Ben"]),
            BanRequest: BanReply(ban=BAN),
            BansRequest: BansReply(bans=[BAN]),
            ReportsRequest: ReportsReply(reports=[REPORT]),
            UsersRequest: UsersReply(users=[PERSON]),
            AuditRequest: AuditReply(entries=[AUDIT]),
            ShowVacationRequest: VacationReply(days_left=28),
            BeginVacationRequest: VacationReply(until_ms=0, days_left=21),
            RecoverAccountRequest: RecoverAccountReply(code="k7tq-w2hx-9dma-4rzv", expires_ms=0),
        }
        self.session = Session()
        self.talk = Conversations(self.session)
        self.commands = SlashCommands(self.talk, lambda: Invitation(()))

    async def type(self, text: str) -> list[str]:
        return list(await self.commands.run_command(text))

    def hear(self, change: Change) -> None:
        self.talk.on_change(change)

    @property
    def asked(self) -> Params:
        return [each for each in self.link.asked if not isinstance(each, IgnoredRequest)][-1]


@pytest.fixture
async def server() -> SlashServer:
    server = SlashServer()
    await server.session.connect(server.link)
    await server.session.lobby.watch_lobby()
    server.talk.start_reading()
    return server


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("/w Ben hello", SayRequest(text="hello", to="Ben")),
        ("/w Ben 2 hello", SayRequest(text="hello", to="Ben 2")),
        ('/w "Cleo B" hello', SayRequest(text="hello", to="Cleo B")),
        ("/W ben hello", SayRequest(text="hello", to="Ben")),
        ("/ignore Ben", IgnoreRequest(name="Ben")),
        ("/unignore Ben", IgnoreRequest(name="Ben", ignored=False)),
        ("/report Ben he cheats", ReportRequest(name="Ben", text="he cheats")),
        ("/announce Soon over", AnnounceRequest(text="Soon over")),
        ("/kick Ben 2 rude words", KickUserRequest(name="Ben 2", reason="rude words")),
        ("/ban Ben", BanRequest(target="Ben")),
        (
            "/ban Ben 7d chat spam all day",
            BanRequest(target="Ben", duration_ms=604_800_000, scope="chat", reason="spam all day"),
        ),
        ("/ban Ben rude", BanRequest(target="Ben", reason="rude")),
        ("/unban #7", UnbanRequest(id=7)),
        ("/close t1 abandoned", CloseTableRequest(table="t1", reason="abandoned")),
        ("/resolve 3 talked to him", ResolveReportRequest(id=3, note="talked to him")),
        ("/appoint Ben", AppointRequest(name="Ben")),
        ("/dismiss Ben", AppointRequest(name="Ben", admin=False)),
        ("/recover Ben asked by phone", RecoverAccountRequest(name="Ben", reason="asked by phone")),
        ("/vacation", ShowVacationRequest()),
        ("/vacation 7", BeginVacationRequest(days=7)),
    ],
)
async def test_a_command_asks_for_what_it_says(server: SlashServer, typed: str, asked: Params) -> None:
    await server.type(typed)
    assert server.asked == asked


async def test_a_host_mutes_at_the_table(server: SlashServer) -> None:
    with pytest.raises(Misuse, match="not at a table"):
        await server.type("/mute Ben")
    await server.session.watch_table(TABLE)
    await server.type("/mute Ben")
    assert server.asked == MuteRequest(table=TABLE, name="Ben")
    await server.type("/unmute Ben")
    assert server.asked == MuteRequest(table=TABLE, name="Ben", muted=False)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/recover Ben", "k7tq-w2hx-9dma-4rzv"),
        ("/bans", "Ban 7: Ben, from chat, permanent, by Anna. spam"),
        ("/reports", "Ben: ha"),
        ("/admin users", "192.0.2.7"),
        ("/audit", "spam"),
        ("/ignore", "Ben"),
    ],
)
async def test_lists_are_reported_in_lines(server: SlashServer, typed: str, expected: str) -> None:
    assert expected in " ".join(await server.type(typed))


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("/dance", "There is no command '/dance' here. Type /help for help."),
        ("/", "There is no command '/' here."),
        ("/w", "The name is missing"),
        ("/report Ben", "The text is missing"),
        ("/announce", "The text is missing"),
        ("/unban Ben", "'Ben' is not a number"),
        ("/close", "The table is missing"),
        ("/admin now", "'now' does not belong to this command. Type /admin"),
    ],
)
async def test_wrong_command_is_explained(server: SlashServer, typed: str, sentence: str) -> None:
    with pytest.raises(Misuse, match=sentence):
        await server.type(typed)


async def test_help_lists_what_may_be_typed_and_admins_more(server: SlashServer) -> None:
    assert any("/admin ban" in line for line in await server.type("/help"))
    server.session.lobby.users["Anna"] = UserInfo(name="Anna")
    assert not any("/admin ban" in line for line in await server.type("/help"))
    assert await server.type("/help w") == ["/whisper or /w NAME TEXT: Send a private message to a user."]


async def test_a_whisper_has_a_channel_of_its_own(server: SlashServer) -> None:
    await server.type("/w Ben hello")
    assert server.talk.room == Conversation(WHISPERS, "Ben")
    assert [each.text for each in server.talk.open_lines()] == ["hello"]
    await server.talk.send_message("again")
    assert server.asked == SayRequest(text="again", to="Ben")


def test_two_slashes_begin_talk() -> None:
    assert is_command("/w Ben")
    assert not is_command("//shrug")
    assert not is_command("and/or")


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("Ben hi", ("Ben", "hi")),
        ("Ben 2 hi", ("Ben 2", "hi")),
        ("Benjamin hi", ("Benjamin", "hi")),
        ("", ("", "")),
        ('"Ben" hi', ("Ben", "hi")),
        ('"Ben hi', ('"Ben', "hi")),
    ],
)
async def test_a_name_ends_where_a_known_one_does(server: SlashServer, typed: str, parts: tuple[str, str]) -> None:
    assert split_name(server.commands, typed) == parts


@pytest.mark.parametrize(
    ("word", "seconds"), [("30m", 1_800), ("12h", 43_200), ("7d", 604_800), ("7", 0), ("d", 0), ("9" * 5 + "d", 0)]
)
def test_durations_are_written_short(word: str, seconds: int) -> None:
    assert seconds_in(word) == seconds


# --- rooms ----------------------------------------------------------------------------------------------


async def test_whispers_are_unread_by_user_until_their_channel_is_opened(server: SlashServer) -> None:
    server.session.subscribe(server.hear)
    server.talk.stop_reading()
    server.link.say(
        SaidNotice(message=line(1, "Ben", to="Anna")),
        SaidNotice(message=line(2, "Ben 2", to="Anna")),
        SaidNotice(message=line(1, "Ben")),
    )
    unread = [(room.with_whom, server.talk.count_unread(room)) for room in server.talk.rooms]
    assert unread == [("", 1), ("Ben", 1), ("Ben 2", 1)]
    assert server.talk.all_unread == 3
    server.talk.start_reading(Conversation(WHISPERS, "Ben"))
    assert server.talk.all_unread == 2
    server.talk.open_next_room(1)
    assert server.talk.room == Conversation(WHISPERS, "Ben 2")
    server.talk.open_next_room(1)
    assert server.talk.room == Conversation(LOBBY)
    assert server.talk.all_unread == 0


async def test_talk_begins_where_something_is_new_else_at_the_table(server: SlashServer) -> None:
    server.session.subscribe(server.hear)
    await server.session.watch_table(TABLE)
    server.talk.start_reading()
    assert server.talk.room == Conversation(TABLE)
    server.talk.stop_reading()
    server.link.say(SaidNotice(message=line(1, "Ben", to="Anna")))
    server.talk.start_reading()
    assert server.talk.room == Conversation(WHISPERS, "Ben")
