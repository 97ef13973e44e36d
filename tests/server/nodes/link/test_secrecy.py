"""Whatever crosses a link: each connection gets the very bytes that were for it, in their order, and no others."""

from collections import defaultdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scoville_server.background.eventual import Eventual
from scoville_server.nodes.link.answering import AnsweringEnd
from scoville_server.nodes.link.asking import AskingEnd, AskingLine, Effect
from scoville_server.nodes.link.ends import LinkEnd
from scoville_server.nodes.link.frames import Introduction
from scoville_shared.errors import Code
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.connection import notice_bytes
from tests.support.links import Host, Recorder

LINES = 4


class Queue:
    """A carrier without a loop: its bytes wait until they are passed on."""

    def __init__(self) -> None:
        self.end: LinkEnd

    def flush_soon(self) -> None:
        """They wait."""

    def read_on_soon(self) -> None:
        self.end.read_on()

    def end_link(self, why: str) -> None:
        raise AssertionError(why)


class Link:
    def __init__(self) -> None:
        self.host = Host()
        one, other = Queue(), Queue()
        self.asking = one.end = AskingEnd("b", "a", one)
        self.answering = other.end = AnsweringEnd("a", other, self.host.open_visit)
        self.asking.begin_link()
        self.pass_on()

    def pass_on(self, size: int = 0) -> None:
        """Let everything that waits cross, in pieces of a size."""
        for _ in range(3):
            for end, other in ((self.asking, self.answering), (self.answering, self.asking)):
                data = end.take_bytes()
                step = size or len(data) or 1
                for start in range(0, len(data), step):
                    other.receive_bytes(data[start : start + step])


NOTICES: list[m.Notice] = [
    m.AnnouncedNotice(text="a"),
    m.AnnouncedNotice(text="b" * 300),
    m.PresenceNotice(table="t", seat=0, connected=True),  # type: ignore[arg-type]
]

Step = tuple[str, Any]
some_lines = st.sets(st.integers(0, LINES - 1))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("notice"), st.tuples(st.integers(0, len(NOTICES) - 1), some_lines)),
        st.tuples(st.just("ask"), st.integers(0, LINES - 1)),
        st.tuples(st.just("leave"), st.integers(0, LINES - 1)),
        st.tuples(st.just("close"), st.integers(0, LINES - 1)),
        st.tuples(st.just("cross"), st.integers(0, 9)),
    ),
    max_size=30,
)


class Run:
    """Users on their lines, what each of them must hear, and what is asked."""

    def __init__(self) -> None:
        self.link = Link()
        visits = self.link.host.visits
        self.link.host.answer = lambda visitor, _: m.PlayReply(seq=visits.index(visitor))
        self.lines: list[tuple[AskingLine, Recorder]] = []
        for number in range(LINES):
            recorder = Recorder()
            line = self.link.asking.open_line(recorder)
            line.introduce_user(Introduction(UserId(f"u{number}"), f"U{number}", claimed=False))
            self.lines.append((line, recorder))
        self.link.pass_on()
        self.wanted: defaultdict[int, list[bytes]] = defaultdict(list)
        self.left, self.closed = set[int](), set[int]()
        self.replies: list[tuple[int, Eventual[m.Reply]]] = []

    def notify(self, which: int, whom: set[int]) -> None:
        for number in sorted(whom):
            self.link.host.visits[number].peer.notify(NOTICES[which])
            if number not in self.closed:
                self.wanted[number].append(notice_bytes(NOTICES[which]))

    def ask(self, number: int) -> None:
        line = self.lines[number][0]
        if line.is_alive:
            self.replies.append((number, line.send_request(m.MovesRequest(table="t"), "t", Effect.READS)))

    def leave(self, number: int) -> None:
        """Leave: nobody is there any more for what is still on its way."""
        self.left.add(number)
        line, recorder = self.lines[number]
        line.leave()
        self.wanted[number] = [*recorder.notices]

    def close(self, number: int) -> None:
        if number not in self.left:
            self.closed.add(number)
            self.link.host.visits[number].peer.close(m.ByeNotice(code=Code.MOVED, message="It has moved."))


@given(steps)
def test_each_connection_gets_its_own_bytes_and_no_others(todo: list[Step]) -> None:
    run = Run()
    do = {"ask": run.ask, "leave": run.leave, "close": run.close, "cross": run.link.pass_on}
    for step, what in todo:
        if step == "notice":
            run.notify(*what)
        else:
            do[step](what)
    run.link.pass_on()
    for number, (_, recorder) in enumerate(run.lines):
        if number in run.left:
            assert recorder.notices == run.wanted[number][: len(recorder.notices)]
        else:
            assert recorder.notices == run.wanted[number]
            assert len(recorder.byes) == (number in run.closed)
    for number, reply in run.replies:
        assert reply.done()
        if reply.exception() is None:
            assert bytes(reply.result()) == b"\x81\xa3seq" + bytes([number])  # type: ignore[call-overload]
