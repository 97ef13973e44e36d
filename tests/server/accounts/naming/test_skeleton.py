# ruff: noqa: RUF001 - letters that look like others are what this page is about
"""Names that look alike share a skeleton; others do not."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.accounts.model.naming.permitted import (
    _by_prototype,
    _look_of,
    fold_name,
    is_same_name,
    load_prototypes,
    looks_of,
    reduce_to_skeleton,
    scripts_of,
)

CYRILLIC_ANNA = "\u0410nn\u0430"
GREEK_OTTO = "\u039fTT\u039f"
FULL_WIDTH_ANNA = "\uff21\uff4e\uff4e\uff41"
CHARACTERS = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=24)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def alike(one: str, other: str) -> bool:
    return not set(looks_of(one)).isdisjoint(looks_of(other))


def is_plain_letter(char: str) -> bool:
    """Whether a character is a letter or digit and no variant of another one, as which it would be shown."""
    return char.isalnum() and unicodedata.normalize("NFKC", char) == char


def test_the_data_are_whole() -> None:
    assert len(load_prototypes()) > 5_500
    allowed = [char for char in map(chr, range(0x30000)) if scripts_of(char) is not None]
    assert len(allowed) > 100_000
    assert (load_prototypes()[ord("m")], load_prototypes()[0x0430], load_prototypes()[0x200B]) == ("rn", "a", "")
    assert scripts_of("\u0430") == {"Cyrl"}
    assert scripts_of("5") == frozenset()
    assert scripts_of("\u1d0d") is None


@pytest.mark.parametrize(
    "other",
    ["anna", "ANNA", "Ánna", "A n n a", "An-na", "_Anna_", FULL_WIDTH_ANNA, CYRILLIC_ANNA, "An\u200bna", "\u202eAnna"],
)
def test_a_twin_of_anna_is_anna(other: str) -> None:
    assert reduce_to_skeleton(other) == reduce_to_skeleton("Anna")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ian", "lan"), ("Bill", "Bi11"), ("Otto", GREEK_OTTO), ("Bo", "B0"), ("Martin", "rnart1n"), ("|an", "Ian")],
)
def test_strokes_and_circles_are_not_distinguished(one: str, other: str) -> None:
    assert reduce_to_skeleton(one) == reduce_to_skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Capa", "Сара"),  # Cyrillic alone
        ("HAN", "ΗΑΝ"),  # Greek alone
        ("ΗΑΝ", "ηαν"),  # Greek in both cases
        ("Борис", "бОРИС"),
        ("olo", "סוס"[::-1].replace("ס", "ס")),  # Hebrew, which runs to the left
        ("ノノ", "丿丿"),  # letters that resemble a sign
    ],
)
def test_whole_words_of_another_script_look_alike(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize("mark", ["\u0334", "\u0335", "\u0336", "\u0337", "\u0338", "\u20d2", "\u20d8"])
def test_a_stroke_over_a_letter_makes_no_other_name(mark: str) -> None:
    assert all(alike("Anna", "Anna"[:at] + mark + "Anna"[at:]) for at in range(1, 5))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("VVanda", "Wanda"),
        ("vvANDA", "Wanda"),
        ("Wa\u0335nda", "VVanda"),
        ("Rnarie", "Marie"),
        ("ernrna", "Emma"),
        ("eclith", "edith"),
        ("Macleleine", "Madeleine"),
        ("c1ora", "Dora"),
        ("cIora", "dora"),
        ("\uff43\uff4cora", "Dora"),
        ("clara", "Clara"),
        ("Bø", "Bo"),
    ],
)
def test_letters_that_are_drawn_as_two_are_not_distinguished(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(("one", "other"), [("Clara", "Dara"), ("CLARA", "Dara"), ("Vanda", "Wanda"), ("Cora", "Dora")])
def test_letters_that_merely_stand_beside_each_other_are_distinguished(one: str, other: str) -> None:
    assert not alike(one, other)


@pytest.mark.parametrize("other", ["Anna 2", "Hanna", "Ana", "Ann", "Emma", "अन्ना"])
def test_another_name_is_another(other: str) -> None:
    assert not alike(other, "Anna")


@pytest.mark.parametrize(("one", "other"), [("मीना", "मोना"), ("かく", "がく"), ("くか", "か"), ("Hans", "Nans")])
def test_marks_and_strokes_that_make_another_letter_make_another_name(one: str, other: str) -> None:
    assert not alike(one, other)


def test_a_name_of_signs_alone_is_a_name() -> None:
    assert reduce_to_skeleton("???") != reduce_to_skeleton("!!!")


def test_every_character_looks_like_its_prototype() -> None:
    letters = {chr(point): prototype for point, prototype in load_prototypes().items() if is_plain_letter(chr(point))}
    assert len(letters) > 1_500
    drawn = {char: prototype for char, prototype in letters.items() if any(map(str.isalnum, prototype))}
    assert [
        char for char, prototype in drawn.items() if reduce_to_skeleton(char) != reduce_to_skeleton(prototype)
    ] == []


@pytest.mark.parametrize("letter", LETTERS)
def test_every_confusable_of_a_latin_letter_makes_the_same_name(letter: str) -> None:
    own = load_prototypes().get(ord(letter), letter)
    twins = [
        chr(point) for point, prototype in load_prototypes().items() if prototype == own and is_plain_letter(chr(point))
    ]
    assert [twin for twin in twins if reduce_to_skeleton(f"An{twin}a") != reduce_to_skeleton(f"An{letter}a")] == []


def test_the_skeleton_of_every_character_is_its_own_skeleton() -> None:
    chars = [char for char in map(chr, range(0x20000)) if unicodedata.category(char) not in {"Cn", "Cs"}]
    assert [char for char in chars if reduce_to_skeleton(reduce_to_skeleton(char)) != reduce_to_skeleton(char)] == []


@given(CHARACTERS)
def test_a_skeleton_is_its_own_skeleton(text: str) -> None:
    assert reduce_to_skeleton(reduce_to_skeleton(text)) == reduce_to_skeleton(text)
    assert reduce_to_skeleton(text) in looks_of(reduce_to_skeleton(text))


@given(CHARACTERS)
def test_names_look_alike_in_every_case_and_form(text: str) -> None:
    for other in (text, text.casefold(), fold_name(text), unicodedata.normalize("NFD", text)):
        assert alike(text, other)
    assert is_same_name(text, fold_name(text))


def test_ascii_table_agrees_with_the_unicode_data() -> None:
    accents = [chr(point) for point in range(0x300, 0x370)]
    for char in [*LETTERS, *accents]:
        assert _look_of(char) == _by_prototype(char)
