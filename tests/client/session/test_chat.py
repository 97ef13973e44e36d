"""Chat in the client: each message once, in order, with a count of unread ones."""

from typing import Any, Literal

import pytest
from msgspec.structs import replace

from scoville_client.i18n.errors import announcement_text
from scoville_client.i18n.language import render
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.own_words import FULL
from scoville_client.session.changes import Change, ChatReceived, Reacted
from scoville_client.session.chat_channels import LOBBY, MOST_LINES, WHISPERS, Chat
from scoville_client.session.commands.chat import message_phrase
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    Empty,
    IgnoredReply,
    IgnoredRequest,
    IgnoreRequest,
    MessageInfo,
    ReactedNotice,
    ReadChatReply,
    ReadChatRequest,
    SaidNotice,
    SayReply,
    SayRequest,
)


def line(n: int, text: str = "hot!", **fields: Any) -> MessageInfo:
    usual: dict[str, Any] = {"channel": "lobby", "name": "Anna"}
    return MessageInfo(number=n, at_ms=n, text=text, **{**usual, **fields})


class Recorded:
    """A scripted chat server, and a recorder of changes."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.changes: list[Change] = []
        self.kept = [line(1), line(2), line(3)]
        self.shut = ""
        self.chat = Chat(self.answer, self.changes.append)

    async def answer(self, params: Any, kind: Any) -> Any:
        self.asked.append(params)
        match params:
            case SayRequest(text=text, table=table, to=to):
                channel = "table" if table else "whisper" if to else "lobby"
                return SayReply(message=line(9, text, channel=channel, table=table, to=to))
            case ReadChatRequest(table=str(table)) if table and table == self.shut:
                raise ScovilleError(Code.KICKED, "Out.")
            case ReadChatRequest(since=since):
                since = 0 if since > max((each.number for each in self.kept), default=0) else since
                return ReadChatReply(messages=[each for each in self.kept if each.number > since])
            case IgnoredRequest():
                return IgnoredReply(names=["Ben"])
        return Empty()

    def hear(self, *lines: MessageInfo) -> None:
        for each in lines:
            self.chat.on_notice(SaidNotice(message=each))

    def known(self, channel: str) -> list[int]:
        return [each.number for each in self.chat.lines_of(channel)]


def test_a_message_that_arrives_twice_is_kept_and_reported_once() -> None:
    recorded = Recorded()
    recorded.hear(line(1), line(1))
    assert recorded.known(LOBBY) == [1]
    assert recorded.changes == [ChatReceived(line(1))]


def test_each_channel_has_its_own_lines() -> None:
    recorded = Recorded()
    recorded.hear(line(1), line(1, channel="table", table="t1"), line(1, channel="whisper", to="Ben"))
    assert [recorded.known(channel) for channel in (LOBBY, "t1", WHISPERS)] == [[1], [1], [1]]


def test_lines_count_as_unread_until_somebody_looks() -> None:
    recorded = Recorded()
    recorded.hear(line(1), line(2))
    assert recorded.chat.unread == {LOBBY: 2}
    recorded.chat.open_channel(LOBBY)
    recorded.hear(line(3))
    assert recorded.chat.unread == {}
    recorded.chat.close_channel(LOBBY)
    recorded.hear(line(4))
    assert recorded.chat.unread == {LOBBY: 1}


def test_only_the_latest_lines_are_kept() -> None:
    recorded = Recorded()
    recorded.hear(*(line(n) for n in range(1, MOST_LINES + 11)))
    assert recorded.known(LOBBY) == list(range(11, MOST_LINES + 11))


async def test_missed_chat_is_requested_from_the_last_line() -> None:
    recorded = Recorded()
    recorded.hear(line(2))
    recorded.changes.clear()
    await recorded.chat.catch_up()
    assert recorded.asked == [ReadChatRequest(channel="lobby", since=1)], "the last known line is asked for again"
    assert recorded.known(LOBBY) == [2, 3]
    assert (recorded.changes, recorded.chat.unread) == ([ChatReceived(line(3))], {LOBBY: 2})


async def test_a_channel_that_was_empty_is_caught_up_with_too() -> None:
    recorded = Recorded()
    recorded.kept = []
    await recorded.chat.read_channel(LOBBY)
    recorded.kept = [line(1)]
    await recorded.chat.catch_up()
    assert recorded.changes == [ChatReceived(line(1))]


async def test_expired_chat_lines_leave_a_gap() -> None:
    recorded = Recorded()
    recorded.hear(line(1), line(2))
    recorded.kept = [line(n) for n in range(300, 303)]
    await recorded.chat.catch_up()
    await recorded.chat.catch_up()
    assert recorded.known(LOBBY) == [1, 2, 300, 301, 302]
    assert len(recorded.changes) == 5


@pytest.mark.parametrize("counted", [1, 3, 7])
async def test_a_server_that_counts_anew_has_other_lines(counted: int) -> None:
    recorded = Recorded()
    recorded.hear(line(1), line(2), line(3))
    recorded.kept = [replace(line(n), at_ms=1000 + n) for n in range(1, counted + 1)]
    await recorded.chat.catch_up()
    assert recorded.chat.lines_of(LOBBY) == recorded.kept


async def test_chat_of_a_closed_table_is_forgotten() -> None:
    recorded = Recorded()
    recorded.hear(line(1, channel="table", table="t1"), line(2))
    recorded.shut = "t1"
    await recorded.chat.catch_up()
    assert (recorded.known("t1"), recorded.known(LOBBY)) == ([], [2, 3])


async def test_other_users_get_none_of_what_was_sent_to_me() -> None:
    recorded = Recorded()
    recorded.hear(line(1, channel="whisper", to="Ben"))
    recorded.chat.start_over()
    assert (recorded.known(WHISPERS), recorded.chat.unread) == ([], {})


async def test_own_message_is_a_line_like_others() -> None:
    recorded = Recorded()
    await recorded.chat.send_message("Hello!", table="t1")
    recorded.hear(line(9, "Hello!", channel="table", table="t1"))
    assert recorded.known("t1") == [9]
    assert recorded.chat.unread == {}


async def test_ignoring_hides_earlier_messages() -> None:
    recorded = Recorded()
    recorded.hear(line(1), line(2, name="Ben"))
    await recorded.chat.ignore_user("Ben")
    assert recorded.known(LOBBY) == [1]
    assert recorded.asked == [IgnoreRequest(name="Ben"), IgnoredRequest()]
    assert recorded.chat.ignored == ["Ben"]


def test_a_reaction_is_reported_and_not_kept() -> None:
    recorded = Recorded()
    recorded.chat.on_notice(ReactedNotice(table="t1", name="Ben", seat=1, reaction="oops"))
    assert recorded.changes == [Reacted("t1", "Ben", "oops")]
    assert recorded.known("t1") == []


def test_moderators_have_a_badge_on_screens_and_in_lines() -> None:
    line = MessageInfo(number=1, at_ms=0, channel="lobby", name="Mia", text="Hello", claimed=True, moderator=True)
    assert with_mark(line.name, claimed=True, moderator=True) == "Mia ✓ [mod]"
    assert render(message_phrase(line, "Ben")) == "Mia (moderator of this server) says: Hello"


@pytest.mark.parametrize("channel", ["lobby", "table", "club"])
@pytest.mark.parametrize("ours", [FULL.text, announcement_text("The server moves.", None, None)])
def test_no_message_reads_like_a_line_of_the_client(channel: Literal["lobby", "table", "club"], ours: str) -> None:
    name, _, text = ours.partition(": ")
    line = MessageInfo(number=1, at_ms=0, channel=channel, name=name, text=text, seat=0)
    assert not render(message_phrase(line, "Ben", "Chess" * (channel == "club"))).startswith(f"{name}:")
    club = MessageInfo(number=1, at_ms=0, channel="club", name="Anna", text=text)
    assert not render(message_phrase(club, "Ben", name)).startswith(name)
