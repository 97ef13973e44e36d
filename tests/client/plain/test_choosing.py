"""Typed input selects the intended move."""

from typing import Any

import pytest

from scoville_client.session.table.move_input import MOST_NAMED, are_numbered, list_moves, match_moves, name_move
from scoville_shared.engine.contract import Text
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.games.chilli_chase.state import Left, Op, Play
from scoville_shared.games.dicht_dran.state import PLAYS, TAKE_BACK
from scoville_shared.games.no_thanks.state import PASS, TAKE
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat

GAME = load_game("dicht_dran")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("63", [PLAYS[63]]),
        ("6", [PLAYS[6]]),
        ("take it back", [TAKE_BACK]),
        ("Take Back", [TAKE_BACK]),
        ("take_back", [TAKE_BACK]),
        ("take", [TAKE_BACK]),
        ("7", []),
        ("take it", [TAKE_BACK]),
        ("", [PLAYS[6], PLAYS[63], TAKE_BACK]),
        ("pass", []),
    ],
)
def test_typed_text_finds_its_move(typed: str, meant: list[object]) -> None:
    assert match_moves(GAME, [PLAYS[6], PLAYS[63], TAKE_BACK], typed) == meant


def test_a_number_is_not_the_beginning_of_another() -> None:
    assert match_moves(GAME, [PLAYS[63]], "6") == []


@pytest.mark.parametrize(
    ("typed", "meant"), [("t", TAKE), ("take", TAKE), ("p", PASS), ("pass", PASS), ("No Thanks", PASS), ("n", PASS)]
)
def test_the_answers_of_no_thanks_can_be_cut_short(typed: str, meant: object) -> None:
    assert match_moves(load_game("no_thanks"), [TAKE, PASS], typed) == [meant]


def test_names_are_typed_with_the_signs_that_keyboards_have() -> None:
    minus = Play(3, Op.MINUS, Left.TOTAL)
    assert match_moves(load_game("chilli_chase"), [minus, Play(3, Op.TIMES, Left.TOTAL)], "3: total - 3") == [minus]


def test_only_moves_without_numbers_of_their_own_are_numbered() -> None:
    assert are_numbered(load_game("no_thanks"), [TAKE, PASS])
    assert not are_numbered(GAME, [PLAYS[6], PLAYS[63]])


def test_of_very_many_moves_only_the_first_are_named() -> None:
    assert list_moves(range(2_000_000)) == list(range(MOST_NAMED))


class _AccusingText(Text[Any, Any, Any]):
    def describe_fact(self, fact: Any) -> None:
        return None

    def describe_move(self, move: Any) -> Phrase:
        return Phrase("accuse {who}", {"who": Who(Seat(move.card))})

    def describe_refusal(self, refusal: Any) -> Phrase:
        return Phrase("no")

    def describe_table(self, view: Any) -> list[Phrase]:
        return []


def test_moves_are_named_by_the_players_they_are_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GAME, "text", _AccusingText())
    moves, names = [PLAYS[1], PLAYS[2]], ["Anna", "Ben2", "Cleo"]
    assert [name_move(GAME, move, names) for move in moves] == ["accuse Ben2", "accuse Cleo"]
    assert match_moves(GAME, moves, "accuse cleo", names) == [PLAYS[2]]
    assert are_numbered(GAME, moves), "a digit in the name of a player is no number of a move"
