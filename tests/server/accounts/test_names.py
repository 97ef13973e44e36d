"""Names of guests and users."""

import pytest

from scoville_server.accounts.names import bot_names, free_name
from scoville_shared.text import LONGEST_NAME, clean_name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Anna", "Anna"),
        ("  Anna \t  Maria\n", "Anna Maria"),
        ("Jalapeño", "Jalapeño"),
        ("Jalapen\u0303o", "Jalapeño"),
        ("王小明", "王小明"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("\u202egnirts\u2066", "gnirts"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("a\x00b\x7fc\x9bd", "abcd"),
        ("line\u2028feed", "line feed"),
        ("\U0001f336\ufe0f hot", "hot"),
        ("x" + "\u0316\u200d" * 30, "x\u0316\u0316"),
        ("\u3164\u115f", ""),
        ("\ud800", ""),
        ("", ""),
    ],
)
def test_a_name_keeps_its_letters_and_loses_what_disturbs_a_screen(given: str, kept: str) -> None:
    assert clean_name(given) == kept
    assert clean_name(kept) == kept


def test_a_name_is_trimmed_to_what_a_table_can_show() -> None:
    assert clean_name("A" * 10_000) == "A" * LONGEST_NAME
    assert clean_name("A" * (LONGEST_NAME - 1) + " B") == "A" * (LONGEST_NAME - 1)


def test_a_taken_name_gets_a_number_and_stays_within_its_length() -> None:
    taken = {"anna", "anna 2", "x" * LONGEST_NAME}
    assert free_name("Anna", lambda name: name.casefold() in taken) == "Anna 3"
    assert free_name("X" * LONGEST_NAME, lambda name: name.casefold() in taken) == "X" * (LONGEST_NAME - 2) + " 2"


def test_no_name_gets_a_friendly_one_and_there_is_no_end_of_them() -> None:
    taken: set[str] = set()
    for _ in range(50):
        taken.add(free_name("", taken.__contains__))
    assert len(taken) == 50
    assert "Paprika" in taken


def test_bots_are_named_unlike_anybody_at_the_table() -> None:
    assert bot_names(2, ["Bot Ada", ""]) == ["Bot Emmy", "Bot Alan"]
    assert len(set(bot_names(15, []))) == 15
