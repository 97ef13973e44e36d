"""Names of guests and users."""

import pytest

from scoville_server.accounts.model.naming.permitted import bot_names, free_name
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
def test_a_name_loses_only_disturbing_characters(given: str, kept: str) -> None:
    assert clean_name(given) == kept
    assert clean_name(kept) == kept


def test_a_name_is_trimmed_to_what_a_table_can_show() -> None:
    assert clean_name("A" * 10_000) == "A" * LONGEST_NAME
    assert clean_name("A" * (LONGEST_NAME - 1) + " B") == "A" * (LONGEST_NAME - 1)


def test_a_taken_name_gets_a_number_within_its_length() -> None:
    taken = {"anna", "anna 2", "x" * LONGEST_NAME}
    assert free_name("Anna", lambda name: name.casefold() in taken) == "Anna 3"
    assert free_name("X" * LONGEST_NAME, lambda name: name.casefold() in taken) == "X" * (LONGEST_NAME - 2) + " 2"


def test_missing_names_become_friendly_ones_without_end() -> None:
    taken: set[str] = set()
    for _ in range(50):
        taken.add(free_name("", taken.__contains__))
    assert len(taken) == 50
    assert "Paprika" in taken


@pytest.mark.parametrize("wanted", ["", "Anna"])
def test_the_thousandth_namesake_is_as_cheap(wanted: str) -> None:
    taken: set[str] = set()
    tried: list[str] = []

    def is_taken(name: str) -> bool:
        tried.append(name)
        return name in taken

    for _ in range(1000):
        tried.clear()
        taken.add(free_name(wanted, is_taken))
        assert len(tried) <= 22
    assert len(taken) == 1000
    assert {f"{wanted or 'Paprika'} {number}" for number in range(2, 60)} <= taken


def test_numbers_taken_on_purpose_leave_others() -> None:
    taken = {"Anna", *(f"Anna {2**power + 1}" for power in range(64))}
    for _ in range(20):
        name = free_name("Anna", taken.__contains__)
        assert name not in taken
        assert clean_name(name) == name
        taken.add(name)


def test_bots_are_named_unlike_anybody_at_the_table() -> None:
    assert bot_names(2, ["Bot Ada", ""]) == ["Bot Emmy", "Bot Alan"]
    assert len(set(bot_names(15, []))) == 15
