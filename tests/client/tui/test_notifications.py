"""Terminal bell and window title, byte for byte: texts of other users never arrive unescaped."""

import pytest

from scoville_client.tui.notifications import (
    BELL,
    LONGEST,
    Call,
    DesktopNotices,
    Notifier,
    clean_title,
    find_notices,
    has_titles,
    is_in_tmux,
    notice_of,
)


class Terminal:
    """Records its output."""

    def __init__(self, *, titles: bool = True) -> None:
        self.written: list[str] = []
        self.notifier = Notifier(self.written.append, titles=titles)

    @property
    def bells(self) -> int:
        return self.written.count(BELL)

    @property
    def title(self) -> str:
        """The title that was set last."""
        set_ = [each for each in self.written if each != BELL]
        return set_[-1].removeprefix("\x1b]2;").removesuffix("\x1b\\") if set_ else ""


def test_in_front_nothing_calls_and_the_title_names_the_game() -> None:
    terminal = Terminal()
    terminal.notifier.note_focus(focused=True)
    terminal.notifier.show_game("Dicht dran", my_turn=True)
    assert terminal.title == "Scoville – Dicht dran"
    assert terminal.bells == 0


def test_a_hidden_window_rings_once_and_changes_its_title() -> None:
    terminal = Terminal()
    terminal.notifier.note_focus(focused=False)
    terminal.notifier.show_game("Dicht dran", my_turn=True)
    terminal.notifier.show_game("Dicht dran", my_turn=True)
    assert (terminal.bells, terminal.title) == (1, "● Your turn – Dicht dran")
    terminal.notifier.show_game("Dicht dran", my_turn=False)
    assert terminal.title == "Scoville – Dicht dran"
    terminal.notifier.show_game("Dicht dran", my_turn=True)
    assert terminal.bells == 2
    terminal.notifier.note_focus(focused=True)
    assert terminal.title == "Scoville – Dicht dran"


def test_without_focus_reports_only_the_title_alerts() -> None:
    terminal = Terminal()
    terminal.notifier.show_game("No Thanks!", my_turn=True)
    terminal.notifier.notify_user(Call.INVITATION, "Marie invites you")
    assert (terminal.bells, terminal.title) == (0, "● Marie invites you")
    terminal.notifier.note_key()
    assert terminal.title == "● Your turn – No Thanks!"


def test_news_last_until_the_window_is_in_front() -> None:
    terminal = Terminal()
    terminal.notifier.note_focus(focused=False)
    terminal.notifier.notify_user(Call.WHISPER, "Marie whispers to you")
    assert (terminal.bells, terminal.title) == (1, "● Marie whispers to you")
    terminal.notifier.note_focus(focused=True)
    assert terminal.title == "Scoville"


@pytest.mark.parametrize(("bell", "title"), [(True, False), (False, True), (False, False)])
def test_each_way_to_call_can_be_switched_off(bell: bool, title: bool) -> None:
    terminal = Terminal()
    terminal.notifier.allow_ways(bell=bell, title=title)
    terminal.notifier.note_focus(focused=False)
    terminal.notifier.show_game("Dicht dran", my_turn=True)
    assert terminal.bells == bell
    assert terminal.title == ("● Your turn – Dicht dran" if title else "")


def test_without_titles_only_the_bell_is_written() -> None:
    terminal = Terminal(titles=False)
    terminal.notifier.note_focus(focused=False)
    terminal.notifier.show_game("Dicht dran", my_turn=True)
    assert terminal.written == [BELL]


@pytest.mark.parametrize(
    "evil",
    [
        "\x1b]0;owned\x07",
        "\x1b\\\x1b[2J",
        "\x9d0;owned\x9c",
        "a\nb\rc\x00d\x7f",
        "\u202eevil\u2066\u200b\ufeff",
        "\x1bP+q544e\x1b\\",
    ],
)
def test_nothing_in_a_name_can_end_or_begin_a_sequence(evil: str) -> None:
    terminal = Terminal()
    terminal.notifier.notify_user(Call.INVITATION, f"{evil} invites you")
    (written,) = terminal.written
    assert written.startswith("\x1b]2;")
    assert written.endswith("\x1b\\")
    inside = written.removeprefix("\x1b]2;").removesuffix("\x1b\\")
    assert inside.isprintable()
    assert len(inside) <= LONGEST


def test_a_long_title_is_cut() -> None:
    assert len(clean_title("x" * 500)) == LONGEST
    assert clean_title("  Anna \t  B. ") == "Anna B."


@pytest.mark.parametrize(("term", "has"), [("xterm-256color", True), ("tmux", True), ("linux", False), ("", False)])
def test_terminals_without_a_title_get_none(term: str, has: bool) -> None:
    assert has_titles({"TERM": term}) is has


@pytest.mark.parametrize(
    ("environment", "notices"),
    [
        ({"TERM": "xterm-kitty"}, DesktopNotices.OSC_99),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, DesktopNotices.OSC_99),
        ({"TERM": "foot-extra"}, DesktopNotices.OSC_777),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, DesktopNotices.OSC_777),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, DesktopNotices.OSC_9),
        ({"TERM": "tmux-256color"}, DesktopNotices.OSC_9),
        ({"TERM": "screen-256color", "TMUX": "/run/tmux"}, DesktopNotices.OSC_9),
        ({"TERM": "screen"}, DesktopNotices.NONE),
        ({"TERM": "linux"}, DesktopNotices.NONE),
        ({"TERM": "dumb"}, DesktopNotices.NONE),
        ({}, DesktopNotices.NONE),
    ],
)
def test_each_terminal_gets_the_notice_that_it_knows(environment: dict[str, str], notices: DesktopNotices) -> None:
    assert find_notices(environment) is notices


@pytest.mark.parametrize(
    ("notices", "written"),
    [
        (DesktopNotices.OSC_9, "\x1b]9;Scoville: Your turn – No Thanks!\x1b\\"),
        (DesktopNotices.OSC_99, "\x1b]99;;Scoville: Your turn – No Thanks!\x1b\\"),
        (DesktopNotices.OSC_777, "\x1b]777;notify;Scoville;Your turn – No Thanks!\x1b\\"),
    ],
)
def test_only_a_hidden_window_shows_a_notice(notices: DesktopNotices, written: str) -> None:
    found: list[str] = []
    notifier = Notifier(found.append, notices=notices)
    notifier.show_game("No Thanks!", my_turn=True)
    notifier.show_game("No Thanks!", my_turn=False)
    notifier.note_focus(focused=True)
    notifier.show_game("No Thanks!", my_turn=True)
    notifier.show_game("No Thanks!", my_turn=False)
    assert written not in found
    notifier.note_focus(focused=False)
    notifier.show_game("No Thanks!", my_turn=True)
    assert found.count(written) == 1
    assert found.index(BELL) == found.index(written) + 1
    notifier.allow_ways(bell=True, title=True, desktop=False)
    notifier.notify_user(Call.INVITATION, "Marie invites you")
    assert not any("Marie" in each and each.startswith("\x1b]9") for each in found)


@pytest.mark.parametrize("call", [call for call in Call if call is not Call.TURN])
def test_only_events_that_are_wanted_call(call: Call) -> None:
    terminal = Terminal()
    terminal.notifier.note_focus(focused=False)
    terminal.notifier.allow_calls(each for each in Call if each is not call)
    for event in Call:
        if event is not Call.TURN:
            terminal.notifier.notify_user(event, f"called by {event}")
    assert terminal.bells == len(Call) - 2
    assert not any(f"called by {call}" in each for each in terminal.written)


def test_a_turn_that_is_not_wanted_is_in_no_title() -> None:
    terminal = Terminal()
    terminal.notifier.note_focus(focused=False)
    terminal.notifier.allow_calls([Call.WHISPER])
    terminal.notifier.show_game("No Thanks!", my_turn=True)
    assert (terminal.bells, terminal.notifier.title) == (0, "Scoville – No Thanks!")
    terminal.notifier.allow_calls(Call)
    assert terminal.notifier.title == "● Your turn – No Thanks!"


def test_tmux_hands_a_notice_on() -> None:
    assert is_in_tmux({"TMUX": "/run/tmux"})
    assert is_in_tmux({"TERM": "tmux-256color"})
    assert not is_in_tmux({"TERM": "xterm"})
    wrapped = notice_of("hello", DesktopNotices.OSC_9, tmux=True)
    assert wrapped == "\x1bPtmux;\x1b\x1b]9;Scoville: hello\x1b\x1b\\\x1b\\"


@pytest.mark.parametrize("notices", [each for each in DesktopNotices if each is not DesktopNotices.NONE])
@pytest.mark.parametrize("name", ["\x1b]52;c;cm0=\x07", "a\x9c\x1b\\b", "4;1;50", "x;y;z", "\u202eevil\n\r\x00"])
def test_no_name_ends_a_notice_or_becomes_another_sequence(notices: DesktopNotices, name: str) -> None:
    written = notice_of(name, notices)
    body = written.removeprefix("\x1b]").removesuffix("\x1b\\")
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in body)
    assert body.count(";") == {"9": 1, "99": 2, "777": 3}[notices]
    assert not body.startswith(("9;4", "9;9", "52"))
