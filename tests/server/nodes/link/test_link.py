"""The link between two nodes: requests, replies and notices cross it as a client's bytes; what is lost is answered."""

import asyncio
from typing import Any

import msgspec
import pytest

from scoville_server.background.eventual import Eventual
from scoville_server.nodes.link.answering import AnsweringEnd
from scoville_server.nodes.link.asking import AskingEnd, AskingLine, Effect
from scoville_server.nodes.link.frames import (
    LINK_PROTOCOL,
    MOST_BYTES,
    PORTION,
    FrameReader,
    Greeting,
    Introduction,
    Kind,
    LinkFault,
    read_notice,
    write_frame,
    write_notice,
    write_numbered,
    write_struct,
)
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.connection import notice_bytes
from tests.support.links import Host, LinkWire, Recorder, Visitor, WireCarrier, join_ends
from tests.support.server import until
from tests.support.virtual_time import in_virtual_time

ANNA = Introduction(UserId("anna"), "Anna", claimed=False, address="192.0.2.7:4321", age_seconds=5.0)
BEN = Introduction(UserId("ben"), "Ben", claimed=True)
TABLE = "t1"


class Pair:
    """Two nodes: users of `b` ask, `a` has the tables."""

    def __init__(self, me: str = "b", wants: str = "a") -> None:
        self.wire, self.host, self.lost = LinkWire(), Host(), 0
        self.asking, self.answering = join_ends(
            self.wire,
            lambda carrier: AskingEnd(me, wants, carrier, self.note_lost),
            lambda carrier: AnsweringEnd("a", carrier, self.host.open_visit),
        )

    def note_lost(self) -> None:
        self.lost += 1

    def open_line(self, introduction: Introduction = ANNA) -> tuple[AskingLine, Recorder]:
        recorder = Recorder()
        line = self.asking.open_line(recorder)
        line.introduce_user(introduction)
        return line, recorder


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def decoded(reply: object) -> Any:
    return msgspec.msgpack.decode(reply)  # type: ignore[arg-type]


@in_virtual_time
async def test_a_request_crosses_with_its_asker_and_the_reply_as_bytes() -> None:
    pair = Pair()
    line, _ = pair.open_line()
    pair.host.answer = lambda _visitor, _params: m.PlayReply(seq=7)
    move = m.PlayRequest(table=TABLE, move={"draw": 3}, nth=2)
    reply = await line.send_request(move, TABLE, Effect.NUMBERED)
    assert isinstance(reply, msgspec.Raw)
    assert decoded(reply) == {"seq": 7}
    [visit] = pair.host.visits
    assert visit.introductions == [ANNA]
    assert visit.asked == [move]
    assert (visit.peer.address, visit.peer.node) == (ANNA.address, "b")


@in_virtual_time
async def test_a_refusal_crosses_with_its_data() -> None:
    pair = Pair()
    line, _ = pair.open_line()

    def refuse(_visitor: Visitor, _params: m.Params) -> m.Reply:
        raise ScovilleError(Code.SLOW_DOWN, "Too fast.", {"retry_after_ms": 5})

    pair.host.answer = refuse
    with pytest.raises(ScovilleError) as refused:
        await line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES)
    assert (refused.value.code, refused.value.message) == (Code.SLOW_DOWN, "Too fast.")
    assert refused.value.data == {"retry_after_ms": 5}


@in_virtual_time
async def test_a_bug_at_the_other_node_is_internal_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    pair = Pair()
    line, _ = pair.open_line()
    pair.host.answer = lambda _visitor, _params: 1 // 0
    with pytest.raises(ScovilleError, match="because of a bug"):
        await line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES)
    assert "a user of node b" in caplog.text
    pair.host.answer = lambda _visitor, _params: m.Empty()
    assert decoded(await line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES)) == {}


@in_virtual_time
async def test_a_notice_to_many_lines_is_encoded_and_sent_once() -> None:
    pair = Pair()
    lines = [pair.open_line(Introduction(UserId(f"u{n}"), f"U{n}", claimed=False)) for n in range(5)]
    await settle()
    pair.wire.passed.clear()
    notice = m.PresenceNotice(table=TABLE, seat=1, connected=True)  # type: ignore[arg-type]
    for visit in pair.host.visits[:4]:
        visit.peer.notify(notice)
    await settle()
    assert [recorder.notices for _, recorder in lines] == [[notice_bytes(notice)]] * 4 + [[]]
    assert b"".join(pair.wire.passed).count(b"presence") == 1


@in_virtual_time
async def test_replies_and_notices_come_in_the_order_in_which_they_were_sent() -> None:
    pair = Pair()
    line, recorder = pair.open_line()
    order: list[str] = []
    recorder.take_notice = lambda notice: order.append(decoded(notice)[2][0]["text"])  # type: ignore[method-assign]

    def answer(visitor: Visitor, _params: m.Params) -> m.Reply:
        visitor.peer.notify(m.AnnouncedNotice(text="before"))
        asyncio.get_running_loop().call_soon(visitor.peer.notify, m.AnnouncedNotice(text="after"))
        return m.Empty()

    pair.host.answer = answer
    reply = line.send_request(m.WatchRequest(table=TABLE), TABLE, Effect.READS)
    reply.add_done_callback(lambda _: order.append("reply"))
    await settle()
    assert order == ["before", "reply", "after"]


@in_virtual_time
async def test_bytes_in_pieces_and_late_are_the_same() -> None:
    pair = Pair()
    pair.wire.piece, pair.wire.seconds = 3, 0.5
    line, recorder = pair.open_line()
    assert decoded(await line.send_request(m.MovesRequest(table=TABLE), TABLE, Effect.READS)) == {}
    pair.host.visits[0].peer.notify(m.AnnouncedNotice(text="hi"))
    await asyncio.sleep(2)
    assert [decoded(notice)[2] for notice in recorder.notices] == [[{"text": "hi", "code": None, "data": None}]]


@in_virtual_time
async def test_a_long_export_lets_notices_pass_in_between() -> None:
    pair = Pair()
    line, recorder = pair.open_line()
    pair.host.answer = lambda _visitor, _params: m.ExportReply(lines=["x" * 1_000] * 200, line_count=200)
    reply = line.send_request(m.ExportRequest(table=TABLE), TABLE, Effect.READS)
    await until(lambda: bool(pair.host.visits and pair.host.visits[0].asked))
    pair.host.visits[0].peer.notify(m.AnnouncedNotice(text="meanwhile"))
    await until(lambda: bool(recorder.notices))
    assert not reply.done()
    found = decoded(await reply)
    assert found["lines"] == ["x" * 1_000] * 200
    assert max(map(len, pair.wire.passed)) < 2 * PORTION


@in_virtual_time
async def test_a_lost_link_answers_what_it_can_not_know() -> None:
    pair = Pair()
    line, recorder = pair.open_line()
    await settle()
    pair.host.answer = lambda _visitor, _params: Eventual()
    asked = [
        line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES),
        line.send_request(m.PlayRequest(table=TABLE, move={}, nth=1), TABLE, Effect.NUMBERED),
        line.send_request(m.MovesRequest(table=TABLE), TABLE, Effect.READS),
    ]
    await settle()
    pair.wire.cut()
    codes = [getattr(reply.exception(), "code", None) for reply in asked]
    assert codes == [Code.OUTCOME_UNKNOWN, Code.OUTCOME_UNKNOWN, Code.BUSY]
    # It watches nothing: its user stays.
    assert recorder.unanswered == []
    assert pair.lost == 1
    assert pair.host.visits[0].ended == 1


@in_virtual_time
async def test_who_watched_by_a_lost_link_is_sent_away_after_what_they_can_not_repeat() -> None:
    pair = Pair()
    line, recorder = pair.open_line()
    await settle()
    line.watched.add(TABLE)
    pair.host.answer = lambda _visitor, _params: Eventual()
    leaves = line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES)
    plays = line.send_request(m.PlayRequest(table=TABLE, move={}, nth=1), TABLE, Effect.NUMBERED)
    looks = line.send_request(m.LookBackRequest(table=TABLE, since=0), TABLE, Effect.READS)
    await settle()
    pair.wire.cut()
    assert getattr(leaves.exception(), "code", "") == Code.OUTCOME_UNKNOWN
    assert recorder.unanswered == [[plays, looks]]
    assert not plays.done()
    assert not looks.done()


@in_virtual_time
async def test_nothing_was_done_by_a_link_that_was_never_open() -> None:
    pair = Pair(wants="c")
    line, recorder = pair.open_line()
    line.watched.add(TABLE)
    reply = line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES)
    opening = line.send_request(m.CreateRequest(game="no_thanks", seat_count=3), "", Effect.CHANGES)
    await settle()
    assert getattr(reply.exception(), "code", "") == Code.BUSY
    assert (
        str(opening.exception())
        == "The server process that opens the next table cannot be reached; try again in a moment."
    )
    assert "looks for c" in pair.wire.why
    assert recorder.unanswered == []
    assert pair.host.visits == []


@in_virtual_time
async def test_a_node_of_another_version_is_refused_before_it_is_asked() -> None:
    pair = Pair()
    carrier = pair.wire.carriers[1]
    carrier.end = AnsweringEnd("a", carrier, pair.host.open_visit)
    later = Greeting("b", "a", link_protocol=LINK_PROTOCOL + 1, version="9.9")
    carrier.receive(write_struct(Kind.GREETING, later) + write_numbered(Kind.CALL, 1, b"\x00"))
    assert "scoville 9.9" in pair.wire.why
    assert pair.host.visits == []


@in_virtual_time
async def test_a_request_that_only_a_newer_node_knows_is_refused_alone() -> None:
    pair = Pair()
    line, _ = pair.open_line()
    await settle()
    pair.wire.carriers[0].change = lambda data: data.replace(b"table.moves", b"table.movez")
    reply = line.send_request(m.MovesRequest(table=TABLE), TABLE, Effect.READS)
    await settle()
    assert getattr(reply.exception(), "code", "") == Code.UNKNOWN_METHOD
    assert pair.wire.why == ""


@in_virtual_time
async def test_a_line_that_the_other_node_has_ended_does_nothing_more() -> None:
    pair = Pair()
    line, recorder = pair.open_line()
    await settle()
    [visit] = pair.host.visits
    visit.peer.notify(m.AnnouncedNotice(text="last"))
    visit.peer.close(m.ByeNotice(code=Code.MOVED, message="It has moved."))
    late = line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES)
    await settle()
    assert len(recorder.notices) == 1
    assert [bye and bye.code for bye in recorder.byes] == [Code.MOVED]
    assert getattr(late.exception(), "code", "") == Code.MOVED
    assert visit.asked == []
    assert visit.ended == 1
    with pytest.raises(ScovilleError, match="cannot be reached"):
        line.send_request(m.LeaveRequest(table=TABLE), TABLE, Effect.CHANGES)


@in_virtual_time
async def test_what_comes_for_a_line_that_was_left_reaches_nobody() -> None:
    pair = Pair()
    pair.wire.seconds = 0.1
    line, recorder = pair.open_line()
    await asyncio.sleep(1)
    [visit] = pair.host.visits
    visit.peer.notify(m.AnnouncedNotice(text="for Anna"))
    line.leave()
    second, other = pair.open_line(BEN)
    await asyncio.sleep(1)
    assert recorder.notices == other.notices == []
    assert second.number != line.number
    assert visit.ended == 1
    visit.peer.notify(m.AnnouncedNotice(text="for nobody"))
    await asyncio.sleep(1)
    assert other.notices == []


@in_virtual_time
async def test_a_poll_of_a_line_that_was_left_ends() -> None:
    pair = Pair()
    line, _ = pair.open_line()
    waits = asyncio.Event()
    ended: list[str] = []

    async def poll(_visitor: Visitor, _params: m.Params) -> m.Reply:
        try:
            await waits.wait()
        finally:
            ended.append("poll")
        return m.Empty()

    pair.host.answer = poll
    reply = line.send_request(m.MovesRequest(table=TABLE), TABLE, Effect.READS)
    await settle()
    line.leave()
    await settle()
    assert ended == ["poll"]
    assert reply.done()
    assert pair.asking._calls == {}


@in_virtual_time
async def test_a_new_introduction_changes_the_visit() -> None:
    pair = Pair()
    line, _ = pair.open_line()
    renamed = msgspec.structs.replace(ANNA, name="Anne", stored=True)
    line.introduce_user(renamed)
    await settle()
    [visit] = pair.host.visits
    assert visit.introductions == [ANNA, renamed]


@in_virtual_time
async def test_a_node_that_does_not_read_gets_no_more_requests_and_is_cut_off_at_last() -> None:
    pair = Pair()
    line, _ = pair.open_line()
    await settle()
    pair.wire.is_stuck = True
    typed = m.SayRequest(text="x" * 60_000, table=TABLE)
    answers: list[Eventual[m.Reply]] = []
    refused = ""
    for _ in range(100):
        try:
            answers.append(line.send_request(typed, TABLE, Effect.CHANGES))
        except ScovilleError as error:
            refused = error.code
            break
        await asyncio.sleep(0)
    assert refused == Code.BUSY
    assert 20 < len(answers) < 60
    pair.wire.read_again()
    await settle()
    assert all(answer.done() for answer in answers)
    pair.wire.is_stuck = True
    [visit] = pair.host.visits
    for _ in range(200):
        visit.peer.notify(m.AnnouncedNotice(text="y" * 60_000))
        await asyncio.sleep(0)
    assert "does not read" in pair.wire.why
    assert visit.ended == 1


@in_virtual_time
async def test_long_replies_for_a_node_that_does_not_read_are_bounded() -> None:
    pair = Pair()
    line, _ = pair.open_line()
    pair.host.answer = lambda _visitor, _params: m.ExportReply(lines=["x" * 1_000] * 1_000, line_count=1_000)
    asked = [line.send_request(m.ExportRequest(table=TABLE), TABLE, Effect.READS) for _ in range(200)]
    await until(lambda: pair.host.visits and len(pair.host.visits[0].asked) == len(asked))
    await until(lambda: all(reply.done() for reply in asked))
    codes = [getattr(reply.exception(), "code", None) for reply in asked]
    # 62 portions each, of which some are sent meanwhile.
    assert {*codes} == {None, Code.BUSY}
    assert codes[:8] == [None] * 8
    assert not pair.wire.why
    assert len(decoded(await line.send_request(m.ExportRequest(table=TABLE), TABLE, Effect.READS))["lines"]) == 1_000


@in_virtual_time
async def test_many_requests_of_one_node_are_read_in_several_turns() -> None:
    pair = Pair()
    line, _ = pair.open_line()
    await settle()
    asked = [line.send_request(m.MovesRequest(table=TABLE), TABLE, Effect.READS) for _ in range(100)]
    await asyncio.sleep(0)
    [visit] = pair.host.visits
    assert 0 < len(visit.asked) < 100
    await settle()
    assert all(reply.done() for reply in asked)


HOSTILE = [
    b"GET / HTTP/1.1\r\n\r\n",
    write_frame(Kind.GREETING, b"\xc1"),
    write_frame(Kind.VISIT, b"\x00"),
    (MOST_BYTES + 1).to_bytes(4, "big") + b"\x02",
]
AFTER_GREETING = [
    write_struct(Kind.GREETING, Greeting("b", "a")),
    write_frame(Kind.CALL, b"\x00\x00"),
    write_numbered(Kind.CALL, 1, b"\xc1\xc1"),
    write_numbered(Kind.CALL, 1, b"\x93\x01\x02\x03"),
    write_numbered(Kind.VISIT, 1, b"\x91\x01"),
    write_numbered(Kind.REPLY, 1, b"\x94\x01\x01\xc0\xc0"),
    write_notice([1, 2], b"x"),
]


@pytest.mark.parametrize("data", HOSTILE)
@in_virtual_time
async def test_what_is_no_node_gets_no_answer(data: bytes) -> None:
    wire, host = LinkWire(), Host()
    carrier = WireCarrier(wire)
    carrier.other = WireCarrier(wire)
    carrier.other.end = carrier.end = AnsweringEnd("a", carrier, host.open_visit)
    carrier.receive(data)
    await settle()
    assert wire.why
    assert wire.passed == []
    assert host.visits == []


@pytest.mark.parametrize("data", AFTER_GREETING)
@in_virtual_time
async def test_wrong_frames_end_the_link(data: bytes) -> None:
    pair = Pair()
    await settle()
    pair.wire.carriers[1].receive(data)
    assert pair.wire.why
    assert pair.asking.is_lost
    assert pair.answering.is_lost


@pytest.mark.parametrize(
    "data",
    [
        write_numbered(Kind.REPLY, 9, b"\x94\x01\x09\xc0\xc0"),
        write_numbered(Kind.PART, 9, b"x"),
        write_numbered(Kind.CALL, 9, b"x"),
        write_frame(Kind.NOTICE, b"\x00\x05\x00"),
        write_numbered(Kind.END, 1, b"\xc1"),
    ],
)
@in_virtual_time
async def test_wrong_frames_from_the_node_with_the_tables_end_the_link(data: bytes) -> None:
    pair = Pair()
    pair.open_line()
    await settle()
    pair.wire.carriers[0].receive(data)
    assert pair.wire.why
    assert pair.asking.is_lost


def test_a_stream_is_cut_into_its_frames_however_it_comes() -> None:
    frames = [write_numbered(Kind.CALL, n, b"x" * n) for n in range(40)]
    stream = b"".join(frames)
    for size in (1, 2, 5, 7, 64, len(stream)):
        reader, found = FrameReader(), []
        for start in range(0, len(stream), size):
            found += [frame.content for frame in reader.read_frames(stream[start : start + size])]
        assert found == [frame[5:] for frame in frames]


def test_a_notice_names_all_its_lines() -> None:
    frame = write_notice([1, 70_000, 5], b"bytes")
    assert read_notice(frame[5:]) == ((1, 70_000, 5), b"bytes")
    with pytest.raises(LinkFault):
        read_notice(frame[5:12])
