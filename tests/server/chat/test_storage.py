"""Messages are stored before they are sent, and bounded."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.chat.model.channels import Channels
from scoville_server.chat.model.chat_limits import ChatLimits
from scoville_server.chat.model.messages import LOBBY, ChatMessage, NewMessage
from scoville_server.chat.service import ChatWriter
from scoville_server.journal.base import JournalError
from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import ReactRequest, ReadChatReply, SayRequest
from tests.server.chat.chatting import Minutes, heard, in_lobby, lines_of
from tests.support.core import Clock, code_of, seat_users
from tests.support.journals import read_rows
from tests.support.server import Caller, GatedJournal, core_of, toy_server, until

# --- how fast --------------------------------------------------------------------------------------------


async def test_fast_talker_learns_how_long_to_wait(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    core_of(server).chat.now = now = Clock()
    for number in range(5):
        await anna.call(SayRequest(text=f"line {number}"))
    with pytest.raises(ScovilleError, match="You are sending messages too fast; wait 1 second") as refused:
        await anna.call(SayRequest(text="line 5"))
    assert (refused.value.code, refused.value.data) == ("slow_down", {"retry_after_ms": 1_000})
    await ben.call(SayRequest(text="Let others talk"))
    now.seconds += 1
    await anna.call(SayRequest(text="line 5"))


async def test_the_same_again_and_again_is_too_much(server: Server) -> None:
    anna = await in_lobby(server, "Anna")
    core_of(server).chat.now = now = Clock()
    for text in ("Play!", "PLAY!"):
        await anna.call(SayRequest(text=text))
    with pytest.raises(ScovilleError, match="You have just sent that") as refused:
        await anna.call(SayRequest(text="play!"))
    assert refused.value.code == "slow_down"
    await anna.call(SayRequest(text="Please"))
    now.seconds += 15
    await anna.call(SayRequest(text="Play!"))


async def test_reactions_are_slower(server: Server) -> None:
    table, (anna, ben) = await seat_users(server, "Anna", "Ben")
    core_of(server).chat.now = Clock()
    for _ in range(3):
        await anna.call(ReactRequest(table=table, reaction="hurry"))
    assert await code_of(anna, ReactRequest(table=table, reaction="hurry")) == "slow_down"
    await ben.call(ReactRequest(table=table, reaction="thanks"))
    await anna.call(SayRequest(text="Talking is another thing", table=table))


async def test_users_of_one_address_share_a_chat_rate(server: Server) -> None:
    core_of(server).chat.now = Clock()
    refused = []
    for user in range(6):
        caller = Caller(server)
        caller.peer.address = f"192.0.2.1:{5000 + user}"
        await caller.hello(f"Pupil {user}")
        for number in range(4):
            try:
                await caller.call(SayRequest(text=f"{user} {number}"))
            except ScovilleError as error:
                refused.append((user, number, error.code))
    assert refused == [(5, number, "slow_down") for number in range(4)]


async def test_of_a_flood_five_lines_are_heard_and_kept(server: Server) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    core = core_of(server)
    core.chat.now = Clock()
    refused = 0
    for number in range(10_000):
        try:
            await anna.call(SayRequest(text=f"line {number}"))
        except ScovilleError as error:
            refused += error.code == "slow_down"
    assert refused == 9_995
    assert len(lines_of(ben)) == len(await read_rows(core.journal, "chat")) == 5


# --- law 4 -----------------------------------------------------------------------------------------------


class SlowNotes(GatedJournal):
    """A journal whose books wait for the gate as its records do; once it is broken, it fails once."""

    async def write(self, changes: Any) -> None:
        self.asked.set()
        await self.gate.wait()
        if self.broken:
            self.broken = False
            raise ScovilleError(Code.INTERNAL, "The disk is full.")
        await super().write(changes)


async def test_unkept_chat_is_unheard_and_numbers_have_no_gaps() -> None:
    journal = SlowNotes()
    server = toy_server(journal=journal)
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    await anna.call(SayRequest(text="one"))
    journal.gate.clear()
    journal.asked.clear()
    lost = asyncio.ensure_future(anna.call(SayRequest(text="lost")))
    await journal.asked.wait()
    later = [asyncio.ensure_future(ben.call(SayRequest(text=text))) for text in ("two", "three")]
    for _ in range(20):
        await asyncio.sleep(0)
    assert heard(anna, ben) == [[], ["one"]]
    journal.broken = True
    journal.gate.set()
    with pytest.raises(ScovilleError, match="disk is full"):
        await lost
    assert [(await said).message.number for said in later] == [2, 3]
    assert heard(anna, ben) == [["two", "three"], ["one"]]
    await server.close()


@pytest.mark.parametrize("failing", ["crowded_out", "drop_older", "clear_channel", "anonymize_user"])
async def test_an_error_in_deleting_stops_neither_chat_nor_other_deletions(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, failing: str
) -> None:
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    core = core_of(server)
    core.chat.now = Minutes()
    anonymized, anonymize_user = list[str](), core.chat.channels.anonymize_user

    def note_name(user: UserId, name: str, ghost: str) -> Any:
        anonymized.append(name)
        return anonymize_user(user, name, ghost)

    def fail(*_: Any) -> Any:
        raise ValueError(failing)

    monkeypatch.setattr(core.chat.channels, "anonymize_user", note_name)
    monkeypatch.setattr(core.chat.channels, failing, fail)
    core.chat._writer.clear_channel(LOBBY)
    core.chat.delete_older(0)
    core.chat._writer.anonymize_user(UserId("gone"), "Zoe")
    for text in ("one", "two"):
        await asyncio.wait_for(anna.call(SayRequest(text=text)), 60)
    assert heard(ben) == [["one", "two"]]
    assert failing in caplog.text
    assert anonymized == ([] if failing == "anonymize_user" else ["Zoe"])


async def test_a_message_is_sent_even_when_its_author_has_left() -> None:
    journal = SlowNotes()
    server = toy_server(journal=journal)
    anna, ben = await in_lobby(server, "Anna"), await in_lobby(server, "Ben")
    await anna.call(SayRequest(text="I must go."))
    journal.gate.clear()
    journal.asked.clear()
    said = asyncio.ensure_future(anna.call(SayRequest(text="Bye!")))
    await journal.asked.wait()
    said.cancel()
    journal.gate.set()
    await until(lambda: heard(ben) == [["I must go.", "Bye!"]])
    reply = core_of(server).chat.read_messages(UserId("anybody"), "lobby")
    assert isinstance(reply, ReadChatReply)
    assert reply.messages == lines_of(ben)
    await server.close()


# --- several nodes ---------------------------------------------------------------------------------------


class FailingBook:
    def __init__(self, error: JournalError) -> None:
        self.error = error
        self.wanted: dict[str, ChatMessage | None] = {}

    async def write_rows(self, changes: dict[str, ChatMessage | None], new: Sequence[str] = ()) -> None:
        self.wanted = changes
        raise self.error


@pytest.mark.parametrize("code", [Code.OUTCOME_UNKNOWN, Code.NOT_SAVED])
async def test_message_in_doubt_stays_the_nodes_own(code: Code) -> None:
    """Once it is found in the journal, its readers hear it from that node."""
    book = FailingBook(JournalError("The disk is full.", code))
    writer = ChatWriter(Channels(ChatLimits()), book, BackgroundTasks())  # type: ignore[arg-type]
    with pytest.raises(JournalError):
        await writer.write_message(NewMessage(at_ms=1, channels=(LOBBY,), by=UserId("anna"), name="Anna", text="Hi"))
    [message] = book.wanted.values()
    assert message is not None
    assert writer.has_written(message) is (code == Code.OUTCOME_UNKNOWN)
    assert not writer.has_written(message)


async def test_node_remembers_the_latest_messages_that_may_have_been_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_server.chat.service._MOST_UNKNOWN", 3)
    book = FailingBook(JournalError("The engine does not answer.", Code.OUTCOME_UNKNOWN))
    writer = ChatWriter(Channels(ChatLimits()), book, BackgroundTasks())  # type: ignore[arg-type]
    written = list[ChatMessage]()
    # The first channel is written once more, so that its message is the newest but one.
    for n, table in enumerate("abcdae"):
        new = NewMessage(at_ms=1, channels=(f"table/{table}",), by=UserId("anna"), name="Anna", text=f"{n}")
        with pytest.raises(JournalError):
            await writer.write_message(new)
        written += [message for message in book.wanted.values() if message is not None]
    assert [message.text for message in reversed(written) if writer.has_written(message)] == ["5", "4", "3"]
