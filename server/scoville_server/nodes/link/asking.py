"""The end of a link at the node whose users ask: their lines, their requests, and what comes back for them."""

from collections import defaultdict
from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Final, NamedTuple, Protocol, cast

import msgspec

from scoville_server.background.eventual import Eventual
from scoville_server.errors import link_lost, node_unreached
from scoville_server.nodes.link.ends import Carrier, LinkEnd
from scoville_server.nodes.link.frames import (
    Introduction,
    Kind,
    LinkFault,
    PassedOn,
    read_notice,
    read_numbered,
    read_struct,
    write_numbered,
    write_of_line,
)
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.decoding import MALFORMED, REQUEST, ErrorMap, NotificationFrame, read_from_server
from scoville_shared.protocol.messages import METHOD_OF, ByeNotice, Params, Reply, UnwatchRequest, WatchRequest

MOST_WAITING: Final = 2 * 1024 * 1024
"""Bytes of requests that may wait for a node that does not read; then further ones are refused."""
_NUMBERS: Final = 2**32
_NIL: Final = b"\xc0"
"""In place of an error: there is none."""

_encode = msgspec.msgpack.encode
_read_error = msgspec.msgpack.Decoder(ErrorMap | None).decode
_read_bye = msgspec.msgpack.Decoder(list[ByeNotice]).decode


class Effect(Enum):
    """Effect of a request, which decides about it when the link is lost."""

    READS = auto()
    """It changes nothing."""
    NUMBERED = auto()
    """It is a move: it counts once, however often it comes."""
    CHANGES = auto()
    """It changes something, each time."""


class Receiver(Protocol):
    """Receiver of everything that comes back on a line: the connection of a user."""

    def take_notice(self, notice: bytes) -> None:
        """Pass on a notice, as the bytes that a client gets."""

    def end_line(self, bye: ByeNotice | None) -> None:
        """Send the user away, as the other node wants: the line has ended."""

    def watch_elsewhere(self, passed: PassedOn) -> None:
        """Go on watching a table that the other node has handed over."""

    def lose_watched(self, unanswered: Collection[object]) -> None:
        """Let the user come back: the link is lost by which they have watched a table, or were about to.

        Their client may ask again for everything that is `unanswered`.
        """


AskAgain = Callable[[Eventual[Reply]], object]
"""Asks the node to which a table has moved, for the same reply."""


class _Call(NamedTuple):
    """A request that is not answered yet."""

    reply: Eventual[Reply]
    table: str
    effect: Effect
    line: "AskingLine"
    watches: bool
    ask_again: AskAgain | None


class AskingLine:
    """The line of one connection of a user to another node."""

    def __init__(self, end: "AskingEnd", number: int, receiver: Receiver) -> None:
        self.number = number
        self.receiver = receiver
        self.watched: set[str] = set()
        """Tables that the user has asked to watch, and perhaps does."""
        self.known: object = None
        """The latest message of their node about the user, to compare the next one with."""
        self._end = end

    @property
    def is_alive(self) -> bool:
        """Whether it still leads to the other node."""
        return self._end.has_line(self)

    def introduce_user(self, introduction: Introduction) -> None:
        """Introduce the user of the requests that follow to the other node."""
        self._end.send_visit(self.number, introduction)

    def resume_watching(self, passed: PassedOn) -> None:
        """Go on watching a table that has moved to the other node."""
        self.watched.add(passed.table)
        self._end.send_passed(self.number, passed)

    def send_request(
        self, params: Params, table: str, effect: Effect, ask_again: AskAgain | None = None
    ) -> Eventual[Reply]:
        """Ask the other node; the reply is one as bytes, for a client. Raises ScovilleError `busy`.

        The reply may be an error: that of the other node, `busy` if nothing was done, and `outcome_unknown` if the
        link was lost meanwhile. Nothing is asked twice but what the other node has refused since the table has moved.
        """
        reply = self._end.send_request(self, params, table, effect, ask_again)
        if type(params) is WatchRequest:
            self.watched.add(table)
        elif type(params) is UnwatchRequest:
            self.watched.discard(table)
        return reply

    def leave(self) -> None:
        """End the line: its connection is gone."""
        self._end.end_line(self)


class AskingEnd(LinkEnd):
    """The end of the node that has opened a link; `on_lost` is called when it has ended."""

    def __init__(self, me: str, other: str, carrier: Carrier, on_lost: Callable[[], object] = lambda: None) -> None:
        super().__init__(me, other, carrier)
        self._on_lost = on_lost
        self._lines: dict[int, AskingLine] = {}
        self._calls: dict[int, _Call] = {}
        self._next_line = self._next_call = 0
        self._beginnings: dict[int, bytearray] = {}
        """Of long replies."""

    def begin_link(self) -> None:
        """Greet the other node: there is a connection."""
        self._greet()

    def has_line(self, line: AskingLine) -> bool:
        """Whether a line has not ended."""
        return self._lines.get(line.number) is line

    def open_line(self, receiver: Receiver) -> AskingLine:
        """Begin a line; nothing waits for the connection."""
        # No number comes twice: frames under way for a line that has ended must not reach another user.
        self._next_line += 1
        if self._next_line == _NUMBERS:
            self._carrier.end_link("it has used up its numbers")
        line = AskingLine(self, self._next_line, receiver)
        if not self.is_lost:
            self._lines[line.number] = line
        return line

    def send_visit(self, line: int, introduction: Introduction) -> None:
        """Tell whom a line belongs to."""
        self._send(write_of_line(Kind.VISIT, line, introduction))

    def send_passed(self, line: int, passed: PassedOn) -> None:
        """Tell that a line goes on watching a table that has moved to the other node."""
        self._send(write_of_line(Kind.RESUME, line, passed))

    def send_request(
        self, line: AskingLine, params: Params, table: str, effect: Effect, ask_again: AskAgain | None
    ) -> Eventual[Reply]:
        """Send a request of a line. Raises ScovilleError `busy`."""
        if not self.has_line(line) or len(self._early) + len(self.out) > MOST_WAITING:
            raise node_unreached(table)
        while self._next_call in self._calls:
            self._next_call = (self._next_call + 1) % _NUMBERS
        number, self._next_call = self._next_call, (self._next_call + 1) % _NUMBERS
        reply: Eventual[Reply] = Eventual()
        self._calls[number] = _Call(reply, table, effect, line, type(params) is WatchRequest, ask_again)
        request = _encode((REQUEST, number, METHOD_OF[type(params)], (params,)))
        self._send(write_numbered(Kind.CALL, line.number, request))
        return reply

    def end_line(self, line: AskingLine) -> None:
        """End a line; what comes for it from now on is dropped."""
        if self._lines.pop(line.number, None) is not None:
            self._send(write_numbered(Kind.LEAVE, line.number, b""))

    # --- what comes back -----------------------------------------------------------------------------

    def read_frame(self, kind: int, content: bytes) -> None:
        if kind == Kind.NOTICE:
            self._pass_on_notice(*read_notice(content))
        elif kind == Kind.REPLY:
            self._answer_call(*read_numbered(content))
        elif kind == Kind.PART:
            number, part = read_numbered(content)
            if number not in self._calls:
                raise LinkFault("it answers what nobody has asked")
            self._beginnings.setdefault(number, bytearray()).extend(part)
        elif kind == Kind.END:
            self._end_by_other(*read_numbered(content))
        elif kind == Kind.PASS_ON:
            number, rest = read_numbered(content)
            self._pass_on_watch(number, read_struct(PassedOn, rest))
        else:
            raise LinkFault(f"a frame of kind {kind} is not for this end")

    def _pass_on_notice(self, lines: tuple[int, ...], notice: bytes) -> None:
        for number in lines:
            line = self._lines.get(number)
            # The line may have ended here while this was on its way.
            if line is not None:
                line.receiver.take_notice(notice)

    def _pass_on_watch(self, number: int, passed: PassedOn) -> None:
        line = self._lines.get(number)
        if line is not None:
            line.watched.discard(passed.table)
            line.receiver.watch_elsewhere(passed)

    def _answer_call(self, number: int, rest: bytes) -> None:
        call = self._calls.pop(number, None)
        beginning = self._beginnings.pop(number, None)
        if call is None:
            raise LinkFault("it answers what nobody has asked")
        try:
            response = read_from_server(rest if beginning is None else bytes(beginning) + rest)
            if isinstance(response, NotificationFrame) or response.msgid != number:
                raise LinkFault("a reply is none")
            error = None if response.error == _NIL else _read_error(response.error)
        except MALFORMED as wrong:
            raise LinkFault(f"a reply: {wrong}") from wrong
        if error is not None:
            if call.watches:
                call.line.watched.discard(call.table)
            if error.code == Code.MOVED and call.ask_again is not None:
                call.ask_again(call.reply)
            else:
                call.reply.set_exception(ScovilleError(error.code, error.message, error.data))
        else:
            # As it came: the connection puts the very bytes into its own reply.
            call.reply.set_result(cast("Reply", response.result))

    def _end_by_other(self, number: int, bye: bytes) -> None:
        line = self._lines.pop(number, None)
        if line is not None:
            line.receiver.end_line(_read_goodbye(bye))

    def release_lines(self, *, was_open: bool) -> None:
        calls, lines = self._calls, self._lines
        self._calls, self._lines, self._beginnings = {}, {}, {}
        left: defaultdict[int, list[object]] = defaultdict(list)
        for call in calls.values():
            # Nothing was sent by a link that was never open.
            if was_open and call.line.watched and call.effect is not Effect.CHANGES:
                left[call.line.number].append(call.reply)
            elif was_open and call.effect is not Effect.READS:
                call.reply.set_exception(link_lost())
            else:
                call.reply.set_exception(node_unreached(call.table))
        # After the answers: a closed connection gets none.
        for line in lines.values():
            if was_open and line.watched:
                line.receiver.lose_watched(left[line.number])
        self._on_lost()


def _read_goodbye(notice: bytes) -> ByeNotice | None:
    if not notice:
        return None
    try:
        frame = read_from_server(notice)
        if not isinstance(frame, NotificationFrame):
            raise LinkFault("a goodbye is none")
        return _read_bye(frame.params)[0]
    except (*MALFORMED, IndexError) as wrong:
        raise LinkFault(f"a goodbye: {wrong}") from wrong
