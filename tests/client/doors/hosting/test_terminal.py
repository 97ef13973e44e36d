"""What a terminal can show, from TERM, its size and its environment variables."""

import pytest

from scoville_client.doors.hosting.terminal import clamp_size, describe_terminal

PLAIN = (80, 24)


@pytest.mark.parametrize(
    ("size", "drawn"),
    [
        ((80, 24), (80, 24)),
        ((0, 0), (80, 24)),
        ((0, 50), (80, 50)),
        ((1, 1), (20, 6)),
        ((10_000, 10_000), (300, 100)),
        ((-3, 2**31), (80, 100)),
    ],
)
def test_a_size_that_can_be_drawn(size: tuple[int, int], drawn: tuple[int, int]) -> None:
    assert clamp_size(size) == drawn


@pytest.mark.parametrize(
    ("name", "environment", "colours"),
    [
        ("xterm-256color", {}, "256"),
        ("xterm-256color", {"COLORTERM": "truecolor"}, "true"),
        ("xterm-direct", {}, "true"),
        ("xterm-kitty", {}, "true"),
        ("foot", {}, "true"),
        ("tmux-256color", {}, "true"),
        ("screen-256color", {}, "256"),
        ("screen", {}, "16"),
        ("linux", {}, "16"),
        ("vt100", {}, "none"),
        ("dumb", {}, "none"),
        ("", {}, "none"),
        ("xterm-256color", {"NO_COLOR": "1", "COLORTERM": "truecolor"}, "none"),
        ("something new", {}, "256"),
    ],
)
def test_colours(name: str, environment: dict[str, str], colours: str) -> None:
    assert describe_terminal(name, PLAIN, environment).colours == colours


@pytest.mark.parametrize(
    ("name", "environment", "glyphs"),
    [
        ("xterm", {}, "unicode"),
        ("xterm", {"LANG": "de_DE.UTF-8"}, "unicode"),
        ("xterm", {"LC_ALL": "C.utf8", "LANG": "C"}, "unicode"),
        ("xterm", {"LANG": "C"}, "ascii"),
        ("xterm", {"LANG": "de_DE@euro"}, "ascii"),
        ("xterm", {"LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "de_DE.UTF-8"}, "ascii"),
        ("linux", {"LANG": "de_DE.UTF-8"}, "light"),
    ],
)
def test_characters(name: str, environment: dict[str, str], glyphs: str) -> None:
    assert describe_terminal(name, PLAIN, environment).glyphs == glyphs


def test_the_language_of_the_user_and_not_of_the_server() -> None:
    assert describe_terminal("xterm", PLAIN, {"LANG": "de_AT.UTF-8"}).language == "de"
    assert describe_terminal("xterm", PLAIN, {"LC_ALL": "fr_FR.UTF-8", "LANG": "de_DE.UTF-8"}).language == "fr"
    assert describe_terminal("xterm", PLAIN, {}).language == "en"


def test_terminals_without_screens_and_without_titles() -> None:
    assert not describe_terminal("dumb", PLAIN, {}).has_screens
    assert not describe_terminal("", PLAIN, {}).has_screens
    assert describe_terminal("vt100", PLAIN, {}).has_screens
    assert not describe_terminal("linux", PLAIN, {}).titles
    assert describe_terminal("xterm", PLAIN, {}).titles


def test_an_endless_name_is_cut() -> None:
    assert len(describe_terminal("x" * 1_000_000, PLAIN, {}).name) == 64


def test_emoji_are_drawn_on_terminals_that_are_known_to() -> None:
    utf8 = {"LC_ALL": "en_GB.UTF-8"}
    assert describe_terminal("xterm-kitty", (80, 24), utf8).emoji
    assert describe_terminal("foot-direct", (80, 24), {}).emoji
    assert describe_terminal("xterm-256color", (80, 24), {"LC_TERMINAL": "iTerm2"}).emoji
    assert not describe_terminal("xterm-256color", (80, 24), utf8).emoji
    assert not describe_terminal("xterm-kitty", (80, 24), {"LC_ALL": "C"}).emoji
