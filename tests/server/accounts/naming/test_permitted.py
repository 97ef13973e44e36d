# ruff: noqa: RUF001 - letters that look like others are what this page is about
"""Names that are refused: of the server, roles and bots, with mixed scripts or misplaced characters."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.accounts.model.naming.permitted import bot_names, check_permitted, load_prototypes, looks_of
from scoville_shared.text import clean_name

RESERVED = ["server", "admin", "System", "Scoville", "host", "moderator", "spectator", "Bot", "Bot Ada", "Bot Zoe"]
TRANSLATED = [
    "Gastgeber",
    "Moderatorin",
    "Zuschauer",
    "Zuschauerin",
    "Administrateur",
    "Modérateur",
    "Serveur",
    "Système",
]
TRANSLATED += ["Hôte", "Spectatrice", "Modératrice", "Administratorin"]
ANYBODY = ["You", "Seat 1", "Staff", "Referee", "Player 2", "Nobody", "Everyone", "Team", "Staff Tom"]
ANYBODY += ["Seat I", "Seat #1", "1. Platz", "seat10"]
ANYBODY += ["Du", "Platz 1", "Spielleiter", "Spielleitung", "Schiedsrichterin", "Spieler 1", "Niemand", "Alle"]
ANYBODY += ["Toi", "Vous", "Place 1", "Siège 2", "Arbitre", "Maître du jeu", "Joueur 1", "Personne", "Équipe"]
ALIKE_IN_EACH_LANGUAGE = [
    "Moderators",
    "Moderatoren",
    "Modérateurs",
    "Personal",
    "Personnel",
    "Besitzer",
    "Juge",
    "Coach",
]
ALIKE_IN_EACH_LANGUAGE += [
    "Announcement",
    "Durchsage",
    "Annonce",
    "Verified",
    "Bestätigt",
    "Vérifié",
    "Sie",
    "Je",
    "We",
    "Your turn",
    "Du bist dran",
    "À toi de jouer",
    "Support Team",
    "Security",
]


@pytest.mark.parametrize("name", [*RESERVED, *TRANSLATED, *ANYBODY, *ALIKE_IN_EACH_LANGUAGE])
def test_reserved_names_are_refused_however_they_are_written(name: str) -> None:
    variants = [name, name.upper(), name.lower(), name.title(), f"_{name}_", f"{name}."]
    variants += [name.replace("o", "0"), name.replace("i", "1"), name.replace("i", "l"), name.replace("m", "rn")]
    assert {variant: check_permitted(clean_name(variant)) for variant in variants} == dict.fromkeys(
        variants, "reserved"
    )


@pytest.mark.parametrize("name", RESERVED)
def test_every_lookalike_of_a_reserved_name_is_refused(name: str) -> None:
    granted = []
    for at, letter in enumerate(name):
        for point, prototype in load_prototypes().items():
            if letter != " " and prototype == load_prototypes().get(ord(letter), letter):
                variant = clean_name(name[:at] + chr(point) + name[at + 1 :])
                alike = not set(looks_of(variant)).isdisjoint(looks_of(name))
                granted += [variant] if alike and check_permitted(variant) is None else []
    assert granted == []


@pytest.mark.parametrize(
    "name",
    [
        "S y s t e m",
        "System 2",
        "Adm1n2",
        "Bot 7",
        "The Admin",
        "Admin Tom",
        "System message",
        "Server-Team",
        "Scoville Server",
        "Team Scoville",
        "Sc0ville Support",
        "Sysadmin 1",
        "B0tAda",
        "botada",
    ],
)
def test_no_word_of_a_name_is_that_of_an_authority(name: str) -> None:
    assert check_permitted(name) == "reserved"


@pytest.mark.parametrize(
    "name",
    [
        "Anna",
        "Botond",
        "Robotta",
        "Hostess",
        "Hans Host",
        "Host 2",
        "Young",
        "Dude",
        "Touissant",
        "Seaton",
        "Player One",
        "Modesta",
        "Systemus",
        "Serverin",
        "Adminah",
        "Scovilla",
    ],
)
def test_names_that_merely_contain_a_reserved_one_are_allowed(name: str) -> None:
    assert check_permitted(name) is None


@pytest.mark.parametrize(
    "name",
    ["The Host", "the host.", "Der Gastgeber", "Die Spielleitung", "L'hôte", "L\u2019hôte", "La juge", "Le Coach"],
)
def test_an_article_makes_no_other_name(name: str) -> None:
    assert check_permitted(name) == "reserved"


@pytest.mark.parametrize("name", ["Theo", "Derk", "Lea", "Lesley", "Der Anton", "La Paloma", "L'Oreal", "The Rock"])
def test_an_article_alone_is_harmless(name: str) -> None:
    assert check_permitted(name) is None


def test_no_name_of_a_bot_can_be_taken() -> None:
    assert {check_permitted(name) for name in bot_names(40, [])} == {"reserved"}


@pytest.mark.parametrize(
    "name",
    [
        "Martin", "Jalapeño", "Żółć", "O’Neill", "J. R. Ewing", "Tom & Jerry", "R2-D2", "???", "_x_", "Борис", "Ελένη",
        "王小明", "東京タワー", "Tom東京", "김철수 Kim", "ㄅㄆ王", "מרטין", "مرتضی", "मीना", "สมชาย", "Анна 2", "٣٤",
    ],
)  # fmt: skip
def test_names_of_every_living_script_are_allowed(name: str) -> None:
    assert clean_name(name) == name
    assert check_permitted(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Martіn", "scripts"),  # a Cyrillic letter
        ("Αnna", "scripts"),  # a Greek one
        ("АннаΣ", "scripts"),
        ("日本コ리", "scripts"),  # Japanese and Korean
        ("東京Борис", "scripts"),
        ("מרטin", "scripts"),
        ("a٣", "scripts"),
        ("٣3", "scripts"),
        ("ᴍartin", "characters"),  # a phonetic letter
        ("Ꮇartin", "characters"),  # a Cherokee one
        ("𐌀nna", "characters"),
        ("€uro", "characters"),
        ("Anna\u0335", "characters"),  # a short stroke over the last letter
        ("A\u0338nna", "characters"),
        ("An\u20ddna", "characters"),  # in a circle
    ],
)
def test_mixed_scripts_and_characters_out_of_place_are_refused(name: str, why: str) -> None:
    assert check_permitted(name) == why


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_is_judged(text: str) -> None:
    name = clean_name(text)
    assert check_permitted(name) in {None, "reserved", "characters", "scripts"}
    assert check_permitted(clean_name(name)) == check_permitted(name)


def test_a_name_in_ascii_is_checked_without_unicode_data() -> None:
    """Its data have thousands of lines, and a practice game would wait for them."""
    body = (
        "from scoville_server.accounts.model.naming import permitted\n"
        "assert permitted.check_permitted('Anna') is None\n"
        "assert permitted.check_permitted('no one') == 'reserved'\n"
        "assert permitted.load_prototypes.cache_info().currsize == 0\n"
        "assert permitted.check_permitted('Αnna') == 'scripts' and permitted._list_allowed.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", body], check=True)
