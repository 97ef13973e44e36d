"""Pools of puzzles: written, read, and refused when they are damaged; those that are shipped can be solved."""

import zlib
from collections import Counter
from hashlib import sha256

import msgspec
import pytest
from msgspec.structs import replace

from scoville_shared.games.registry import load_game
from scoville_shared.puzzles import pool as pools
from scoville_shared.puzzles.pool import MAGIC, BrokenPool, check_puzzle, decode_pool, encode_pool, load_pool
from scoville_shared.puzzles.puzzle import Choice
from tests.shared.puzzles.samples import sample_pool, sample_puzzle

OURS = ("chilli_chase", "dicht_dran", "no_thanks")


def test_a_pool_is_read_as_it_was_written() -> None:
    pool = sample_pool("no_thanks", 1_200, 1_700)
    assert decode_pool(encode_pool(pool)) == pool
    assert len(encode_pool(pool)) < len(msgspec.msgpack.encode(pool))


def packed(content: bytes) -> bytes:
    return MAGIC + sha256(content).digest() + content


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "begins with"),
        (b"scoville-puzzles 2\n" + bytes(40), "begins with"),
        (MAGIC + bytes(40), "SHA-256"),
        (packed(b"nothing"), "decompress"),
        (packed(zlib.compress(b"\xc1")), "MessagePack"),
        (packed(zlib.compress(bytes(pools.LONGEST + 1))), "more than"),
        (packed(zlib.compress(msgspec.msgpack.encode({"game": "no_thanks"}))), "rules_version"),
    ],
)
def test_invalid_pool_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(BrokenPool, match=why):
        decode_pool(content)


def test_every_damaged_byte_is_noticed() -> None:
    content = encode_pool(sample_pool("no_thanks", 1_500))
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 1
        with pytest.raises(BrokenPool):
            decode_pool(bytes(damaged))


@pytest.mark.parametrize("slug", OURS)
def test_a_puzzle_is_checked_against_the_rules(slug: str) -> None:
    game, puzzle = load_game(slug), sample_puzzle(slug, 3)
    assert check_puzzle(game, puzzle) == ""
    assert "choices" in check_puzzle(game, replace(puzzle, choices=puzzle.choices[1:]))
    other = Choice([{"card": 1_000}], 0, 0)
    assert "choices" in check_puzzle(game, replace(puzzle, choices=[*puzzle.choices[1:], other]))
    assert "View" in check_puzzle(game, replace(puzzle, seat=(puzzle.seat + 1) % 3))
    assert check_puzzle(game, replace(puzzle, view={}))
    assert check_puzzle(game, replace(puzzle, options={"players": 9}))


@pytest.mark.parametrize("slug", OURS)
def test_the_shipped_puzzles_can_be_shown_and_answered(slug: str) -> None:
    game, pool = load_game(slug), load_pool(slug)
    assert len(pool.puzzles) >= 30
    assert [fault for puzzle in pool.puzzles if (fault := check_puzzle(game, puzzle))] == []
    assert max(Counter(puzzle.id for puzzle in pool.puzzles).values()) == 1
    for puzzle in pool.puzzles:
        assert [choice.behind for choice in puzzle.choices] == sorted(choice.behind for choice in puzzle.choices)
        assert puzzle.choices[0].behind == 0
        assert puzzle.choices[1].behind >= 50, "one move is clearly best"


def test_a_game_without_puzzles_has_an_empty_pool() -> None:
    assert load_pool("no_game_at_all").puzzles == []
