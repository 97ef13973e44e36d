"""Progress in the tab of a terminal: few writes, only where it is known to be shown, and none at the end."""

import pytest

from scoville_client.tui.terminal.progress import NO_PROGRESS, TerminalProgress, knows_progress


@pytest.mark.parametrize(
    ("environment", "known"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "foot"}, False),
        ({"TERM": "xterm-kitty"}, False),
        ({"TERM": "xterm-ghostty"}, True),
        ({"TERM": "xterm-256color", "WT_SESSION": "1"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "8001"}, True),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7603"}, False),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.9"}, False),
        ({"TERM": "tmux-256color", "TMUX": "x", "VTE_VERSION": "8001"}, False),
    ],
)
def test_only_terminals_that_show_it_get_it(environment: dict[str, str], known: bool) -> None:
    assert knows_progress(environment) == known


def test_a_turn_is_written_in_steps() -> None:
    written: list[str] = []
    progress = TerminalProgress(written.append, knows=True)
    for hundredth in range(100, -1, -1):
        progress.show_time_left(hundredth / 100)
    progress.show_time_left(None)
    assert len(written) == 22
    assert written[0] == "\x1b]9;4;1;100\x1b\\"
    assert written[-2:] == ["\x1b]9;4;2;0\x1b\\", NO_PROGRESS]


def test_work_that_is_done_shows_nothing() -> None:
    written: list[str] = []
    progress = TerminalProgress(written.append, knows=True)
    progress.show_done(1, 4)
    progress.show_done(4, 4)
    progress.hide()
    assert written == ["\x1b]9;4;1;25\x1b\\", NO_PROGRESS]


def test_nothing_is_written_where_nobody_sees_it() -> None:
    written: list[str] = []
    progress = TerminalProgress(written.append, knows=False)
    progress.show_done(1, 4)
    asleep = TerminalProgress(written.append, knows=True)
    asleep.enabled = False
    asleep.show_time_left(0.5)
    assert written == []
