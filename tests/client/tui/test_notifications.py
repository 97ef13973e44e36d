"""Terminal bell and window title, byte for byte: texts of other users never arrive unescaped."""

import pytest

from scoville_client.tui.notifications import (
    BELL,
    LONGEST,
    Notifier,
    clean_title,
    has_titles,
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
    terminal.notifier.notify_user("Marie invites you")
    assert (terminal.bells, terminal.title) == (0, "● Marie invites you")
    terminal.notifier.note_key()
    assert terminal.title == "● Your turn – No Thanks!"


def test_news_last_until_the_window_is_in_front() -> None:
    terminal = Terminal()
    terminal.notifier.note_focus(focused=False)
    terminal.notifier.notify_user("Marie whispers to you")
    assert (terminal.bells, terminal.title) == (1, "● Marie whispers to you")
    terminal.notifier.note_focus(focused=True)
    assert terminal.title == "Scoville"


@pytest.mark.parametrize(("bell", "title"), [(True, False), (False, True), (False, False)])
def test_each_way_to_call_can_be_switched_off(bell: bool, title: bool) -> None:
    terminal = Terminal()
    terminal.notifier.allow_kinds(bell=bell, title=title)
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
    terminal.notifier.notify_user(f"{evil} invites you")
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
