"""Titles and bells with hostile texts: each write is one whole sequence of the client's own, whatever it names."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from scoville_client.tui import notifications
from scoville_client.tui.notifications import BELL, LONGEST, Call, Notifier, title_of
from scoville_client.tui.terminal.colours import DEFAULT, pen_of, write_change
from tests.support.hostile import EVERYTHING, PAYLOADS, list_disturbances
from tests.support.tree import ROOT

SEQUENCES = (
    "\x1b]9;owned\x1b\\",
    "\x1b]777;notify;owned;now\x07",
    "\x1b]99;i=1;owned\x1b\\",
    "\x1b]2;owned\x07",
    "\x1b\\\x1b]0;owned\x07",
    "\x9d2;owned\x9c",
    "\x07" * 9,
    "\x1bPtmux;\x1b\x1b]52;c;b3duZWQ=\x07\x1b\\",
    "owned\r\n\x1b[2J",
    "漢" * 500,
    "\ufdfd" * 500,
    "a" + "\u0301" * 500,
    "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 60,
)
HOSTILE = (*SEQUENCES, *PAYLOADS, EVERYTHING)
TITLE = re.compile(r"\x1b\]2;([^\x00-\x1f\x7f-\x9f]*)\x1b\\", re.ASCII)


def check(written: str) -> None:
    """Fail unless a write is the bell, or one title that neither acts, hides nor is too wide."""
    if written == BELL:
        return
    title = TITLE.fullmatch(written)
    assert title is not None, repr(written)
    assert list_disturbances(title[1]) == []
    assert cell_len(title[1]) <= LONGEST


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("focused", [None, False, True])
def test_every_write_is_a_bell_or_one_whole_title(text: str, focused: bool | None) -> None:
    writes: list[str] = []
    notifier = Notifier(writes.append)
    if focused is not None:
        notifier.note_focus(focused=focused)
    notifier.show_game(text, my_turn=False)
    notifier.show_game(text, my_turn=True)
    notifier.notify_user(Call.WHISPER, text)
    notifier.notify_user(Call.INVITATION, f"{text} invites you")
    notifier.note_key()
    notifier.allow_ways(bell=True, title=False)
    assert writes
    for written in writes:
        check(written)


@given(st.text(st.characters(), max_size=200))
def test_no_text_leaves_a_title(text: str) -> None:
    check(title_of(text))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_catalog_leaves_no_title_either(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "tr", lambda *_, **__: text)
    writes: list[str] = []
    notifier = Notifier(writes.append)
    notifier.note_focus(focused=False)
    notifier.show_game("No Thanks!", my_turn=True)
    assert BELL in writes
    for written in writes:
        check(written)


def test_titles_are_the_only_terminal_commands() -> None:
    """Another sequence of OSC, such as 9 or 777, would need `cleaned` and a test of its own, as links have one below.

    What `doctor` and reports ask the terminal is constant, without any text of others; a progress is two numbers.
    """
    client = ROOT / "client" / "scoville_client"
    places = [path for path in sorted(client.rglob("*.py")) if _has_osc(path)]
    assert places == [
        client / "cli" / "doctor_command.py",
        client / "tui" / "notifications.py",
        client / "tui" / "reports.py",
        client / "tui" / "terminal" / "colours.py",
        client / "tui" / "terminal" / "progress.py",
    ]


@pytest.mark.parametrize("end", ["\x1b\\", "\x07", "\x9c", "\n", "\x00"])
def test_no_address_leaves_a_link(end: str) -> None:
    hostile = Style(link=f"https://a{end}\x1b]52;c;cm0=\x07")
    assert write_change(DEFAULT, pen_of(hostile, "true")) == ""
    assert write_change(DEFAULT, pen_of(Style(link="https://a/?b=ü&c"), "true")) == "\x1b]8;;https://a/?b=ü&c\x1b\\"


def _has_osc(path: Path) -> bool:
    return re.search(r"\\x1b\]|\\033\]|\\x9d|\\u009d|\\e\]", path.read_text(encoding="utf-8")) is not None
