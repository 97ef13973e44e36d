"""A client of a hostile server shows a sentence, and never crashes, hangs or disturbs the terminal."""

import pytest

from tests.fuzz.hostile.rounds import try_boards, try_hostile_lines, try_screens, try_session


@pytest.mark.parametrize("seed", range(10))
def test_a_session_withstands_a_hostile_server(seed: int) -> None:
    assert try_session(seed, 60) == ""


@pytest.mark.parametrize("seed", range(5))
def test_the_line_mode_withstands_a_hostile_server(seed: int) -> None:
    assert try_hostile_lines(seed, 60) == ""


@pytest.mark.parametrize("seed", range(5))
def test_the_screens_withstand_a_hostile_server(seed: int) -> None:
    assert try_screens(seed, 40) == ""


@pytest.mark.parametrize("seed", range(6))
def test_the_boards_withstand_a_hostile_server(seed: int) -> None:
    assert try_boards(seed, 25) == ""
