"""The file of an exported game: writing, reading, and one sentence for each damage."""

import io
import itertools
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoville_shared.replay import BrokenFile, ExportedGame, read_game, write_game
from scoville_shared.replay.file import MAX_FILE_CHARS, MAX_LINE_CHARS, MAX_LINES
from tests.shared.replay.played import exported_game, games

GAME = exported_game()
LINES = write_game(GAME.header, GAME.moves, GAME.outcome)


def complaint(lines) -> str:
    with pytest.raises(BrokenFile) as caught:
        read_game(lines)
    assert caught.value.code == "broken_file"
    assert caught.value.message.startswith(f"Line {caught.value.data['line']}: ")
    return caught.value.message


def with_line(at: int, **changes) -> list[str]:
    """Change keys of one line; a value of None takes the key away."""
    data = json.loads(LINES[at]) | changes
    lines = list(LINES)
    lines[at] = json.dumps({key: value for key, value in data.items() if value is not None})
    return lines


@given(games)
@settings(max_examples=20, deadline=None)
def test_written_file_is_read_back(game: ExportedGame):
    lines = write_game(game.header, game.moves, game.outcome)
    again = read_game(lines)
    assert write_game(again.header, again.moves, again.outcome) == lines
    assert (again.moves, again.outcome) == (game.moves, game.outcome)


def test_the_keys_come_in_the_order_of_the_format():
    header, move, *_, last = map(json.loads, LINES)
    expected = "scoville game rules_version options table seats commitment nonces nonce_hashes server_seed started"
    assert list(header) == expected.split()
    assert header["started"] == "2026-01-31T20:15:00Z"
    assert header["options"] == {"cycles": 1, "open_won": False, "take_back": False, "peppers": None}
    assert list(move) == ["n", "seat", "move", "mover", "at_ms"]
    assert list(last["outcome"]) == ["scores", "places", "reason"]


def test_blank_and_crlf_lines_are_read():
    assert read_game(io.BytesIO("\r\n\n".join([*LINES, ""]).encode())) == GAME


def test_an_unfinished_game_has_no_outcome():
    assert read_game(LINES[:5]).outcome is None
    assert len(read_game(LINES[:5]).moves) == 4


def test_unknown_keys_are_ignored():
    assert read_game(with_line(0, comment="Sunday evening")) == GAME


def test_the_header_names_a_dealer_settled_before():
    assert "dealer" not in LINES[0]
    assert read_game(with_line(0, dealer=2)).header.dealer == 2


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], "Line 1: expected a header, but the file is empty."),
        (["\n", "[]"], "Line 2: expected one JSON object per line."),
        (LINES[1:], 'Line 1: expected a header with "scoville": 1, the version of the format.'),
        (with_line(0, scoville=2), 'Line 1: expected a header with "scoville": 1, the version of the format.'),
        (with_line(0, table=None), "Line 1: expected the header (table is missing)."),
        (with_line(0, nonces=[None, None]), "Line 1: expected a nonce or null for each of 3 seats, found 2."),
        (
            with_line(0, nonce_hashes=[None] * 4),
            "Line 1: expected the hash of a nonce or null for each of 3 seats, found 4.",
        ),
        (LINES[:2] + LINES[3:], "Line 3: expected move 2, found move 3."),
        (with_line(4, seat=3), "Line 5: expected a seat from 0 to 2, found 3."),
        ([*LINES, LINES[1]], f"Line {len(LINES) + 1}: expected nothing after the outcome but a signature."),
        (
            with_line(-1, outcome={"scores": [1, 2], "places": [2, 1], "reason": "cycles_played"}),
            f"Line {len(LINES)}: expected a score and a place for each of 3 seats.",
        ),
    ],
)
def test_a_broken_file_is_reported_by_line_and_expectation(lines, expected):
    assert complaint(lines) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"server_seed": "00" * 31},
        {"server_seed": "AB" * 32},
        {"commitment": "00" * 32 + "\n"},
        {"nonces": [None, None, "00" * 33]},
        {"nonces": [None, None, "0"]},
        {"nonces": [None, None, ""]},
        {"nonces": [None, None, "00\n"]},
        {"nonce_hashes": [None, None, "00" * 31]},
        {"nonce_hashes": [None, None, "00" * 33]},
        {"table": ""},
        {"table": "a\0b"},
        {"seats": []},
        {"started": "2026-01-31T20:15:00"},
        {"rules_version": "1"},
        {"options": []},
        {"dealer": 3},
        {"dealer": -1},
        {"dealer": "0"},
    ],
)
def test_a_header_out_of_its_bounds_is_refused(changes):
    assert complaint(with_line(0, **changes)).startswith("Line 1: expected ")


@pytest.mark.parametrize(
    "changes", [{"mover": "ghost"}, {"at_ms": -1}, {"seat": -1}, {"n": 0}, {"move": 7}, {"seat": 2**80}]
)
def test_a_move_out_of_its_bounds_is_refused(changes):
    assert complaint(with_line(3, **changes)).startswith("Line 4: expected ")


@pytest.mark.parametrize(
    "garbage",
    [
        "[" * 60_000,
        '{"a":' * 10_000,
        "9" * 60_000,
        '{"n":' + "9" * 60_000 + "}",
        "\ud800",
        '"\\ud800"',
        b"\xff\xfe",
        b"\0",
        "NaN",
        "{",
    ],
)
def test_garbage_is_refused_with_a_sentence(garbage):
    assert complaint([LINES[0], garbage]).startswith("Line 2: expected one JSON object per line")


@pytest.mark.parametrize("repeated", ['"table":"another",', '"\\u0074able":"another",'])
def test_a_key_occurs_once_in_an_object(repeated):
    """Readers differ in which of two values they take, so that a signed file would have two meanings."""
    assert "'table' occurs twice" in complaint([LINES[0].replace("{", "{" + repeated, 1), *LINES[1:]])
    nested = LINES[1].replace('"move":{', '"move":{"card":2,', 1)
    assert "'card' occurs twice" in complaint([LINES[0], nested, *LINES[2:]])


def test_the_size_of_a_file_is_bounded():
    assert str(MAX_LINE_CHARS) in complaint([" " * (MAX_LINE_CHARS + 1)])
    assert str(MAX_LINES) in complaint(itertools.chain(LINES[:1], itertools.repeat("")))
    assert str(MAX_FILE_CHARS) in complaint(itertools.chain(LINES[:1], itertools.repeat(" " * MAX_LINE_CHARS)))


@given(st.lists(st.one_of(st.text(), st.binary(), st.sampled_from(LINES)), max_size=6))
@settings(max_examples=100, deadline=None)
def test_any_lines_are_a_game_or_a_sentence(lines):
    with suppress(BrokenFile):
        assert read_game(lines).header == GAME.header
