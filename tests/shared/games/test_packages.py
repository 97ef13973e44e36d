"""Packages of games: one that fails is left out and named, ours cannot be replaced, and nobody wins by the folder."""

import sys
from pathlib import Path

import pytest

from scoville_outside import guard
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.options import list_choices
from scoville_shared.engine.plausible import is_plausible
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from scoville_shared.installed import list_conflicts
from tests.outside.faulty_games import HEALTHY, forget_found_packages, on_path, write_package

OURS = ["chilli_chase", "dicht_dran", "no_thanks"]

BROKEN = {
    "raises at import": ("raise RuntimeError('boom')", "RuntimeError: boom"),
    "exits at import": ("raise SystemExit(3)", "SystemExit: 3"),
    "a missing module": ("import no_such_module", "No module named 'no_such_module'"),
    "a syntax error": ("def (:", "SyntaxError"),
    "no game": ("GAME = 7", "not an instance of Game"),
    "nothing of that name": ("", "has no attribute 'GAME'"),
    "another slug": (HEALTHY.replace("SLUG", "other") + "\nGAME = Counting()", "calls it 'other'"),
    "too many seats": (HEALTHY.replace("(2, 4)", "(2, 99)") + "\nGAME = Counting()", "tables have 1 to 16 seats"),
    "no info": (HEALTHY.replace("    info = ", "    infos = ") + "\nGAME = Counting()", "its info is not an Info"),
    "abstract": (HEALTHY.replace("def fallback", "def fall_back") + "\nGAME = Counting()", "abstract"),
}


def _change(before: str, after: str) -> str:
    assert before in HEALTHY
    return HEALTHY.replace(before, after) + "\nGAME = Counting()"


_TITLE, _ROUNDS, _TAGLINE = 'title="Counting"', "rounds: int = 3", 'tagline = Phrase("Take one after the other.")'
BROKEN |= {
    "an earlier API": (
        _change("api_version=1", "api_version=-1"),
        "it is written for version -1 of the API, and this is 1: install a newer version of that package",
    ),
    "a later API": (
        _change("api_version=1", "api_version=2"),
        "it is written for version 2 of the API, and this is 1: install a newer Scoville",
    ),
    "a title that is none": (_change(_TITLE, "title=7"), "$.title"),
    "a huge title": (_change(_TITLE, 'title="A" * 10**7'), "$.title"),
    "a title with commands": (_change(_TITLE, r'title="\x1b[31mRed"'), "cannot be printed"),
    "no title": (_change(_TITLE, 'title=" "'), "cannot be printed"),
    "rules of a text": (_change("rules_version=1", 'rules_version="1"'), "$.rules_version"),
    "rules of a number without end": (_change("rules_version=1", "rules_version=2**70"), "$.rules_version"),
    "one official number": (_change("official=(2, 4)", "official=(2,)"), "$.official"),
    "half a player": (_change("seats=(2, 4)", "seats=(2.5, 4)"), "$.seats"),
    "moves without number": (_change("max_moves=40", 'max_moves="many"'), "$.max_moves"),
    "an option beyond all numbers": (_change(_ROUNDS, "rounds: int = 2**80"), "OverflowError"),
    "an option of megabytes": (_change(_ROUNDS, 'words: str = "x" * 10**7'), "16,384 are allowed"),
    "an option that is no data": (_change(_ROUNDS, "what: object = msgspec.field(default_factory=object)"), "object"),
    "a tagline of megabytes": (_change(_TAGLINE, 'tagline = Phrase("A" * 10**7)'), "300 characters"),
    "a tagline without fields": (_change(_TAGLINE, 'tagline = Phrase("Take one.", 7)'), "AttributeError"),
    "options that do not end": (
        _change(_ROUNDS, "rounds: int = 3\n    def __post_init__(self):\n        while True: pass"),
        "did not end",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_package_that_fails_is_left_out_and_named(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "IMPORT_SECONDS", 0.3)
    source, reason = BROKEN[fault]
    write_package(tmp_path / "bad", "bad_game", source, package="badly_made", version="2.5", ending="\n")
    write_package(tmp_path / "good", "counting")
    with on_path(monkeypatch, tmp_path / "bad", tmp_path / "good"):
        assert registry.list_usable() == sorted([*OURS, "counting"])
        (sentence,) = registry.list_faults()
        assert "bad_game of the package badly-made 2.5" in sentence
        assert reason in sentence
        with pytest.raises(registry.BrokenGame):
            registry.load_game("bad_game")
        assert registry.load_game("no_thanks").info.title == "No Thanks!"


@pytest.mark.parametrize("slug", ["Bad", "bad-game", "b", "x" * 40, "9lives", "bad.game"])
def test_a_slug_has_a_form(slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, slug, package="badly_made")
    with on_path(monkeypatch, tmp_path):
        assert registry.list_usable() == OURS
        assert "slug" in registry.list_faults()[0]


@pytest.mark.parametrize("first", [True, False])
def test_our_games_cannot_be_replaced(first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "no_thanks", package="evil")
    with on_path(monkeypatch, tmp_path):
        if not first:
            monkeypatch.setattr("sys.path", [*(each for each in sys.path if each != str(tmp_path)), str(tmp_path)])
            forget_found_packages()
        assert registry.load_game("no_thanks").info.title == "No Thanks!"
        assert registry.package_of("no_thanks").name == "scoville"
        assert {(each.group, each.name) for each in list_conflicts()} == {
            ("scoville.games", "no_thanks"),
            ("scoville.bots", "no_thanks.sensible"),
        }
        assert any("evil 1.0 wants to be no_thanks in scoville.games" in fault for fault in registry.list_faults())


def test_two_packages_of_one_name_are_both_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path / "one", "counting", package="one")
    write_package(tmp_path / "two", "counting", package="two", version="3")
    with on_path(monkeypatch, tmp_path / "one", tmp_path / "two"):
        assert registry.list_usable() == OURS
        assert any("one 1.0" in fault and "two 3" in fault for fault in registry.list_faults())


def test_other_types_have_another_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = "class View(msgspec.Struct, frozen=True):\n    left: "
    write_package(tmp_path / "one", "counting")
    write_package(tmp_path / "two", "counting", HEALTHY.replace(f"{view}int", f"{view}float"))
    with on_path(monkeypatch, tmp_path / "one"):
        game = registry.load_game("counting")
        before = registry.types_digest(game)
        assert registry.types_digest(game) == before
        assert list_choices(game.codec.options_type) == {"penalty": ("none", "one_die")}
    with on_path(monkeypatch, tmp_path / "two"):
        assert registry.types_digest(registry.load_game("counting")) != before


def test_views_that_show_all_seats_the_same_are_plausible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "counting")
    with on_path(monkeypatch, tmp_path):
        game = registry.load_game("counting")
        state = game.setup(game.codec.decode_options({}), 2, Dice(bytes(32)))
        for seat in (Seat(0), Seat(1), None):
            assert is_plausible(game, game.view(state, seat), seat, 2)


WHOLE = {
    "raise RuntimeError(' x: ')": "RuntimeError:  x",
    "raise RuntimeError": "RuntimeError",
    "raise RuntimeError('X marks it X')": "RuntimeError: X marks it X",
    "GAME = 7": "TypeError: the entry point names a int, not an instance of Game",
    HEALTHY.replace("    info = ", "    infos = ") + "\nGAME = Counting()": "TypeError: its info is not an Info",
}


@pytest.mark.parametrize("source", WHOLE, ids=["colons", "no words", "words", "no game", "no info"])
def test_the_sentence_about_a_fault_is_whole(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "bad_game", source, package="badly_made", ending="\n")
    with on_path(monkeypatch, tmp_path):
        with pytest.raises(registry.BrokenGame) as raised:
            registry.load_game("bad_game")
        sentence = f"The game bad_game of the package badly-made 1.0 cannot be used: {WHOLE[source]}."
        assert (raised.value.code, raised.value.message) == ("unknown_game", sentence)
        assert registry.list_faults() == [sentence]


def test_only_the_games_that_are_asked_for_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "bad_game", "raise RuntimeError", package="badly_made", ending="\n")
    with on_path(monkeypatch, tmp_path):
        assert registry.list_usable(["no_thanks", "dicht_dran"]) == ["dicht_dran", "no_thanks"]
        assert registry.list_usable([]) == []
        assert registry.list_faults(["no_thanks"]) == []
        assert "bad_game_module" not in sys.modules
        assert len(registry.list_faults(["no_thanks", "bad_game"])) == 1


def test_packages_of_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "counting", version="2.0")
    with on_path(monkeypatch, tmp_path):
        assert registry.package_of("counting") == ("counting", "2.0")
        assert registry.package_of("no_thanks").name == "scoville"
        assert registry.package_of("chess") == ("scoville", "")
        assert [registry.is_ours(slug) for slug in ("counting", "no_thanks", "chess")] == [False, True, True]
        assert len(registry.types_digest(registry.load_game("counting"))) == 16


def test_the_sentence_about_a_slug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "Bad")
    with on_path(monkeypatch, tmp_path):
        (sentence,) = registry.list_faults()
        reason = "a slug has 2 to 32 small letters, digits and underscores, and begins with a letter"
        assert sentence.endswith(f"cannot be used: ValueError: {reason}.")


@pytest.mark.parametrize("seats", [(1, 16), (3, 3)])
def test_games_for_one_and_for_sixteen_players(
    seats: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path, "counting", HEALTHY.replace("(2, 4)", str(seats)))
    with on_path(monkeypatch, tmp_path):
        assert registry.load_game("counting").info.seats == seats
