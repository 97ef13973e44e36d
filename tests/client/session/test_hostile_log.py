"""Log lines of a table with hostile texts: nothing that is drawn or written of them acts on a terminal or hides."""

import msgpack
import msgspec
import pytest
from rich.segment import Segment
from textual.color import Color

from scoville_client.i18n.language import render
from scoville_client.output import write_line
from scoville_client.session.table.table import AtTable
from scoville_client.tui.terminal.output import VisibleText
from scoville_shared.games.registry import load_game
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.connection import ClientConnection
from tests.support.client import make_snapshot
from tests.support.hostile import EVERYTHING, PAYLOADS, list_disturbances

TEXTS = (*PAYLOADS, EVERYTHING, "\x1b]9;owned\x1b\\", "\x1b]777;notify;owned;now\x07")
ACTING = "".join(char for char in map(chr, range(0xA0)) if not char.isprintable())


def events(text: str) -> list[m.AnyTableEvent]:
    """Every event with a text that its log line shows."""
    at = len(make_snapshot().events)
    return [
        m.Joined(seq=at + 1, seat=0, name=text, host=0),
        m.Left(seq=at + 2, seat=0, name=text, host=None, reason="left"),
        m.Kicked(seq=at + 3, seat=1, name=text, reason=text, host=None),
        m.Kicked(seq=at + 4, seat=None, name=text, reason=None, host=None),
        m.RematchOpened(seq=at + 5, rematch="08efa6d47f85", by=text),
        m.Closed(seq=at + 6, reason=text),
    ]


def log_of(happened: list[m.AnyTableEvent]) -> list[str]:
    """The lines that a table's log has of some events."""
    seen = make_snapshot()
    at = AtTable(load_game(seen.info.game), seen)
    known = len(at.log)
    for event in happened:
        at.apply_event(event, None)
    lines = [render(entry.phrase, at.names) for entry in at.log[known:]]
    assert len(lines) >= len(happened)
    return lines


def received(event: m.AnyTableEvent) -> m.AnyTableEvent:
    """The event as a client decodes it from a server's bytes."""
    connection = ClientConnection()
    connection.feed_bytes(
        msgpack.packb([2, "table.event", [{"table": "t1", "event": msgspec.to_builtins(event), "view": None}]])
    )
    notice = next(connection.read_incoming())
    assert isinstance(notice, m.EventNotice), notice
    return notice.event


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_no_log_line_has_anything_of_what_a_server_sends(text: str) -> None:
    for line in log_of([received(event) for event in events(text)]):
        assert list_disturbances(line) == []


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_segments_and_lines_are_a_second_line_of_defence(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = log_of(events(text))
    for line in lines:
        drawn = VisibleText().apply([Segment(line)], Color(0, 0, 0))
        assert [list_disturbances(segment.text) for segment in drawn] == [[]]
        write_line(line)
    assert list_disturbances(capsys.readouterr().out.replace("\n", "")) == []


def test_one_message_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = log_of(events(f"a{ACTING}b\u2028c\u2029d\u0085e"))
    for line in lines:
        write_line(line)
    assert capsys.readouterr().out.count("\n") == len(lines)
