"""`scoville doctor`: what it asks, what it reads from the answers, and terminals that say nothing."""

import os
from pathlib import Path

import pytest

from scoville_client.cli.doctor_command import (
    SAMPLES,
    Surroundings,
    examine_terminal,
    is_complete,
    read_answers,
    read_measured,
    write_questions,
)
from scoville_client.settings.file import SettingsFile
from scoville_client.settings.terminals import CHILLI, EMOJI, Measured, Terminals

XTERM = {"TERM": "xterm-256color", "LANG": "de_DE.UTF-8"}
OVER_SSH = {**XTERM, "SSH_CONNECTION": "192.0.2.7 50000 192.0.2.1 22"}


def positions(**wide: int) -> bytes:
    """Answer where the cursor is after each sample; `wide` are the samples that are wider than expected."""
    expected = read_measured(b"", XTERM, encodes_unicode=True).expected
    return b"".join(b"\x1b[7;%dR" % (1 + wide.get(sample, expected[sample])) for sample in SAMPLES)


ANSWERS = (
    positions()
    + b"\x1b[?2026;2$y\x1b[?1006;0$y\x1b]11;rgb:fbfb/f6f6/ecec\x1b\\\x1bP>|foot(1.16)\x1b\\"
    + b"\x1bP1$r0;48:2::1:2:3m\x1b\\\x1b[?62;4c"
)


def test_everything_that_a_terminal_answers_is_read() -> None:
    found = read_measured(ANSWERS, XTERM, encodes_unicode=True)
    assert (found.colours, found.characters, found.light) == ("true", "unicode", True)
    assert (found.synchronized, found.mouse, found.version) == (True, False, "foot(1.16)")
    assert found.is_as_reckoned(EMOJI)
    assert found.is_as_reckoned(CHILLI)
    assert is_complete(ANSWERS)
    assert not is_complete(ANSWERS[:-1])


@pytest.mark.parametrize(
    ("name", "answer", "shown"),
    [(b"kitty(0.42.1)", b"OK", True), (b"kitty(0.42.1)", b"no", False), (b"foot", b"OK", False)],
)
def test_card_pictures_need_a_terminal_that_shows_placeholders(name: bytes, answer: bytes, shown: bool) -> None:
    kitty = {"TERM": "xterm-kitty", "LANG": "de_DE.UTF-8"}
    assert b"\x1b_Gi=31" in write_questions(kitty)
    assert b"\x1b_G" not in write_questions(XTERM) + write_questions({**kitty, "TMUX": "default,1,0"})
    answers = positions() + b"\x1bP>|" + name + b"\x1b\\\x1b_Gi=31;" + answer + b"\x1b\\\x1b[?62c"
    assert read_measured(answers, kitty, encodes_unicode=True).pictures == shown
    assert read_measured(b"", kitty, encodes_unicode=True).pictures is None


def test_a_chilli_and_glyphs_of_another_width() -> None:
    wide = read_measured(positions(**{CHILLI: 2}), XTERM, encodes_unicode=True)
    assert not wide.is_as_reckoned(CHILLI)
    assert wide.is_as_reckoned(EMOJI)
    assert wide.characters == "unicode"
    assert read_measured(positions(**{"●◆■□": 8}), XTERM, encodes_unicode=True).characters == "ascii"
    assert read_measured(ANSWERS, XTERM, encodes_unicode=False).characters == "ascii"


def test_silence_garbage_and_a_black_background() -> None:
    silent = read_measured(b"", XTERM, encodes_unicode=True)
    assert (silent.colours, silent.characters, silent.light, silent.mouse) == ("256", "unicode", None, None)
    assert not silent.is_as_reckoned(EMOJI)
    garbage = read_measured(b"\x1b[1;1\xff\x00hello\x1b]11;rgb:0/0/0\x07\x1b[;R", XTERM, encodes_unicode=True)
    assert (garbage.light, garbage.widths) == (False, {})


def test_old_terminals_get_only_queries_they_understand() -> None:
    assert write_questions({"TERM": "dumb"}) == write_questions({}) == b""
    old = write_questions({"TERM": "linux"})
    assert b"\x1bP" not in old
    assert b"\x1b]" not in old
    assert old.endswith(b"\x1b[c")
    assert read_measured(positions(), {"TERM": "linux"}, encodes_unicode=True).characters == "light"
    assert b"\x1b[?2026$p" in write_questions(XTERM)


def test_a_silent_terminal_costs_only_the_time_limit() -> None:
    master, slave = os.openpty()
    try:
        assert read_answers(slave, is_complete, 2.0, iter([0.0, 2.0]).__next__) == b""
        os.write(master, b"\x1b[?62c\n")
        assert read_answers(slave, is_complete, 2.0, iter([0.0, 0.1]).__next__) == b"\x1b[?62c\n"
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("environment", [XTERM, OVER_SSH], ids=["here", "ssh"])
def test_the_table_names_no_address_and_the_answers_are_remembered(
    environment: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terminals = Terminals(tmp_path / "cache" / "terminals.json")
    here = Surroundings(environment, (80, 24), "utf-8", stdin=True, stdout=True)
    assert examine_terminal(here, SettingsFile(None), terminals, lambda *_: ANSWERS) == 0
    table = capsys.readouterr().out
    for words in ("TERM=xterm-256color, foot(1.16)", "80 x 24", "de_DE.UTF-8", "all as wide as expected", "Remembered"):
        assert words in table
    assert ("ssh" in table) == (environment is OVER_SSH)
    assert "192.0.2" not in table
    assert terminals.find(environment).light
    assert terminals.find({**XTERM, "SSH_CONNECTION": "192.0.2.8 1 2 3"}) == Measured()


def test_without_a_terminal_it_says_so_and_remembers_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terminals = Terminals(tmp_path / "terminals.json")
    here = Surroundings({"TERM": "xterm"}, None, "ascii", stdin=False, stdout=False)
    assert examine_terminal(here, SettingsFile(None), terminals, lambda *_: None) == 0
    table = capsys.readouterr().out
    assert "no terminal to ask" in table
    assert "Nothing was measured" in table
    assert not list(tmp_path.iterdir())


def test_memory_is_bounded_and_survives_damage(tmp_path: Path) -> None:
    terminals = Terminals(tmp_path / "terminals.json")
    for number in range(40):
        assert terminals.remember({"TERM": f"t{number}"}, Measured(light=True))
    assert terminals.find({"TERM": "t39"}).light
    assert terminals.find({"TERM": "t7"}) == Measured()
    (tmp_path / "terminals.json").write_bytes(b"\xff{")
    assert terminals.find({"TERM": "t39"}) == Measured()
    assert not Terminals(tmp_path / "terminals.json" / "x").remember(XTERM, Measured())
