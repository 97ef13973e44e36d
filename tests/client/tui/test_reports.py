"""Reports of a terminal about itself become messages, whole or in pieces, and never keys."""

from collections.abc import Iterable

import pytest
from textual.events import Key
from textual.message import Message

from scoville_client.settings.terminals import EMOJI, Measured, measure_emoji
from scoville_client.tui.reports import Report, answers_questions
from scoville_client.tui.textual_hooks.parser import InputParser, TerminalReported

DARK, LIGHT = b"\x1b[?997;1n", b"\x1b[?997;2n"
WHITE, BLACK = b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", b"\x1b]11;rgb:00/00/00\x07"


def read(messages: Iterable[Message]) -> list[object]:
    read: list[object] = []
    for message in messages:
        if isinstance(message, TerminalReported):
            read.append(message.report.light)
        elif isinstance(message, Key):
            read.append(message.key)
    return read


@pytest.mark.parametrize(
    ("data", "light"),
    [(DARK, False), (LIGHT, True), (WHITE, True), (BLACK, False), (b"\x1b]11;rgba:ffff/ffff/ffff/ffff\x07", True)],
)
def test_a_report_is_no_key_wherever_it_is_cut(data: bytes, light: bool) -> None:
    for cut in range(len(data) + 1):
        parser = InputParser()
        got = [*read(parser.feed(b"a" + data[:cut])), *read(parser.feed(data[cut:] + b"b")), *read(parser.tick())]
        assert [each for each in got if each != light] == ["a", "b"], f"cut after {cut} bytes"
        assert light in got


@pytest.mark.parametrize(
    ("data", "report"),
    [
        (b"\x1b_Gi=31;OK\x1b\\", Report(accepts=True)),
        (b"\x1b_Gi=31;EINVAL:no\x1b\\", Report(accepts=False)),
        (b"\x1bP>|ghostty 1.2.0\x1b\\", Report(name="ghostty 1.2.0")),
        (b"\x1b[6;20;10t", Report(cell=(10, 20))),
    ],
)
def test_split_answer_about_pictures_is_no_key(data: bytes, report: Report) -> None:
    for cut in range(len(data) + 1):
        parser = InputParser()
        messages = [*parser.feed(b"a" + data[:cut]), *parser.feed(data[cut:] + b"b"), *parser.tick()]
        assert [each.report for each in messages if isinstance(each, TerminalReported)] == [report]
        assert [each.key for each in messages if isinstance(each, Key)] == ["a", "b"], f"cut after {cut} bytes"


def test_reports_between_keys_are_taken_out() -> None:
    parser = InputParser()
    assert sorted(map(str, read(parser.feed(b"\x1b[A" + LIGHT + b"x" + BLACK + b"\x1b[B")))) == sorted(
        ["up", "True", "x", "False", "down"]
    )


@pytest.mark.parametrize("typed", [b"\x1b]", b"\x1b]1", b"\x1b[?", b"\x1b_", b"\x1bP"])
def test_unfinished_report_is_typed_after_a_while(typed: bytes) -> None:
    parser, plain = InputParser(), InputParser()
    assert read(parser.feed(typed)) == []
    assert parser.unparsed == len(typed)
    list(parser.tick())
    list(plain._parser.feed(typed.decode()))
    assert read(parser.feed(b"z"))[-1:] == read(plain._parser.feed("z"))[-1:]


def test_modes_that_textual_asks_for_still_arrive() -> None:
    parser = InputParser()
    [message] = parser.feed(b"\x1b[?2026;2$y")
    assert type(message).__name__ == "TerminalSupportsSynchronizedOutput"


@pytest.mark.parametrize(
    ("term", "tmux", "asked"),
    [
        ("xterm-256color", False, True),
        ("screen-256color", False, False),
        ("screen-256color", True, True),
        ("linux", False, False),
        ("dumb", False, False),
    ],
)
def test_terminals_that_would_print_a_question_are_not_asked(term: str, tmux: bool, asked: bool) -> None:
    assert answers_questions({"TERM": term, **({"TMUX": "yes"} if tmux else {})}) == asked


def test_widths_are_compared_with_what_the_screens_reckon() -> None:
    assert measure_emoji([2, 1]).is_as_reckoned(EMOJI)
    assert not measure_emoji([1, 1]).is_as_reckoned(EMOJI)
    assert not Measured().is_as_reckoned(EMOJI)
