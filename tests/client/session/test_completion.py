"""Tab completes names, and goes through all that fit."""

from scoville_client.session.commands.registry import NameCompletion, after_command, fitting_names

NAMES = ["Marie", "Max", "Anna Lena", "marlon"]


def chat() -> NameCompletion:
    return NameCompletion(lambda: NAMES, after_command(("w", "ignore"), "/"))


def test_tab_goes_through_all_names_that_fit_and_back() -> None:
    completion = chat()
    line = "/w ma"
    seen = []
    for _ in range(4):
        completed = completion.complete_line(line)
        assert completed is not None
        line = completed
        seen.append(line)
    assert seen == ["/w Marie ", "/w marlon ", "/w Max ", "/w Marie "]
    assert completion.complete_line(line, -1) == "/w Max "


def test_typing_after_a_completion_starts_over() -> None:
    completion = chat()
    assert completion.complete_line("/w ma") == "/w Marie "
    assert completion.complete_line("/w max") == "/w Max "
    assert completion.complete_line("/ignore an") == "/ignore Anna Lena "
    assert completion.complete_line("/w an", -1) == "/w Anna Lena "


def test_nothing_else_is_completed() -> None:
    for line in ("", "ma", "/help ma", "/w Zoe", "/w Marie hello", "//w ma", "w ma"):
        assert chat().complete_line(line) is None, line


def test_names_are_given_once_in_order() -> None:
    assert fitting_names(["b", "A", "", "a1", "A"], "a") == ["A", "a1"]
