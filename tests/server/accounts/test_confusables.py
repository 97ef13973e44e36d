"""Names that a hasty reader takes for each other are one; names that are not, are two."""

import pytest

from scoville_server.accounts.model.confusables import skeleton

CYRILLIC_ANNA = "\u0410nn\u0430"
GREEK_OTTO = "\u039fTT\u039f"
FULL_WIDTH_ANNA = "\uff21\uff4e\uff4e\uff41"


@pytest.mark.parametrize(
    "other",
    ["anna", "ANNA", "Ánna", "A n n a", "An-na", "_Anna_", FULL_WIDTH_ANNA, CYRILLIC_ANNA],
)
def test_a_twin_of_anna_is_anna(other: str) -> None:
    assert skeleton(other) == skeleton("Anna")


@pytest.mark.parametrize(("one", "other"), [("Ian", "lan"), ("Bill", "Bi11"), ("Otto", GREEK_OTTO), ("Bo", "B0")])
def test_strokes_and_circles_are_not_told_apart(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize("other", ["Anna 2", "Hanna", "Ana", "Ann", "Emma", "अन्ना"])
def test_another_name_is_another(other: str) -> None:
    assert skeleton(other) != skeleton("Anna")


def test_vowel_signs_of_other_scripts_make_other_names() -> None:
    assert skeleton("मीना") != skeleton("मोना")


def test_a_name_of_signs_alone_is_a_name() -> None:
    assert skeleton("???") != skeleton("!!!")
