"""The end of a link at the node that has the tables: it answers requests of the other node's users."""

from collections import deque
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any, Final, Protocol

from scoville_server.background.eventual import Eventual, Pending, start_awaitable
from scoville_server.errors import table_moved
from scoville_server.net.driver.requests import log_failure
from scoville_server.net.peer import DetachedConnection, HandedSocket
from scoville_server.nodes.link.ends import Carrier, LinkEnd
from scoville_server.nodes.link.frames import (
    MOST_LINES,
    PORTION,
    Introduction,
    Kind,
    LinkFault,
    PassedOn,
    read_numbered,
    read_struct,
    write_notice,
    write_numbered,
    write_of_line,
)
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import Fault, Malformed, Notification, ServerConnection, notice_bytes
from scoville_shared.protocol.decoding import MALFORMED, read_usual_request
from scoville_shared.protocol.messages import (
    ByeNotice,
    ExportReply,
    HostedUser,
    LookBackReply,
    Notice,
    Params,
    Reply,
)

IN_PORTIONS: Final = (LookBackReply, ExportReply)
"""Replies before whose end notices may come: they tell of what is past."""
MOST_PORTIONS: Final = 512
"""Portions that may wait, 8 MiB: a node that reads slowly gets no further long replies meanwhile."""


class Visit(Protocol):
    """A user of the other node at the tables of this one."""

    def introduce_user(self, introduction: Introduction) -> None:
        """Note their node's latest data of them."""

    def handle_request(self, params: Params) -> Reply | Awaitable[Reply]:
        """Answer a request. Raises ScovilleError."""

    def resume_watching(self, passed: PassedOn) -> None:
        """Go on watching a table that has moved to this node, or send them away."""

    def end_visit(self) -> None:
        """Note that their connection is gone, or that of the two nodes."""


class FarPeer:
    """The connection of a user to the other node, as the tables of this one see it: a `Peer`."""

    door: HostedUser | None = None

    def __init__(self, end: "AnsweringEnd", line: int, introduction: Introduction) -> None:
        self._end = end
        self._line = line
        self.node = end.other
        self.address, self.number = introduction.address, introduction.number
        self.secure, self.local = introduction.secure, introduction.local

    def notify(self, notice: Notice) -> None:
        self._end.send_notice(self._line, notice)

    def pass_on_notice(self, notice: bytes) -> None:
        """Nothing comes from further away: requests cross one link."""
        raise NotImplementedError

    def hold_requests(self) -> Collection[object]:
        return self._end.hold_requests(self._line)

    def hand_over(self) -> HandedSocket | None:
        return None

    def hand_to_relay(self) -> DetachedConnection | None:
        return None

    def close(self, bye: ByeNotice | None = None) -> None:
        self._end.close_line(self._line, bye)

    def watch_elsewhere(self, passed: PassedOn, bye: ByeNotice) -> None:
        """Let the user go on watching a table at another node; where theirs does not know how, they get `bye`."""
        self._end.pass_on_watch(self._line, passed, bye)


class _Line:
    """The visit of one user of the other node, with its unanswered requests."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.waiting: set[Pending[Reply]] = set()
        """Its requests that are not answered yet."""


class AnsweringEnd(LinkEnd):
    """The end of the node that has accepted a link; `open_visit` begins the visit of a user, with their connection."""

    def __init__(self, me: str, carrier: Carrier, open_visit: Callable[[FarPeer, Introduction], Visit]) -> None:
        super().__init__(me, "", carrier)
        self._open_visit = open_visit
        self._lines: dict[int, _Line] = {}
        # It reads and writes what crosses as a client's connection would, but is none.
        self._wire = ServerConnection()
        self._notice: Notice | None = None
        self._recipients: list[int] = []
        """The latest notice, and the lines that get it: it is encoded once for all of them."""
        self._portions: deque[bytes] = deque()

    def answer_greeting(self) -> None:
        self._greet()

    def read_frame(self, kind: int, content: bytes) -> None:
        if kind not in (Kind.CALL, Kind.VISIT, Kind.LEAVE, Kind.RESUME):
            raise LinkFault(f"a frame of kind {kind} is not for this end")
        number, rest = read_numbered(content)
        if kind == Kind.CALL:
            self._answer_call(number, rest)
        elif kind == Kind.VISIT:
            self._begin_visit(number, read_struct(Introduction, rest))
        elif kind == Kind.RESUME:
            passed = read_struct(PassedOn, rest)
            if number in self._lines:
                self._lines[number].visit.resume_watching(passed)
        else:
            self._end_visit(number)

    # --- requests ------------------------------------------------------------------------------------

    def _begin_visit(self, number: int, introduction: Introduction) -> None:
        line = self._lines.get(number)
        if line is None:
            peer = FarPeer(self, number, introduction)
            self._lines[number] = _Line(self._open_visit(peer, introduction))
        else:
            line.visit.introduce_user(introduction)

    def _answer_call(self, number: int, request: bytes) -> None:
        try:
            frame: Any = read_usual_request(request)
        except MALFORMED:
            frame = request
        found = self._wire.decode_frame(frame)
        if isinstance(found, Malformed):
            # The other node may know requests that are newer than this one.
            self._wire.refuse(found.msgid, found.error)
            self._send_reply(found.msgid)
        elif isinstance(found, Notification | Fault):
            raise LinkFault("a request is none")
        else:
            self._carry_out(number, *found)

    def _carry_out(self, number: int, call: int, params: Params) -> None:
        line = self._lines.get(number)
        try:
            if line is None:
                # The line was closed here while the request was on its way: nothing has happened.
                raise table_moved(getattr(params, "table", None) or "")
            answer = line.visit.handle_request(params)
            if not isinstance(answer, Awaitable):
                self._reply_to_call(call, answer)
                return
            waiting = start_awaitable(answer)
            if isinstance(waiting, Eventual) and waiting.done():
                self._reply_to_call(call, waiting.result())
                return
        except Exception as error:  # noqa: BLE001 - a fault in a handler must not end the link
            self._refuse_call(call, params, error)
            return
        line.waiting.add(waiting)
        waiting.add_done_callback(partial(self._answer_late, line, call, params))

    def _answer_late(self, line: _Line, call: int, params: Params, answer: Pending[Reply]) -> None:
        line.waiting.discard(answer)
        if answer.cancelled():
            self._refuse_call(call, params, ScovilleError(Code.SHUTTING_DOWN, "The server has cancelled this request."))
        elif (error := answer.exception()) is not None:
            self._refuse_call(call, params, error)
        else:
            self._reply_to_call(call, answer.result())

    def _reply_to_call(self, call: int, reply: Reply) -> None:
        in_portions = isinstance(reply, IN_PORTIONS)
        if in_portions and len(self._portions) >= MOST_PORTIONS:
            # They only read: nothing is lost, and their users may ask again.
            sentence = "The server process with this table is overloaded; try again in a moment."
            self._wire.refuse(call, ScovilleError(Code.BUSY, sentence))
        else:
            self._wire.reply(call, reply)
        self._send_reply(call, in_portions=in_portions)

    def _refuse_call(self, call: int, params: Params, error: BaseException) -> None:
        if not isinstance(error, ScovilleError):
            error = log_failure(params, f"a user of node {self.other}", error)
        self._wire.refuse(call, error)
        self._send_reply(call)

    def _send_reply(self, call: int, *, in_portions: bool = False) -> None:
        reply = self._wire.take_bytes()
        self._finish_notice()
        if not in_portions or len(reply) <= PORTION:
            self._send(write_numbered(Kind.REPLY, call, reply))
            return
        parts = [reply[start : start + PORTION] for start in range(0, len(reply), PORTION)]
        for part in parts[:-1]:
            self._portions.append(write_numbered(Kind.PART, call, part))
        self._portions.append(write_numbered(Kind.REPLY, call, parts[-1]))
        self._carrier.flush_soon()

    # --- notices -------------------------------------------------------------------------------------

    def send_notice(self, line: int, notice: Notice) -> None:
        """Send a notice to a line; to others in the same turn it goes in the same frame."""
        if line not in self._lines:
            return
        if notice is not self._notice or len(self._recipients) == MOST_LINES:
            self._finish_notice()
            self._notice = notice
            self._carrier.flush_soon()
        self._recipients.append(line)

    def _finish_notice(self) -> None:
        """Send the latest notice before anything else is sent."""
        notice, self._notice = self._notice, None
        if notice is not None:
            lines, self._recipients = self._recipients, []
            self._send(write_notice(lines, notice_bytes(notice)))

    def take_bytes(self) -> bytes:
        self._finish_notice()
        if self._portions:
            self.out += self._portions.popleft()
        return super().take_bytes()

    @property
    def has_more(self) -> bool:
        return bool(self._portions)

    # --- the ends of lines ---------------------------------------------------------------------------

    def hold_requests(self, number: int) -> Collection[object]:
        """Return the requests of a line that are not answered yet."""
        line = self._lines.get(number)
        return () if line is None else line.waiting

    def close_line(self, number: int, bye: ByeNotice | None) -> None:
        """Send the user of a line away: what is queued for it comes first."""
        if number in self._lines:
            self._finish_notice()
            self._send(write_numbered(Kind.END, number, b"" if bye is None else notice_bytes(bye)))
            self._end_visit(number)

    def pass_on_watch(self, number: int, passed: PassedOn, bye: ByeNotice) -> None:
        """Let a line go on watching a table at another node, behind all that was sent of it here."""
        if not self.passes_on:
            self.close_line(number, bye)
        elif number in self._lines:
            self._finish_notice()
            self._send(write_of_line(Kind.PASS_ON, number, passed))

    def _end_visit(self, number: int) -> None:
        line = self._lines.pop(number, None)
        if line is not None:
            for answer in tuple(line.waiting):
                # Nobody wants the answer any more, but the other node counts on one; an Eventual would forget it.
                if not isinstance(answer, Eventual):
                    answer.cancel()
            line.visit.end_visit()

    def release_lines(self, *, was_open: bool) -> None:  # noqa: ARG002 - lines begin when it is open
        self._notice = None
        self._portions.clear()
        for number in tuple(self._lines):
            self._end_visit(number)
