"""Lines that are typed on a raw terminal."""

import pytest

from scoville_client.doors.hosting.lines import LONGEST, LineEditor


class Terminal:
    def __init__(self) -> None:
        self.shown = ""
        self.editor = LineEditor(self.write)

    def write(self, text: str) -> None:
        self.shown += text

    def type(self, *parts: bytes) -> list[str]:
        return [line for part in parts for line in self.editor.type_bytes(part)]


def test_lines_with_an_echo() -> None:
    terminal = Terminal()
    assert terminal.type(b"jo", b"in 1\r") == ["join 1"]
    assert terminal.shown == "join 1\r\n"


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_each_kind_of_line_break_is_one(end: bytes) -> None:
    assert Terminal().type(b"a" + end + b"b" + end) == ["a", "b"]


def test_backspace_takes_a_character_with_all_its_cells() -> None:
    terminal = Terminal()
    assert terminal.type("a字".encode(), b"\x7f\x7f\x7f", b"b\r") == ["b"]
    assert terminal.shown == "a字\b \b\b \b\b \bb\r\n"


def test_ctrl_u_clears_the_line() -> None:
    assert Terminal().type(b"wrong\x15right\r") == ["right"]


@pytest.mark.parametrize("keys", [b"\x03", b"half a line\x03", b"\x04"])
def test_ctrl_c_and_ctrl_d_end_the_input(keys: bytes) -> None:
    terminal = Terminal()
    assert terminal.type(keys, b"more\r") == []
    assert terminal.editor.ended


def test_ctrl_d_after_text_does_nothing() -> None:
    terminal = Terminal()
    assert terminal.type(b"who\x04\r") == ["who"]


@pytest.mark.parametrize("keys", [b"\x1b[A", b"\x1bOP", b"\x1b[1;5C", b"\x1b[200~", b"\x1bx", b"\x1b[" + b"1" * 40])
def test_escape_sequences_are_ignored(keys: bytes) -> None:
    assert Terminal().type(keys, b"\x1b[Awho\r")[0].endswith("who")
    assert Terminal().type(b"\x1b[Awho\r") == ["who"]


def test_a_password_is_not_shown() -> None:
    terminal = Terminal()
    terminal.editor.hidden = True
    assert terminal.type(b"secret\x7f\r") == ["secre"]
    assert terminal.shown == "\r\n"


def test_news_come_above_what_is_being_typed() -> None:
    terminal = Terminal()
    terminal.type(b"sa")
    terminal.editor.write_above("Bert joins.")
    assert terminal.shown == "sa\b \b\b \bBert joins.\r\nsa"


def test_an_endless_line_is_cut() -> None:
    (line,) = Terminal().type(b"x" * 100_000 + b"\r")
    assert len(line) == LONGEST


def test_a_character_in_two_parts() -> None:
    word = "é".encode()
    assert Terminal().type(word[:1], word[1:], b"\r") == ["é"]


def test_tab_completes_what_is_typed_and_shows_it() -> None:
    terminal = Terminal()
    terminal.editor.complete = {"w Ma": "w Marie ", "w Marie ": "w Max "}.get
    assert terminal.type(b"w Ma\t\thi\r") == ["w Max hi"]
    assert terminal.shown.endswith("w Max hi\r\n")


def test_tab_does_nothing_without_completions_or_in_secrets() -> None:
    terminal = Terminal()
    assert terminal.type(b"who\t\r") == ["who"]
    terminal.editor.complete = lambda _: "else"
    terminal.editor.hidden = True
    assert terminal.type(b"word\t\r") == ["word"]
